"""The command as a user runs it: killed and run again, refused; and what ``load_dataset`` makes of its folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import datasets
import numpy as np
import pytest

from fmp_models.__main__ import main
from fmp_models.data.folder import SPLITS, read_rows
from fmp_models.data.pairs import parse_picture, retrieval_split
from fmp_models.sim.capture import CaptureOrder, begin, wide_is_current
from tests.nonempty import nonempty
from tests.thoroughness import thorough

ROOT = Path(__file__).resolve().parents[3]
PAIRS = 8
BENCHMARK = {"captioning": "b7573059ef4ea456", "retrieval": "44dc062413d1d844"}  # hashes of the texts of so many pairs
PATIENCE = 300  # seconds before a condition is given up


def simulate(out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "fmp_models", "simulate", str(out), "--pairs", str(PAIRS), *options]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def digest(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def until_units_are_done(out: Path, process: subprocess.Popen[str], count: int) -> None:
    start = time.monotonic()
    while len(list(out.glob(".units/*.parquet"))) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - start < PATIENCE
        time.sleep(0.05)


@pytest.fixture(scope="module")
def killed_and_resumed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("killed") / "dataset"
    process = simulate(out, "--processes", "1")
    until_units_are_done(out, process, 1)
    first = next(out.glob(".units/*.parquet"))
    written = first.stat().st_mtime_ns
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)  # ends only when the workers have gone as well
    again = simulate(out, "--processes", "1")
    # What was done before the kill is not done again.
    until_units_are_done(out, again, 2)
    assert first.stat().st_mtime_ns == written
    _, errors = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, errors
    return out


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "dataset"
    process = simulate(out, "--processes", "2")
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "taking pictures" in errors  # progress, and on standard error
    return out


@thorough
def test_a_killed_run_goes_on_and_gives_the_same_bytes_whatever_the_number_of_processes(
    killed_and_resumed: Path, uninterrupted: Path
) -> None:
    assert digest(killed_and_resumed) == digest(uninterrupted)


@pytest.mark.parametrize(
    ("config", "splits"),
    [
        ("captioning", {"train", "val_seen", "val_unseen", "test_unseen"}),
        ("retrieval", {"train", "val_unseen", "test_unseen"}),
        ("wide", {"train", "test_unseen"}),
    ],
)
@thorough
def test_every_configuration_loads_and_streams_without_a_network(
    config: str, splits: set[str], uninterrupted: Path, tmp_path: Path
) -> None:
    loaded = datasets.load_dataset(str(uninterrupted), config, cache_dir=str(tmp_path))
    assert set(loaded) == splits
    streamed = datasets.load_dataset(str(uninterrupted), config, streaming=True, cache_dir=str(tmp_path))
    for split in splits:
        assert len(loaded[split]) > 0
        row, first = loaded[split][0], next(iter(streamed[split]))
        assert row["uid"] == first["uid"]
        assert config == "wide" or row["current"].size == (448, 224)
        joints = np.array(row["current_joints"])
        assert joints.shape == (20, 3)
        assert (joints[:, 2] > 0.2).all()  # before the camera
        texts = 1 if split == "train" or config == "retrieval" else 3
        assert len(row["descriptions_en"]) == len(row["descriptions_hi"]) == texts


@thorough
def test_the_right_one_of_ten_candidates_has_the_joints_of_the_target(uninterrupted: Path, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(uninterrupted), "retrieval", cache_dir=str(tmp_path))
    for rows in nonempty(loaded.values()):
        row = rows[0]
        assert len(row["candidates"]) == 10
        assert np.allclose(row["candidate_joints"][row["answer"]], row["target_joints"])


@thorough
def test_the_splits_add_up_to_the_pairs_asked_for(uninterrupted: Path, tmp_path: Path) -> None:
    loaded = datasets.load_dataset(str(uninterrupted), "captioning", cache_dir=str(tmp_path))
    assert sum(len(split) for split in loaded.values()) == PAIRS
    assert len({uid for split in loaded.values() for uid in split["uid"]}) == PAIRS


@thorough
def test_the_folder_says_how_it_was_made_and_keeps_nothing_of_the_making(uninterrupted: Path) -> None:
    facts = json.loads((uninterrupted / "simulation.json").read_text())
    assert (facts["pairs"], facts["seed"], facts["finished"]) == (PAIRS, 0, True)
    assert not (uninterrupted / ".units").exists()
    assert "FixMyPose" in (uninterrupted / "README.md").read_text()
    assert {path.stem for path in (uninterrupted / "sheets").iterdir()} == {
        "rooms",
        "characters",
        "motions",
        "pairs",
        "wide",
    }


@thorough
def test_a_finished_folder_is_left_as_it_is(uninterrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = digest(uninterrupted)
    assert main(["simulate", str(uninterrupted), "--pairs", str(PAIRS)]) == 0
    assert "already" in capsys.readouterr().out
    assert digest(uninterrupted) == before


@thorough
def test_older_wide_pairs_are_made_anew_and_nothing_else(uninterrupted: Path, tmp_path: Path) -> None:
    out = tmp_path / "older"
    shutil.copytree(uninterrupted, out)
    note = json.loads((out / "simulation.json").read_text())
    del note["wide"]  # as the first version left it
    (out / "simulation.json").write_text(json.dumps(note))
    for shard in (out / "wide").iterdir():
        shard.unlink()
    stale = next((uninterrupted / "captioning").glob("train-*"))
    shutil.copy(stale, out / "wide" / "train-00000-of-00001.parquet")
    assert not wide_is_current(out)
    process = simulate(out, "--processes", "2")
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert "wide" in output
    assert digest(out) == digest(uninterrupted)


@pytest.mark.parametrize("config", BENCHMARK)
@thorough
def test_the_texts_of_the_benchmark_do_not_change(config: str, uninterrupted: Path) -> None:
    """Tables are comparable for as long as they stay; whoever changes them raises ``VERSION``."""
    seen = hashlib.sha256()
    for split in SPLITS:
        for row in read_rows(uninterrupted, config, split, ["uid", "descriptions_en", "descriptions_hi"]):
            seen.update(json.dumps([split, row], ensure_ascii=False).encode())
    assert seen.hexdigest()[:16] == BENCHMARK[config]


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["simulate", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


@thorough
def test_other_options_for_the_same_folder_are_refused(uninterrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "other options" in refusal([str(uninterrupted), "--pairs", "9"], capsys)


def test_a_folder_with_other_things_in_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    assert "not empty" in refusal([str(tmp_path)], capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@thorough
def test_what_a_kill_at_the_very_start_or_end_leaves_is_no_obstacle(uninterrupted: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    started.mkdir()
    (started / "simulation.json.part").write_text("{")
    assert begin(started, CaptureOrder(PAIRS)) is False
    ended = tmp_path / "ended"
    ended.mkdir()
    shutil.copy(uninterrupted / "simulation.json", ended)
    (ended / ".units").mkdir()
    (ended / ".units" / "0_0.parquet").write_bytes(b"")
    assert begin(ended, CaptureOrder(PAIRS)) is True
    assert wide_is_current(ended)
    assert not (ended / ".units").exists()


@thorough
def test_no_training_row_of_retrieval_shows_a_held_out_animation(uninterrupted: Path) -> None:
    rows = list(read_rows(uninterrupted, "retrieval", "train", ["candidates"]))
    assert rows
    shown = [parse_picture(image["path"]).uid for row in rows for image in row["candidates"]]
    assert {retrieval_split(uid) for uid in shown} == {"train"}


@pytest.mark.parametrize("note", ["", "[]", "{", "null", "\x00", '{"pairs": "many"}'])
def test_a_damaged_note_is_refused_in_words(note: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "simulation.json").write_text(note)
    assert refusal([str(tmp_path)], capsys)


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refusal([str(tmp_path / "file")], capsys)


@pytest.mark.parametrize(
    "options", [["--pairs", "3"], ["--pairs", "-1"], ["--pairs", "999999999"], ["--seed", "-1"], ["--processes", "0"]]
)
def test_numbers_out_of_range_are_refused(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "must be a number from" in refusal([str(tmp_path / "out"), *options], capsys)
    assert not (tmp_path / "out").exists()
