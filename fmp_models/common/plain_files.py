"""Files of unknown kind and size: only plain files are opened, and read no further than they may be long."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path


def open_plain(path: Path) -> BufferedReader:
    """A file open for reading; ``OSError`` for what is none, such as a pipe, which would keep its reader waiting.

    ``ValueError`` where the path cannot be one.
    """
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115  the caller closes it
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError


def _open_without_waiting(path: str, flags: int) -> int:
    """Open with the flags of this system for binary files, which Python knows, and not wait for the end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_plain(path: Path, most: int) -> bytes:
    """The first ``most`` bytes and one more, so that a check sees the excess; raises as :func:`open_plain`."""
    with open_plain(path) as file:
        return file.read(most + 1)
