"""A process to be killed: it saves answers from several threads and publishes all the while.

Run as ``python -m tests.annotate.crashing DATA_DIR``. For every line on standard input a child is forked, which opens
the store anew; its number and then every answer that was saved are said on standard output, each in one write.
"""

from __future__ import annotations

import itertools
import os
import sys
import threading
from pathlib import Path

from annotate.publishing.destinations import FolderDestination
from annotate.publishing.publisher import Publisher
from annotate.storage.store import open_store, store_path
from tests.annotate.sample_events import event

THREADS = 4


def main(data_dir: Path) -> None:
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            _answer(data_dir)
        _say(f"child {child}")
        os.waitpid(child, 0)
        _say("dead")


def _say(line: str) -> None:
    os.write(1, f"{line}\n".encode())


def _answer(data_dir: Path) -> None:
    store = open_store(store_path(data_dir))
    publisher = Publisher(store, FolderDestination(data_dir / "dataset"), minutes=0.001)
    publisher.start()

    def answer() -> None:
        for _ in itertools.count():
            given = event()
            given = event(annotator=f"a{given.id}")
            store.add(given)
            _say(given.id)

    threads = [threading.Thread(target=answer) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
