"""Files that somebody names on a command line: opened only where they are plain files."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path


def open_plain(path: Path) -> BufferedReader:
    """A file open for reading; ``OSError`` for what is none, such as a pipe, which would keep its reader waiting."""
    file = os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError
