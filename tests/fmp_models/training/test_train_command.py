"""``python -m fmp_models train``, once run as people run it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.hub.models import load_estimator
from fmp_models.training.grid import read_grid
from fmp_models.training.preparation import TrainingOrder
from tests.commands import ROOT, run_command, run_here
from tests.thoroughness import thorough

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


@thorough
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


@thorough
def test_two_machines_of_accelerate_share_the_batches_of_one_run(tmp_path: Path) -> None:
    config, run = tmp_path / "tiny.toml", tmp_path / "run"
    config.write_text(TINY)
    alone = run_here("train", "estimator", config, "--dataset", FOLDER, "--out", tmp_path / "alone")
    assert alone.returncode == 0, alone.stderr
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    launch = [str(Path(sys.executable).with_name("accelerate")), "launch", "--cpu", "--num_machines", "2"]
    launch += ["--num_processes", "2", "--main_process_ip", "127.0.0.1", "--main_process_port", port, "--machine_rank"]
    train = ["-m", "fmp_models", "train", "estimator", str(config), "--dataset", str(FOLDER), "--out", str(run)]
    processes = [
        subprocess.Popen(
            [*launch, rank, *train],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1", "RANK": rank, "WORLD_SIZE": "2", "LOCAL_RANK": "0"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in "01"
    ]
    told = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], told
    assert {"best", "log.jsonl", "training.json"} <= {path.name for path in run.iterdir()}
    assert load_estimator(str(run / "best")).network.config.side == 32
    of_one, of_two = (
        max(json.loads(line)["step"] for line in (folder / "log.jsonl").read_text().splitlines())
        for folder in (tmp_path / "alone", run)
    )
    assert of_one == 2 * of_two  # both processes take a batch at every step
    assert f"step {of_two} of {of_two}" in told[0][1]
    assert "step" not in told[1][1]


@thorough
def test_a_grid_trains_each_combination_chooses_by_validation_and_resumes(tmp_path: Path) -> None:
    config, out = tmp_path / "tiny.toml", tmp_path / "grid"
    config.write_text(TINY)
    command = ("train", "estimator", config, "--dataset", FOLDER, "--out", out, "--grid", "rate=1e-9,0.003")
    done = run_here(*command)
    assert done.returncode == 0, done.stderr
    heading, first, second, chosen = done.stdout.splitlines()
    assert heading.split() == ["engine.rate", "error", "step", "hours"]
    scores = [float(line.split()[1]) for line in (first, second)]
    assert scores[0] < scores[1]
    assert (first.split()[0], chosen) == ("0.003", str(out / "rate-0.003" / "best"))
    logs = [path.read_text() for path in sorted(out.glob("rate-*/log.jsonl"))]
    assert len(logs) == 2
    again = run_here(*command)
    assert again.stdout == done.stdout
    assert [path.read_text() for path in sorted(out.glob("rate-*/log.jsonl"))] == logs


def test_a_setting_of_a_grid_may_be_named_twice() -> None:
    order = TrainingOrder(ROOT / "fmp_models/training/configs/estimator.toml", FOLDER, Path("out"))
    assert read_grid(["rate=0.1,0.2", "rate=0.2,0.3"], "estimator", order) == read_grid(
        ["rate=0.1,0.2,0.3"], "estimator", order
    )


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("dropout=0.3,0.5", "must name one setting"),
        ("backbone=1", "must name one setting"),
        ("rate=", "needs 1 to 64 combinations"),
        ("steps=" + ",".join(map(str, range(1, 70))), "needs 1 to 64 combinations"),
        ("rate=0.1,fast", "not TOML"),
        ("rate=0.1,-1", "cannot be used"),
    ],
)
def test_a_grid_that_cannot_be_trained_is_refused_before_anything_is(grid: str, message: str, tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(TINY)
    done = run_here("train", "estimator", config, "--dataset", FOLDER, "--out", tmp_path / "grid", "--grid", grid)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "grid").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("dancer", "c.toml", "--dataset", FOLDER, "--out", "x"), "invalid choice"),
        (("estimator", "no such file.toml", "--dataset", FOLDER, "--out", "x"), "cannot be read"),
        (("estimator", "c.toml", "--dataset", FOLDER), "--out"),
        (("estimator", "c.toml", "--dataset", FOLDER, "--out", "x", "--seed", "-1"), "must be a number from"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(arguments: tuple[object, ...], message: str) -> None:
    done = run_here("train", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


CAPTIONER = """
kind = "captioner"
[data]
least_seen = 1
batch = 2
longest = 20
[network]
hidden = 16
embedding = 8
[network.backbone]
name = "narrow18"
width = 4
[network.pictures]
size = 64
[sizes.small.engine]
steps = 1
"""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("data.longest=2", "data.longest"),
        ("data.languages=[]", "data.languages"),
        ("data.least_seen=100000", "No word of “en” occurs 100000 times"),
        ("variation.light.boxes=-2", "boxes"),
        ("variation.light.noise=nan", "noise"),
        ("variation.noise.joint=-1.0", "joint"),
        ("variation.noise.hidden=2.0", "hidden"),
    ],
)
def test_a_setting_that_trains_nothing_is_refused_before_training(tmp_path: Path, change: str, message: str) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(CAPTIONER)
    done = run_here("train", "captioner", config, "--dataset", FOLDER, "--out", tmp_path / "run", "--set", change)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr.splitlines()[-1]
    assert not (tmp_path / "run" / "log.jsonl").exists()


def test_a_grid_with_a_network_that_cannot_be_made_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(CAPTIONER)
    words = ("--dataset", FOLDER, "--out", tmp_path / "grid", "--grid", "network.dropout=0.3,7")
    done = run_here("train", "captioner", config, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "dropout must be" in done.stderr
    assert not (tmp_path / "grid").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CAPTIONER.replace('[network.backbone]\nname = "narrow18"\nwidth = 4\n', ""), "network.backbone"),
        (f'kind = "captioner"\na = {"[" * 5000}', "is not TOML"),
        (f'kind = "captioner"\n[engine]\nseed = {"1" * 5000}', "is not TOML"),
        ('extends = "tiny.toml"\nkind = "captioner"', "chain of extends is too long"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(text)
    done = run_here("train", "captioner", config, "--dataset", FOLDER, "--out", tmp_path / "run")
    assert done.returncode == 2, done.stderr
    assert message in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("kept", ["[]", '{"engine": 3}', "{"])
def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path, kept: str) -> None:
    config, run = tmp_path / "tiny.toml", tmp_path / "run"
    config.write_text(TINY)
    run.mkdir()
    (run / "config.json").write_text(kept)
    done = run_here("train", "estimator", config, "--dataset", FOLDER, "--out", run)
    assert done.returncode == 2, done.stderr
    assert (run / "config.json").read_text() == kept
