from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotate.campaigns.builder import read_texts
from annotate.campaigns.campaign import FILE, Campaign, picture_name
from annotate.campaigns.owner_files import read_items, read_toml
from annotate.errors import RefusedError


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """Return a named pipe that no process writes to."""
    path = tmp_path / FILE
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no pipes among its files")
    os.mkfifo(path)
    return path


@pytest.mark.parametrize(
    "read",
    [
        lambda path: read_toml(path, "study"),
        read_texts,
        lambda path: read_items(path, picture_name),
        lambda path: Campaign.open(path.parent),
    ],
    ids=["study", "texts", "items", "campaign"],
)
def test_a_pipe_in_the_place_of_a_file_is_refused(pipe: Path, read: Callable[[Path], object]) -> None:
    pool = ThreadPoolExecutor(1)
    try:
        with pytest.raises(RefusedError):
            pool.submit(read, pipe).result(timeout=60)
    finally:
        # Whoever still waits is let go.
        os.close(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))
        pool.shutdown(wait=False)
