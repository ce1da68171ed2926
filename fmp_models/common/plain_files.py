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
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
    if stat.S_ISREG(os.fstat(number).st_mode):
        return os.fdopen(number, "rb")
    os.close(number)
    raise OSError


def read_plain(path: Path, most: int) -> bytes:
    """The first ``most`` bytes and one more, so that a check sees the excess; raises as :func:`open_plain`."""
    with open_plain(path) as file:
        return file.read(most + 1)
