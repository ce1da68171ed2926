"""``python -m fmp_models``, run as people run it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands import ROOT, run_command

EXAMPLES = ROOT / "demo" / "examples"
CURRENT, TARGET = str(EXAMPLES / "warrior_current.jpg"), str(EXAMPLES / "warrior_target.jpg")


def run(*arguments: str, model: Path | str | None = None) -> subprocess.CompletedProcess[str]:
    return run_command(*arguments, FMP_POSE_MODEL=model or "")


def test_json_is_exactly_one_object_on_standard_output(pose_model: Path) -> None:
    done = run("correct", CURRENT, TARGET, "--language", "hi", "--json", model=pose_model)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["language"] == "hi"
    assert told["text"]
    assert done.stdout.count("\n") == 1


def test_without_json_it_prints_numbered_steps(pose_model: Path) -> None:
    done = run("correct", CURRENT, TARGET, model=pose_model)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split(".")[0] for line in lines] == [str(i) for i in range(1, len(lines) + 1)]
    assert any("feet" in line and "wide apart" in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("correct", "no such file.jpg", TARGET), "cannot be read"),
        (("correct", str(EXAMPLES), TARGET), "cannot be read"),
        (("correct", CURRENT, TARGET, "--language", "fr"), "one of: en, hi"),
        (("correct", CURRENT, TARGET, "--model", "nobody"), "no model called"),
        (("correct", CURRENT), "required"),
        (("dance",), "invalid choice"),
        ((), "required"),
        (("correct", "a\nb.jpg", TARGET), "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[str, ...], said: str, pose_model: Path) -> None:
    done = run(*arguments, model=pose_model)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_no_picture_is_refused_by_its_name(tmp_path: Path, pose_model: Path) -> None:
    text = tmp_path / "me.jpg"
    text.write_text("dear diary")
    done = run("correct", CURRENT, str(text), "--json", model=pose_model)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Target photograph:" in done.stderr.splitlines()[-1]
    assert "not a JPEG" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("model", ["/no/such/model.task", __file__])
def test_a_pose_model_that_cannot_be_used_is_told(model: str) -> None:
    done = run("correct", CURRENT, TARGET, model=model)
    assert done.returncode == 2
    assert "FMP_POSE_MODEL" in done.stderr.splitlines()[-1]
