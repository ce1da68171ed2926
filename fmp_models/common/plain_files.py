"""Reading of regular files only, up to a size limit, for files of unknown kind and size."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path


def open_plain(path: Path) -> BufferedReader:
    """Open a file for reading; raise ``OSError`` unless it is a regular file.

    A pipe, for example, could block its reader forever. Raise ``ValueError`` if the path is not a valid path.
    """
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115  the caller closes it
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError


def _open_without_waiting(path: str, flags: int) -> int:
    """Open a file with Python's flags for binary files, without waiting for a writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_plain(path: Path, most: int) -> bytes:
    """Return the first ``most`` bytes and one more, so that a caller can detect excess; raise as :func:`open_plain`."""
    with open_plain(path) as file:
        return file.read(most + 1)
