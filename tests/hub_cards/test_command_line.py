from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.hub.models import load_captioner
from hub_cards.__main__ import main
from tests.commands import ROOT
from tests.hub_cards.conftest import save_tiny, write_json
from tests.hub_server import HubServer
from tests.thoroughness import thorough

Tiny = Callable[..., Path]
Captured = pytest.CaptureFixture[str]
TRAIN = "python -m fmp_models train estimator estimator.toml --dataset DATA --out RUN"


@pytest.fixture(params=["captioner", "retriever-en", "estimator", "lifter"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a folder as training leaves it, with a tiny model of each kind as its best."""
    folder = tmp_path / "run"
    save_tiny(tmp_path / str(request.param))
    folder.mkdir()
    (tmp_path / str(request.param)).rename(folder / "best")
    kind = str(request.param).split("-", maxsplit=1)[0]
    write_json(folder / "config.json", {"kind": kind, "size": "small", "dataset": "ab", "engine": {"seed": 7}})
    write_json(folder / "best" / "scores.json", {"step": 40, "error": 0.1})
    return folder


def test_the_best_of_a_run_becomes_a_bundled_model_with_its_card(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "checkpoints"
    assert main(["bundle", str(run), "one", "--command", TRAIN, "--checkpoints", str(out)]) == 0
    noted = json.loads((out / "one" / "training.json").read_text())
    assert (noted["commands"], noted["size"], noted["dataset"]) == ([TRAIN], "small", "ab")
    assert (noted["validation"]["step"], noted["recipe"]["engine"]) == (40, {"seed": 7})
    assert TRAIN in (out / "one" / "README.md").read_text()
    assert not (out / "one" / "scores.json").exists()


def test_results_of_earlier_weights_do_not_outlive_them(tiny: Tiny, tmp_path: Path) -> None:
    folder = tiny("estimator")
    run = tmp_path / "run"
    save_tiny(tmp_path / "captioner")
    run.mkdir()
    (tmp_path / "captioner").rename(run / "best")
    write_json(run / "config.json", {"kind": "captioner"})
    write_json(run / "best" / "scores.json", {"step": 1})
    assert main(["bundle", str(run), "estimator", "--command", TRAIN, "--checkpoints", str(folder.parent)]) == 0
    assert not (folder / "evaluation.json").exists()
    assert load_captioner(str(folder)).vocabularies


@pytest.mark.parametrize("lacking", ["config.json", "best/scores.json"])
def test_a_run_that_is_none_is_refused(run: Path, tmp_path: Path, capsys: Captured, lacking: str) -> None:
    (run / lacking).unlink()
    assert main(["bundle", str(run), "one", "--command", TRAIN, "--checkpoints", str(tmp_path / "out")]) == 2
    assert lacking in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_render_writes_the_cards_it_is_given(tiny: Tiny, capsys: Captured) -> None:
    folder = tiny("estimator", card=False)
    assert main(["render", "--check", str(folder)]) == 2
    assert capsys.readouterr().err.startswith("The card of estimator does not match its files")
    assert main(["render", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'README.md'}\n"
    assert main(["render", "--check", str(folder)]) == 0


def test_render_writes_the_front_page_of_the_space(tmp_path: Path) -> None:
    assert main(["render", "--space", str(tmp_path / "space")]) == 0
    assert (tmp_path / "space" / "README.md").read_text(encoding="utf-8").startswith("---\ntitle: FixMyPose\n")


def test_a_folder_that_is_no_dataset_is_refused(tmp_path: Path, capsys: Captured) -> None:
    assert main(["render", "--dataset", str(tmp_path)]) == 2
    assert "is not a dataset" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["push"], ["push", "space"], ["push", "model", "--repo", "org/name"]])
def test_a_command_that_lacks_something_is_refused_in_one_line(arguments: list[str], capsys: Captured) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@thorough
def test_the_command_meets_the_hub_that_its_environment_names(hub: HubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in hub.environment.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-m", "hub_cards", "push", "dataset", str(FOLDER), "--repo", "org/name", "--yes"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"org/name is at {hub.repos['dataset', 'org/name'].head.sha}."
