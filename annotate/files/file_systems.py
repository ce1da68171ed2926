"""File systems: the type that a path lies on; SQLite's locks and syncs are only reliable on local disks."""

from __future__ import annotations

import re
from pathlib import Path

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
