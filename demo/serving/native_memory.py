"""Native memory: few malloc arenas, so that memory freed by one thread serves another.

glibc gives each thread of a server its own arena, up to eight per core, and returns little memory from any. Under
steady load memory grows with every thread that handles its largest request, long after startup.
"""

from __future__ import annotations

import ctypes
import sys

ARENAS = 2
_M_ARENA_MAX = -8  # from malloc.h


def keep_few_arenas() -> bool:
    """Limit the arenas of the allocator and return whether it accepted the limit; call before threads start."""
    if not sys.platform.startswith("linux"):
        return False
    limit = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has neither mallopt nor arenas
    return limit is not None and limit(_M_ARENA_MAX, ARENAS) == 1
