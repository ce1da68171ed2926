"""Native memory: few arenas, so that what one thread has freed serves another.

glibc gives each of a server's threads an arena of its own, up to eight for each core, and returns little of any: under
steady work memory grows with every thread that meets its largest request, long after the start.
"""

from __future__ import annotations

import ctypes
import sys

ARENAS = 2
_M_ARENA_MAX = -8  # of malloc.h


def keep_few_arenas() -> bool:
    """Whether this system's allocator took the limit; to be asked before threads start."""
    if not sys.platform.startswith("linux"):
        return False
    limit = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none, and no arenas
    return limit is not None and limit(_M_ARENA_MAX, ARENAS) == 1
