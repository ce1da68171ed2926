"""Temporary folder of this process, and removal of the folders that killed processes left behind.

A process holds a lock on its folder, and the lock ends with the process. An unlocked folder belongs to a
process that has ended.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fmp_models.common.file_locks import try_lock

PREFIX = "fixmypose-app-"


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a private folder the default place for temporary files, and remove it at the end.

    First remove the folders that ended processes of this user left beside it.
    """
    before = tempfile.tempdir
    around = Path(tempfile.gettempdir())
    remove_dead(around)
    folder, held = _make(around)
    tempfile.tempdir = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        _remove(folder, held)


def remove_dead(around: Path) -> None:
    """Remove the folders of this kind and this user that no running process has locked."""
    for folder in around.glob(f"{PREFIX}*"):
        held = None if folder.is_symlink() else _hold(folder)
        if held is not None:
            _remove(folder, held)


def _remove(folder: Path, held: int | None) -> None:
    """Remove a folder and close its lock file once it is empty."""
    shutil.rmtree(folder, ignore_errors=True)
    if held is not None:
        os.close(held)
        shutil.rmtree(folder, ignore_errors=True)  # Windows does not remove an open file


def _make(around: Path) -> tuple[Path, int | None]:
    """Return a new folder and its lock file; the file is ``None`` if the file system has no locks."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=around))
    held = _hold(folder, waits=True)
    if held is None and not folder.exists():  # another process removed the folder before it was locked
        return _make(around)
    return folder, held


def _hold(folder: Path, *, waits: bool = False) -> int | None:
    """Lock a folder of this user and return the open file; ``None`` if that fails or another process holds the lock.

    ``waits`` means to wait for the lock.
    """
    place, flags = _locked_in(folder)
    try:
        file = os.open(place, flags, 0o600)
    except OSError:
        return None
    with suppress(OSError):
        is_mine = not hasattr(os, "geteuid") or os.fstat(file).st_uid == os.geteuid()
        if is_mine and try_lock(file, waits=waits) and os.path.samestat(os.fstat(file), place.lstat()):
            return file
    os.close(file)
    return None


def _locked_in(folder: Path) -> tuple[Path, int]:
    """Return the path and the flags that lock a folder: the folder itself, or a file in it on Windows."""
    if hasattr(os, "O_DIRECTORY"):
        return folder, os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_NOFOLLOW", 0)
    return folder / ".held", os.O_RDWR | os.O_CREAT
