"""A process that shares a database: ``python -m tests.annotate.sharing ADDRESS FOLDER PEOPLE ITEMS``.

Everybody answers every item, from a thread each, and the process publishes all the while. The id under which an answer
is kept is said on standard output once it is saved.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.storage.store import open_store
from tests.annotate.sample_events import event


def main(address: str, folder: Path, people: int, items: int) -> None:
    store = open_store(address)
    publisher = Publisher(store, FolderDestination(folder), minutes=0.005)
    publisher.start()
    while store.read_only is not None:  # the others read back first
        time.sleep(0.02)

    def answer(person: int) -> None:
        for item in range(items):
            saved = store.add(event(annotator=f"a{person}", item=f"i{item}"))
            os.write(1, f"{saved.event.id}\n".encode())

    with ThreadPoolExecutor(people) as pool:
        list(pool.map(answer, range(people)))
    publisher.close()
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
