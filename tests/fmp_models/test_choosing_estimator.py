from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fmp_models.choosing_estimator import choose_estimator, estimator_for_retrieval
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimator
from tests.commands import ROOT, run_command
from tests.estimators import save_estimator
from tests.retrievers import ColourEstimator


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address at which nobody listens."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/model.task"


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    save_estimator(folder / "estimator")
    return folder


@pytest.fixture
def without_mediapipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mediapipe", None)
    monkeypatch.delitem(sys.modules, "fmp_models.mediapipe_estimator", raising=False)


def refusal(*, said: list[str], pose_model: Path | None, cache: Path, url: str, bundled: Path) -> str:
    with pytest.raises(BadInputError) as refused:
        choose_estimator(pose_model, cache, said.append, url=url, bundled=bundled)
    return refused.value.code


def test_mediapipe_measures_where_its_model_is_named_and_nothing_is_said(
    pose_model: Path, tmp_path: Path, nowhere: str, bundled: Path
) -> None:
    said: list[str] = []
    estimator = choose_estimator(pose_model, tmp_path, said.append, url=nowhere, bundled=bundled)
    assert estimator.name.startswith("mediapipe-")
    assert said == []


def test_a_named_model_that_cannot_be_read_is_refused_whatever_is_bundled(
    tmp_path: Path, nowhere: str, bundled: Path
) -> None:
    said: list[str] = []
    named = tmp_path / "no such.task"
    code = refusal(said=said, pose_model=named, cache=tmp_path, url=nowhere, bundled=bundled)
    assert (code, said) == ("pose_model_unreadable", [])


def test_without_its_model_our_own_estimator_measures_and_one_line_says_so(
    tmp_path: Path, nowhere: str, bundled: Path
) -> None:
    said: list[str] = []
    estimator = choose_estimator(None, tmp_path, said.append, url=nowhere, bundled=bundled)
    assert estimator.name.startswith("learned/estimator@")
    (line,) = said
    assert estimator.name in line
    assert "could not be downloaded" in line
    assert "\n" not in line


def test_without_its_model_and_ours_the_missing_model_is_told(tmp_path: Path, nowhere: str) -> None:
    said: list[str] = []
    code = refusal(said=said, pose_model=None, cache=tmp_path, url=nowhere, bundled=tmp_path / "empty")
    assert (code, said) == ("pose_model_missing", [])


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_our_own_estimator_measures(tmp_path: Path, nowhere: str, bundled: Path) -> None:
    said: list[str] = []
    estimator = choose_estimator(None, tmp_path, said.append, url=nowhere, bundled=bundled)
    assert estimator.name.startswith("learned/estimator@")
    assert len(said) == 1
    assert "cannot be loaded" in said[0]


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_and_ours_that_is_told(tmp_path: Path, nowhere: str) -> None:
    code = refusal(said=[], pose_model=None, cache=tmp_path, url=nowhere, bundled=tmp_path / "empty")
    assert code == "mediapipe_missing"


def test_a_damaged_bundled_estimator_is_told_at_once(tmp_path: Path, nowhere: str, bundled: Path) -> None:
    (bundled / "estimator" / "model.safetensors").write_bytes(b"no weights")
    said: list[str] = []
    code = refusal(said=said, pose_model=None, cache=tmp_path, url=nowhere, bundled=bundled)
    assert (code, said) == ("model_damaged", [])


def test_the_command_line_says_who_measures_and_answers_without_mediapipes_model(tmp_path: Path) -> None:
    pictures = [str(ROOT / "demo" / "examples" / f"warrior_{moment}.jpg") for moment in ("current", "target")]
    done = run_command(
        *("correct", *pictures, "--model", "geometry", "--json"),
        FMP_POSE_MODEL="",
        FMP_DATA_DIR=tmp_path,
        HTTPS_PROXY="http://127.0.0.1:9",  # nobody listens there
        https_proxy="http://127.0.0.1:9",
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["estimator"].startswith("learned/estimator@")
    assert told["estimator"] in done.stderr
    assert told["people"] == [1, 1]
    assert told["clauses"]


def test_what_a_retriever_compares_is_measured_by_our_own_estimator_and_no_other_is_made(bundled: Path) -> None:
    def never() -> PoseEstimator:
        raise AssertionError

    assert estimator_for_retrieval(never, bundled=bundled).name.startswith("learned/estimator@")


def test_without_our_own_estimator_a_retriever_is_served_by_the_other(tmp_path: Path) -> None:
    other = ColourEstimator()
    assert estimator_for_retrieval(lambda: other, bundled=tmp_path) is other
