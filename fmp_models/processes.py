"""Worker processes: how many there may be, and what each does."""

from __future__ import annotations

import os
import threading
from multiprocessing import parent_process

MOST_PROCESSES = 256


def one_for_each_core() -> int:
    """How many processes there are where nobody says."""
    return min(os.cpu_count() or 1, MOST_PROCESSES)


def end_with_parent() -> None:
    """A process whose parent was killed would otherwise wait for work for ever."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
