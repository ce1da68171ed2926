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
        shutil.rmtree(folder, ignore_errors=True)
        if held is not None:
            os.close(held)


def remove_dead(around: Path) -> None:
    """Remove the folders of this kind, and of this user, that no living process holds."""
    for folder in around.glob(f"{PREFIX}*"):
        held = _hold(folder)
        if held is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def _make(around: Path) -> tuple[Path, int | None]:
    """A new folder, and the file that holds it; none where the system has no such locks."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=around))
    held = _hold(folder, waits=True)
    if held is None and not folder.exists():  # another process that sweeps took it for dead before it was held
        return _make(around)
    return folder, held


def _hold(folder: Path, *, waits: bool = False) -> int | None:
    """Lock a folder of this user, and give the open file; None where that cannot be, or somebody else holds it.

    ``waits`` for whoever holds it.
    """
    try:
        import fcntl  # noqa: PLC0415  Windows has none
    except ImportError:
        return None
    try:
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with suppress(OSError):
        if os.fstat(file).st_uid == os.geteuid():
            fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
            if os.path.samestat(os.fstat(file), folder.lstat()):
                return file
    os.close(file)
    return None
