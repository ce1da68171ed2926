"""Worker processes: their default number, and their end with the parent process."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process

MAX_PROCESSES = 256


def one_for_each_core() -> int:
    """Return the default number of worker processes: one per core, at most ``MAX_PROCESSES``."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


def end_with_parent() -> None:
    """End this process when its parent ends; otherwise it would wait for work forever after the parent was killed."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
