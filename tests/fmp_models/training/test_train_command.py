"""``python -m fmp_models train``, once run as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.hub.models import load_estimator
from tests.commands import run_command, run_here

TINY = """
kind = "estimator"
[network]
side = 32
head = 8
depths = 4
[network.backbone]
name = "narrow18"
width = 4
[sizes.small.engine]
epochs = 2
log_every = 1
[sizes.small.data]
batch = 8
"""


def test_a_run_ends_in_a_model_that_loads_and_the_same_command_finds_it_done(tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(TINY)
    command = ("train", "estimator", config, "--dataset", FOLDER, "--out", tmp_path / "run")
    done = run_command(*command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "run" / "best")
    assert "loss" in done.stderr
    assert load_estimator(done.stdout.strip()).network.config.side == 32
    log = (tmp_path / "run" / "log.jsonl").read_text()
    assert {"error", "best"} <= set(json.loads(log.splitlines()[-1]))
    again = run_here(*command)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "run" / "log.jsonl").read_text() == log


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dancer", "c.toml", "--dataset", FOLDER, "--out", "x"), "invalid choice"),
        (("estimator", "no such file.toml", "--dataset", FOLDER, "--out", "x"), "cannot be read"),
        (("estimator", "c.toml", "--dataset", FOLDER), "--out"),
        (("estimator", "c.toml", "--dataset", FOLDER, "--out", "x", "--seed", "-1"), "must be a number from"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[object, ...], said: str) -> None:
    done = run_here("train", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
