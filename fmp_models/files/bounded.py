"""Files of unknown kind and size: only plain files are opened, and read no further than they may be long."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

from fmp_models.errors import BadInputError


def read_bounded(path: Path, most: int) -> bytes:
    """The first ``most`` bytes and one more, so that a check sees the excess; raises ``BadInputError``."""
    try:
        with open_plain(path) as file:
            return file.read(most + 1)
    except (OSError, ValueError):
        raise BadInputError("file_unreadable", path=str(path)) from None


def open_plain(path: Path) -> BufferedReader:
    """A file open for reading; ``OSError`` for what is none, such as a pipe, which would keep its reader waiting."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError
