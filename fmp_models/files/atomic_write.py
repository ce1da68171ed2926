"""Atomic file replacement: write to a temporary file in the same folder, then rename it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path


def replace_file(path: Path, write: Callable[[Path], object]) -> None:
    """Have ``write`` create a file beside ``path``, and move it to ``path`` once it is complete and synced to disk."""
    new = path.with_name(f"{path.name}.part")
    write(new)
    with new.open("rb+") as file:  # Windows cannot sync a file that is open for reading only
        os.fsync(file.fileno())
    new.replace(path)
