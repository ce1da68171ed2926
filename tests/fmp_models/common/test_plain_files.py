from __future__ import annotations

import os
from pathlib import Path

import pytest

from fmp_models.common.plain_files import open_plain, read_plain
from tests.without_unix import unix_alone


@unix_alone
@pytest.mark.parametrize("place", ["", "missing", "pipe", "/dev/zero"])
def test_what_is_no_plain_file_is_not_opened(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    held = len(list(Path("/dev/fd").iterdir()))
    for _ in range(3):
        with pytest.raises(OSError):  # noqa: PT011  whatever the system says
            open_plain(tmp_path / place)
    assert len(list(Path("/dev/fd").iterdir())) == held


def test_a_file_is_read_one_byte_further_than_it_may_be_long(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(bytes(100))

    assert len(read_plain(tmp_path / "long", 10)) == 11
    assert len(read_plain(tmp_path / "long", 100)) == 100
