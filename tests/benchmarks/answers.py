"""How fast the store saves answers for good, with as many people answering at once as a class has."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotate.kinds.verify import Rating
from annotate.records import new_event
from annotate.storage.store import open_store, store_path

PEOPLE = 16
ANSWERS = 60  # of each


def saved_in(folder: Path) -> tuple[list[float], float]:
    """Give the milliseconds that each answer took until it was on the disk of ``folder``, and answers a second."""
    store = open_store(store_path(folder))

    def answer(person: int) -> list[float]:
        taken = []
        for item in range(ANSWERS):
            payload = Rating(text="t1", score=3, comment="The left arm is not mentioned.", seconds=4.0)
            start = time.perf_counter()
            store.add(new_event(payload, annotator=f"a{person}", campaign="c", item=f"i{item}", language="en"))
            taken.append((time.perf_counter() - start) * 1000)
        return taken

    try:
        answer(PEOPLE)  # which does not count
        start = time.perf_counter()
        with ThreadPoolExecutor(PEOPLE) as pool:
            waits = [one for taken in pool.map(answer, range(PEOPLE)) for one in taken]
        return waits, len(waits) / (time.perf_counter() - start)
    finally:
        store.close()
