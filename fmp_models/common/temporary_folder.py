"""The temporary folder of this process, and the end of those that killed processes left behind.

A process holds a lock on its folder, which ends with it however it ends. So a folder that nobody holds is a dead one's.
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
    """Lead all that the process writes for a while into a folder of its own, and remove it at the end.

    Before that, what dead processes of this user left beside it is removed.
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
    """Remove the folders of this kind, and of this user, that no living process holds."""
    for folder in around.glob(f"{PREFIX}*"):
        held = None if folder.is_symlink() else _hold(folder)
        if held is not None:
            _remove(folder, held)


def _remove(folder: Path, held: int | None) -> None:
    """Remove a folder, which is held until it is empty."""
    shutil.rmtree(folder, ignore_errors=True)
    if held is not None:
        os.close(held)
        shutil.rmtree(folder, ignore_errors=True)  # Windows removes no open file


def _make(around: Path) -> tuple[Path, int | None]:
    """A new folder, and the file that holds it; none where the file system has no locks."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=around))
    held = _hold(folder, waits=True)
    if held is None and not folder.exists():  # another process that sweeps took it for dead before it was held
        return _make(around)
    return folder, held


def _hold(folder: Path, *, waits: bool = False) -> int | None:
    """Lock a folder of this user, and give the open file; None where that cannot be, or somebody else holds it.

    ``waits`` for whoever holds it.
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
    """What is opened to lock a folder, and how: the folder; a file in it on Windows, which opens no folder."""
    if hasattr(os, "O_DIRECTORY"):
        return folder, os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_NOFOLLOW", 0)
    return folder / ".held", os.O_RDWR | os.O_CREAT
