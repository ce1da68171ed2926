"""Disks: their errors as sentences, files and folders for the owner alone, and the types of file systems.

No error here advises to change a setting: most such changes would give all annotators new pseudonyms.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from annotate.errors import RefusedError
from fmp_models.common import one_line

FOLDER_MODE = 0o700
FILE_MODE = 0o600

_CODES = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EROFS: "disk_read_only",
    errno.EACCES: "disk_forbidden",
    errno.EPERM: "disk_forbidden",
}
_TRIED = 4096  # bytes


def disk_refusal(error: OSError, path: Path) -> RefusedError:
    """Return the error at a path: ``disk_full``, ``disk_read_only``, ``disk_forbidden`` or ``disk_failed``."""
    code = _CODES.get(error.errno or 0, "disk_failed")
    return RefusedError(code, path=str(path), reason=one_line(error.strerror or error))


def trouble_with(path: Path) -> RefusedError | None:
    """Return why no file can be kept at this path, as far as a trial tells; None if one can."""
    try:
        if path.exists():
            os.close(os.open(path, os.O_RDWR))
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".tried-") as file:
            file.write(bytes(_TRIED))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return disk_refusal(error, path)
    return None


def at_home(path: Path) -> Path:
    """Return the path with ``~`` expanded; raise :class:`RefusedError` ``home_unknown`` if there is no such home."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise RefusedError("home_unknown", path=str(path)) from None


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner can enter; an existing one is unchanged. It may raise ``OSError``."""
    folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)


def close_to_others(folder: Path) -> None:
    """Remove other users' access to a folder of this user; shared folders such as the temporary one are unchanged."""
    with suppress(OSError):
        status = folder.stat()
        if _is_mine(status) and not status.st_mode & stat.S_ISVTX and status.st_mode & 0o077:
            folder.chmod(FOLDER_MODE)


def make_private_files(first: Path, others: Iterable[Path]) -> None:
    """Create the first file if it is missing, and remove other users' access to all. It may raise ``OSError``."""
    os.close(os.open(first, os.O_RDWR | os.O_CREAT, FILE_MODE))
    for path in (first, *others):
        close_file_to_others(path)


def close_file_to_others(path: Path) -> None:
    """Remove other users' access to a file of this user; files of others or on a read-only disk are unchanged."""
    with suppress(OSError):
        status = path.stat()
        if status.st_mode & 0o077 and _is_mine(status):
            path.chmod(FILE_MODE)


def _is_mine(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


# File systems: the type that a path lies on; SQLite's locks and syncs are only reliable on local disks.

MOUNTS = Path("/proc/self/mounts")

_NETWORK = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs3",
        "nfs4",
        "orangefs",
        "s3fs",
        "smb3",
        "smbfs",
        "sshfs",
        "vboxsf",
    }
)
# FUSE file systems are remote (a bucket or another machine), except for these on a local disk.
_LOCAL_FUSE = frozenset({"fuseblk", "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuse.lxcfs", "fuse.ext4", "fuse.exfat"})
_OCTAL = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path, mounts: Path = MOUNTS) -> str | None:
    """Return the type of network file system that ``path`` lies on, or would; None if it is local or unknown."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return None
    place = path.resolve()
    kind, longest = "", -1
    for line in lines:
        parts = line.split(" ")
        if len(parts) < 3:  # noqa: PLR2004  device, folder, kind
            continue
        folder = Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), parts[1]))
        if place.is_relative_to(folder) and len(folder.parts) >= longest:  # the later of two mounts in one place counts
            kind, longest = parts[2], len(folder.parts)
    return kind if kind in _NETWORK or (kind.startswith("fuse") and kind not in _LOCAL_FUSE) else None
