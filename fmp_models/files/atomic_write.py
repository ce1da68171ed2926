"""Files that are there whole or not at all: written beside their place, and then put there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Have a file written beside its place, and put it there when it is whole and on the disk."""
    new = path.with_name(f"{path.name}.part")
    write(new)
    with new.open("rb+") as file:  # Windows syncs no file that is open for reading alone
        os.fsync(file.fileno())
    new.replace(path)
