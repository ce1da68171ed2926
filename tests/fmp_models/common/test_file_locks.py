from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmp_models.common import file_locks
from fmp_models.common.file_locks import try_lock
from tests.without_unix import windows_locks


@pytest.fixture(params=["here", "windows"])
def files(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """One file, opened twice, on this system or as on Windows."""
    if request.param == "windows":
        monkeypatch.setattr(file_locks, "_system", windows_locks())
    opened = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    yield opened[0], opened[1]
    for file in opened:
        os.close(file)


def test_one_at_a_time_holds_a_lock(files: tuple[int, int]) -> None:
    assert try_lock(files[0])
    assert not try_lock(files[1])


def test_a_lock_ends_with_its_file(files: tuple[int, int], tmp_path: Path) -> None:
    with (tmp_path / "lock").open("rb+") as third:
        assert try_lock(third.fileno(), waits=True)
        assert not try_lock(files[0])
    assert try_lock(files[0], waits=True)


def test_what_cannot_be_locked_is_told(tmp_path: Path) -> None:
    file = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    os.close(file)
    with pytest.raises(OSError) as refused:  # noqa: PT011  told by its number
        try_lock(file)
    assert refused.value.errno == errno.EBADF
