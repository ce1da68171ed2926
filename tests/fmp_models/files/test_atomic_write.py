from __future__ import annotations

from pathlib import Path

import pytest

from fmp_models.files import atomic_write
from tests.without_unix import windows_os


def test_a_file_is_put_in_place_where_only_what_is_open_for_writing_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write, "os", windows_os())
    atomic_write.replace_file(tmp_path / "it", lambda new: new.write_text("whole", encoding="utf-8"))
    assert [(path.name, path.read_text("utf-8")) for path in tmp_path.iterdir()] == [("it", "whole")]
