"""Cached arrays: computed once, stored on disk and memory-mapped.

A killed build resumes where it stopped. If two processes want the same array, one builds it and the other waits. A
file under its final name is always complete.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray
from tqdm import tqdm

from fmp_models.errors import BadInputError

_SECONDS = 5.0  # seconds between two records of a build's progress
Fill = Callable[[NDArray[Any], int], Iterator[int]]


def stored(path: Path, shape: Sequence[int], dtype: DTypeLike, fill: Fill) -> NDArray[Any]:
    """Return the array in the file ``path`` (``.npy``), memory-mapped read-only; build it if it does not exist.

    ``fill(array, first)`` computes rows from number ``first`` on and yields the number of complete rows after each
    part. Raises :class:`BadInputError` (``folder_unusable``) if disk space or permission is missing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                _build(path, tuple(shape), np.dtype(dtype), fill)
        array: NDArray[Any] = np.load(path, mmap_mode="r")
    except OSError:
        raise BadInputError("folder_unusable", path=str(path.parent)) from None
    return array


def _build(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any], fill: Fill) -> None:
    part, note = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.done")
    array, whole_rows = _begun(part, note, shape, dtype)
    with tqdm(total=shape[0], initial=whole_rows, desc=path.stem, unit=" rows") as bar:
        noted = time.monotonic()
        for rows_done in fill(array, whole_rows):
            bar.update(rows_done - bar.n)
            if time.monotonic() - noted > _SECONDS:
                _note(array, note, rows_done)
                noted = time.monotonic()
    array.flush()
    del array  # Windows cannot rename a mapped file
    part.replace(path)
    note.unlink(missing_ok=True)


def _begun(part: Path, note: Path, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[np.memmap[Any, Any], int]:
    """Return the unfinished array of a killed build and its number of complete rows, or a new array.

    A new array gets all its disk space at once.
    """
    try:
        array = npy.open_memmap(part, mode="r+")
        whole_rows = int(note.read_text(encoding="ascii"))
        if array.shape == shape and array.dtype == dtype and 0 <= whole_rows <= shape[0]:
            return array, whole_rows
    except (OSError, ValueError):
        pass
    note.unlink(missing_ok=True)
    array = npy.open_memmap(part, mode="w+", shape=shape, dtype=dtype)
    if hasattr(os, "posix_fallocate"):  # a full disk raises here, instead of crashing a later write
        with part.open("rb+") as file:
            os.posix_fallocate(file.fileno(), 0, part.stat().st_size)
    return array, 0


def _note(array: np.memmap[Any, Any], note: Path, rows_done: int) -> None:
    array.flush()
    new = note.with_suffix(".new")
    new.write_text(str(rows_done), encoding="ascii")
    new.replace(note)
