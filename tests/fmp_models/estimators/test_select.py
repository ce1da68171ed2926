from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.estimators import assets as pose_model_module
from fmp_models.estimators.assets import OfficialModel
from fmp_models.estimators.select import choose_estimator
from tests.commands import ROOT, run_command, run_here
from tests.estimators import save_estimator
from tests.retrievers import TEXTS, save_retriever
from tests.thoroughness import thorough

UNREACHABLE = "http://127.0.0.1:9/full.task"  # nobody listens there
NOWHERE = {"full": OfficialModel(UNREACHABLE, frozenset({"0"}))}
WARRIOR = [str(ROOT / "demo" / "examples" / f"warrior_{moment}.jpg") for moment in ("current", "target")]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")


@pytest.fixture
def bundled(tmp_path: Path) -> Path:
    folder = tmp_path / "checkpoints"
    save_estimator(folder / "estimator")
    return folder


@pytest.fixture
def without_mediapipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mediapipe", None)
    monkeypatch.delitem(sys.modules, "fmp_models.estimators.mediapipe", raising=False)


class Places:
    """Where the models lie that there may be: in nobody's cache, not built, and bundled or not."""

    def __init__(self, folder: Path, bundled: Path) -> None:
        self.said: list[str] = []
        self.cache, self.built, self.bundled = folder / "cache", folder / "built.task", bundled

    def choose(self, wanted: str = "full", variants: Mapping[str, OfficialModel] = NOWHERE) -> tuple[str, str | None]:
        """Give the name of who was chosen, and what is lacking."""
        chosen = choose_estimator(
            wanted, self.cache, self.said.append, variants=variants, built=self.built, bundled=self.bundled
        )
        return chosen.estimator.name, chosen.lacking

    def refusal(self, wanted: str = "full") -> str:
        """Give the code with which nobody is chosen."""
        with pytest.raises(BadInputError) as refused:
            self.choose(wanted)
        return refused.value.code


@pytest.fixture
def places(tmp_path: Path, bundled: Path) -> Places:
    return Places(tmp_path, bundled)


def test_mediapipe_measures_where_its_model_is_named_and_nothing_is_said(pose_model: Path, places: Places) -> None:
    name, lacking = places.choose(str(pose_model))
    assert name.startswith("mediapipe-")
    assert lacking is None
    assert places.said == []


def test_mediapipe_measures_with_what_the_environment_has_where_nothing_can_be_downloaded(
    pose_model: Path, places: Places
) -> None:
    places.built = pose_model
    name, lacking = places.choose()
    assert name.partition("+")[0].endswith(f"/{pose_model.stem}")
    assert (lacking, places.said) == (None, [])


def test_a_named_model_that_cannot_be_read_is_refused_whatever_else_there_is(places: Places, tmp_path: Path) -> None:
    places.built.write_bytes(b"built")
    assert places.refusal(str(tmp_path / "no such.task")) == "pose_model_unreadable"
    assert places.said == []


def test_without_its_model_our_own_estimator_measures_and_one_line_says_so_and_how_to_mend_it(places: Places) -> None:
    name, lacking = places.choose()
    assert name.startswith("learned/estimator@")
    assert lacking == "pose_model"
    (line,) = places.said
    assert name in line
    assert "could not be downloaded" in line
    assert "FMP_POSE_MODEL" in line
    assert "\n" not in line


def test_without_its_model_and_ours_the_missing_model_is_told(places: Places, tmp_path: Path) -> None:
    places.bundled = tmp_path / "empty"
    assert places.refusal() == "pose_model_missing"
    assert places.said == []


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_our_own_estimator_measures(places: Places) -> None:
    name, lacking = places.choose()
    assert name.startswith("learned/estimator@")
    assert lacking == "mediapipe"
    (line,) = places.said
    assert "cannot be loaded" in line
    assert "packages.txt" in line


@pytest.mark.usefixtures("without_mediapipe")
def test_on_a_machine_without_mediapipe_and_ours_that_is_told(places: Places, tmp_path: Path) -> None:
    places.bundled = tmp_path / "empty"
    assert places.refusal() == "mediapipe_missing"


def test_a_damaged_bundled_estimator_is_told_at_once(places: Places) -> None:
    (places.bundled / "estimator" / "model.safetensors").write_bytes(b"no weights")
    assert places.refusal() == "model_damaged"
    assert places.said == []


def test_the_command_line_says_who_measures_and_answers_without_mediapipes_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pose_model_module, "BUILT", tmp_path / "none")
    done = run_here("correct", *WARRIOR, "--model", "geometry", "--json", **unconnected(tmp_path))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["estimator"].startswith("learned/estimator@")
    assert answer["estimator"] in done.stderr
    assert answer["people"] == [1, 1]
    assert answer["clauses"]


@thorough
def test_one_estimator_measures_for_corrections_and_for_retrieval(pose_model: Path, tmp_path: Path) -> None:
    retriever = save_retriever(tmp_path / "tiny", "en")
    asked = {
        "correct": (*WARRIOR, "--model", "geometry"),
        "retrieve": (WARRIOR[0], TEXTS["en"], *WARRIOR, "--model", retriever),
    }
    names = {
        json.loads(run_here(command, *words, "--json", FMP_POSE_MODEL=pose_model).stdout)["estimator"]
        for command, words in asked.items()
    }
    assert len(names) == 1
    assert names.pop().startswith("mediapipe-")


@thorough
def test_the_command_line_takes_the_name_of_a_variant_and_does_with_another_where_that_cannot_be_had(
    tmp_path: Path,
) -> None:
    if not pose_model_module.BUILT.is_file():
        pytest.skip("the environment has no pose model")
    done = run_command("correct", *WARRIOR, "--model", "geometry", "--json", **unconnected(tmp_path, "heavy"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["estimator"].partition("+")[0].endswith("/pose_landmarker_full")
    (line,) = [line for line in done.stderr.splitlines() if "pose model" in line]
    assert "“heavy”" in line
    assert "“full”" in line


def unconnected(data: Path, wanted: str = "") -> dict[str, object]:
    """Return the settings of a user with no downloads and no network."""
    proxies = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")
    return {"FMP_POSE_MODEL": wanted, "FMP_DATA_DIR": data, **proxies}
