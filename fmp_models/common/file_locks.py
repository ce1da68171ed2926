"""File locks: held by one process at a time, and released when the process ends."""

from __future__ import annotations

import errno
import os
from typing import Any

_system: Any
try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    _system = msvcrt
else:
    _system = fcntl

_HELD = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})  # "already locked"


def try_lock(file: int, *, waits: bool = False) -> bool:
    """Lock an open file until it is closed; return False if another process holds the lock.

    ``waits`` means to wait for the lock; on Windows for ten seconds at most. Raise ``OSError`` on any other
    error.
    """
    try:
        if hasattr(_system, "flock"):
            _system.flock(file, _system.LOCK_EX | (0 if waits else _system.LOCK_NB))
        else:
            os.lseek(file, 0, os.SEEK_SET)  # the lock covers the next byte
            _system.locking(file, _system.LK_LOCK if waits else _system.LK_NBLCK, 1)
    except OSError as error:
        if error.errno not in _HELD:
            raise
        return False
    return True
