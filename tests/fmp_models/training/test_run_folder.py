from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from fmp_models.common.files import replace_file
from fmp_models.errors import BadInputError
from fmp_models.training.run_folder import opened

CONFIG = {"kind": "tiny", "engine": {"seed": 1, "minutes": None, "save_minutes": 10.0}}


def test_a_second_run_into_the_same_folder_is_refused_until_the_first_ends(tmp_path: Path) -> None:
    with opened(tmp_path / "run", CONFIG), pytest.raises(BadInputError, match="Another training run writes"):
        opened(tmp_path / "run", CONFIG).__enter__()
    with opened(tmp_path / "run", CONFIG) as folder:
        assert folder.path == tmp_path / "run"


def test_a_folder_begun_with_another_configuration_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path, CONFIG):
        pass
    with pytest.raises(BadInputError, match="other options"):
        opened(tmp_path, {**CONFIG, "engine": {**CONFIG["engine"], "seed": 2}}).__enter__()  # type: ignore[dict-item]


def test_limits_of_time_may_change(tmp_path: Path) -> None:
    with opened(tmp_path, CONFIG):
        pass
    with opened(tmp_path, {**CONFIG, "engine": {"seed": 1, "minutes": 5.0, "save_minutes": 1.0}}):
        assert '"minutes": 5.0' in (tmp_path / "config.json").read_text()


@pytest.mark.parametrize("name", ["notes.txt", "config.json"])
def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(BadInputError, match="not empty"):
        opened(tmp_path, CONFIG).__enter__()
    assert (tmp_path / name).read_text() == "mine"


def test_a_place_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInputError, match="cannot be written"):
        opened(tmp_path / "file", CONFIG).__enter__()


def test_only_the_last_two_checkpoints_are_kept(tmp_path: Path) -> None:
    with opened(tmp_path, CONFIG) as folder:
        assert folder.load_checkpoint() is None
        for step in (5, 10, 100):
            folder.save_checkpoint({"step": torch.tensor(step)}, step)
        assert [path.name for path in sorted(tmp_path.glob("*.pt"))] == [
            "checkpoint-000000010.pt",
            "checkpoint-000000100.pt",
        ]
        state = folder.load_checkpoint()
    assert state == {"step": torch.tensor(100)}


@pytest.mark.parametrize("share", [0.0, 0.1, 0.8, 0.95])
def test_of_a_checkpoint_with_a_damaged_structure_the_one_before_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, share: float
) -> None:
    with opened(tmp_path, CONFIG) as folder:
        for step in (5, 10):
            folder.save_checkpoint({"step": torch.tensor(step), "weights": torch.ones(200)}, step)
        last = tmp_path / "checkpoint-000000010.pt"
        data = bytearray(last.read_bytes())
        begin = int(share * len(data))
        data[begin : begin + 60] = b"\x93" * 60
        last.write_bytes(data)
        state = folder.load_checkpoint()
    assert state is not None
    assert state["step"] == 5
    assert "using the previous one" in caplog.messages[0]


def test_a_line_cut_off_by_a_kill_and_lines_after_the_checkpoint_go(tmp_path: Path) -> None:
    with opened(tmp_path, CONFIG) as folder:
        for step in (1, 2, 3):
            folder.write_line({"step": step})
        with (tmp_path / "log.jsonl").open("a") as file:
            file.write('{"step": 4, "lo')
        assert [line["step"] for line in folder.log] == [1, 2, 3]
        folder.cut_log(2)
        folder.write_line({"step": 3})
        assert (tmp_path / "log.jsonl").read_text() == '{"step": 1}\n{"step": 2}\n{"step": 3}\n'


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text("old")

    def write_half(new: Path) -> None:
        new.write_text("ne")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(path, write_half)
    assert path.read_text() == "old"


def save(folder: Path) -> None:
    folder.mkdir()
    (folder / "weights").write_text("whole")


@pytest.mark.parametrize("moved", [False, True])
def test_what_a_killed_run_was_writing_is_cleared_away_and_the_best_stays(tmp_path: Path, moved: bool) -> None:  # noqa: FBT001
    with opened(tmp_path, CONFIG) as folder:
        folder.save_best(save, {"error": 0.75}, 2)
        folder.save_best(save, {"error": 0.5}, 3)
    (tmp_path / "config.json.part").write_text("half")
    (tmp_path / "best.new").mkdir()
    if moved:  # killed between the two renames
        (tmp_path / "best").rename(tmp_path / "best.old")
    with opened(tmp_path, CONFIG):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "best", "config.json"]
        assert json.loads((tmp_path / "best" / "scores.json").read_text()) == {"step": 3, "error": 0.5}
        assert (tmp_path / "best" / "weights").read_text() == "whole"
