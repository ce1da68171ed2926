"""Plain files, atomic replacement, file locks, and the temporary folder of this process.

Folders that killed processes left behind are removed. A process holds a lock on its folder, and the lock ends with
the process. An unlocked folder belongs to a process that has ended.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any


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


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Have ``write`` create a file beside ``path``, and move it to ``path`` once it is complete and synced to disk."""
    new = path.with_name(f"{path.name}.part")
    write(new)
    with new.open("rb+") as file:  # Windows cannot sync a file that is open for reading only
        os.fsync(file.fileno())
    new.replace(path)


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
