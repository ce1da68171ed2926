"""Tables from the training of tiny models to their numbers, on the sample."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from accelerate.state import AcceleratorState

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.evaluation.paper_tables.reproduction import TableRequest, reproduce
from fmp_models.evaluation.paper_tables.runs import RESULTS, RunStore
from fmp_models.evaluation.reading_out import paper_table
from fmp_models.evaluation.real.model_columns import read_real_photographs
from fmp_models.hub.models import load_captioner
from fmp_models.training.estimated_joints import MeasuringEstimator, measure_dataset
from fmp_models.training.preparation import TrainingOrder
from tests.fmp_models.evaluation.real.test_questions import folder_of
from tests.knowing_estimators import Knowing
from tests.retrievers import ColourEstimator
from tests.thoroughness import thorough
from tests.undrawn_curves import undrawn_curves

__all__ = ["undrawn_curves"]  # pytest looks for it here
pytestmark = pytest.mark.usefixtures("without_java")

TINY = {
    "engine": {"steps": 2, "log_every": 1, "precision": "no"},
    "data": {"least_seen": 1, "longest": 20},
    "network": {
        "hidden": 32,
        "embedding": 16,
        "backbone": {"width": 8},
        "pictures": {"size": 64},
    },
}


@pytest.fixture(autouse=True)
def _fresh_accelerate() -> Iterator[None]:
    """Forget the precision of the last run, which accelerate keeps for the whole process."""
    yield
    AcceleratorState._reset_state(reset_partial_state=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def run_store(folder: Path, models: Path) -> RunStore:
    return RunStore(FOLDER, folder, "small", str(models / "estimator"), folder / "cache", TINY)


def test_a_row_is_trained_once_and_shared_by_the_tables(run_store: RunStore) -> None:
    progress_lines: list[str] = []
    results = reproduce(TableRequest("2", ("V+L",), (7,)), run_store, progress_lines.append)
    assert {path.name for path in run_store.runs.iterdir()} == {"cache", "captioner-vl-en-s7", "captioner-vl-hi-s7"}
    assert any(line.startswith("captioner-vl-hi-s7: training") for line in progress_lines)
    assert [(line["name"], line["language"], line["seeds"]) for line in results["rows"]] == [
        ("V+L", "en", [7]),
        ("V+L", "hi", [7]),
    ]
    assert results["rows"][0]["paper"]["cider"] == 0.1447
    progress_lines.clear()
    again = reproduce(TableRequest("2", ("V+L",), (7,)), run_store, progress_lines.append)
    assert again == results
    assert progress_lines == []
    nine = reproduce(TableRequest("9", ("V+L",), (7,)), run_store, progress_lines.append)
    assert [(line["split"], line["language"]) for line in nine["rows"]] == [
        ("val_unseen", "en"),
        ("val_unseen", "hi"),
        ("test_unseen", "en"),
        ("test_unseen", "hi"),
    ]
    assert not any("training" in line for line in progress_lines)


@thorough
def test_reinforcement_learning_starts_from_the_run_of_the_same_language_and_seed(run_store: RunStore) -> None:
    reproduce(TableRequest("3", ("with RL",), (7,)), run_store, lambda _: None)
    first, then = (load_captioner(str(run_store.runs / f"captioner-{name}-hi-s7" / "best")) for name in ("vl", "rl"))
    assert first.vocabularies == then.vocabularies
    config = json.loads((run_store.runs / "captioner-rl-hi-s7" / "config.json").read_text())
    assert config["start"] == first.folder.revision
    assert config["data"]["objective"] == "self_critical"


def test_the_language_only_captioner_sees_nothing(run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), run_store, lambda _: None)
    model = load_captioner(str(run_store.runs / "captioner-language-en-s7" / "best")).network
    assert model.backbone is None


@thorough
def test_seeds_stand_side_by_side_and_are_printed_with_their_spread(run_store: RunStore) -> None:
    data = {**TINY["data"], "recombined": 8}  # of the sample's few pictures 24,000 could be drawn for ever
    data["annotations"] = str(run_store.runs / "words")  # which only a space learns from
    joints = {**TINY, "data": data, "network": {"hidden": 32, "embedding": 16, "images": False}}
    small = replace(run_store, runs=run_store.runs / "retrievers", backbone=None, changes=joints)
    of_joints = ("random", "V-only", "L-only, joints of the candidates", "V+L", "human")
    results = reproduce(TableRequest("7", of_joints, (7, 8)), small, lambda _: None)
    assert {path.name for path in small.runs.iterdir()} >= {"retriever-vision-s7", "retriever-vision-s8"}
    by_name = {(line["name"], line["language"]): line for line in results["rows"]}
    assert all(len(values) == 2 for values in by_name["V+L", "hi"]["values"].values())
    assert by_name["V-only", "en"]["values"] == by_name["V-only", "hi"]["values"]
    assert by_name["human", "en"]["values"] == {column: [] for column in results["columns"]}
    assert "--set 'data.annotations=\"words\"'" in results["command"]
    assert str(run_store.runs) not in results["command"]
    printed = paper_table(results)
    for words in ("±", "V+L, paper", "38.49", "human, paper", "The data differ from the paper's", "size small"):
        assert words in printed


@thorough
def test_a_captioner_that_predicts_joints_is_judged_with_its_own(run_store: RunStore) -> None:
    row = "person, its own joints"
    results = reproduce(TableRequest("seeing", (row,), (7,)), run_store, lambda _: None)
    assert [(line["name"], line["language"], line["split"]) for line in results["rows"]] == [
        (row, "en", "val_seen"),
        (row, "en", "test_unseen"),
    ]
    assert paper_table(results).startswith(f"{results['title']}; ")
    folder = run_store.runs / "captioner-joint-prediction-en-s7" / "best"
    assert load_captioner(str(folder)).network.network.config.joint_prediction
    results_file = json.loads((folder.parent / RESULTS).read_text(encoding="utf-8"))["splits"]["val_seen"]["scores"][
        "en"
    ]
    assert results_file["joints_found"] == 0


@pytest.mark.parametrize(
    ("table", "row", "backbone"),
    [
        ("2", "V+L, backbone of photographs", None),  # the one with ImageNet's weights, which its recipe names
        ("levers-captioner", "without the backbone of photographs", "estimator"),
        ("levers-captioner", "everything", "the table's"),
    ],
)
def test_a_row_may_have_a_backbone_of_its_own(
    run_store: RunStore, monkeypatch: pytest.MonkeyPatch, table: str, row: str, backbone: str | None
) -> None:
    asked: list[TrainingOrder] = []

    def decided(_: str, order: TrainingOrder) -> None:
        asked.append(order)
        raise BadInputError("training_two_backbones")

    monkeypatch.setattr("fmp_models.evaluation.paper_tables.runs.deciding", decided)
    with pytest.raises(BadInputError):
        reproduce(TableRequest(table, (row,), (7,)), replace(run_store, backbone="the table's"), lambda _: None)
    assert asked[0].backbone == backbone


@thorough
def test_runs_of_levers_are_asked_about_real_photographs_too(tmp_path: Path) -> None:
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log"), "knowing"), 2)
    (tmp_path / "mine").mkdir()
    real = read_real_photographs("retriever", folder_of(tmp_path / "mine"), None, ColourEstimator())
    data = {**TINY["data"], "recombined": 8, "drawn": 8}
    changes = {**TINY, "data": data, "network": {"hidden": 32, "embedding": 16}}
    space = RunStore(dataset, tmp_path / "runs", "small", None, tmp_path / "cache", changes)
    row = "without mirror and way back"

    results = reproduce(TableRequest("levers-retriever", (row,), (7,), real=real), space, lambda _: None)

    assert [(line["split"], line["language"]) for line in results["rows"]] == [
        (split, language) for split in ("test_unseen", "real photographs") for language in ("en", "hi")
    ]
    simulated, _, seen, _ = (line["values"] for line in results["rows"])
    assert simulated["accuracy"] != [None]
    assert simulated["first"] == seen["accuracy"] == [None]
    assert seen["in_three"] == [1.0]
    assert results["command"].endswith("--real mine")
    assert "found in three" in paper_table(results)
    results_file = tmp_path / "table.json"
    results_file.write_text(json.dumps(results), encoding="utf-8")
    again = reproduce(TableRequest("levers-retriever", (row,), (7,), real=real), space, lambda _: None, results_file)
    assert again["rows"] == results["rows"]
    with pytest.raises(BadInputError, match="split, columns"):
        reproduce(TableRequest("levers-retriever", (row,), (7,)), space, lambda _: None, results_file)


def test_characters_are_rows_of_one_run(run_store: RunStore) -> None:
    results = reproduce(
        TableRequest("5", tuple(f"character {number}" for number in range(1, 7)), (7,)), run_store, lambda _: None
    )
    assert len(results["rows"]) == 6
    assert any(line["values"]["cider"] != [None] for line in results["rows"])
    assert "character 6, paper" in paper_table(results)


@thorough
def test_the_table_of_joints_asks_one_model_three_times(run_store: RunStore, models: Path) -> None:
    request = TableRequest("joints", model=str(models / "captioner"), estimator=str(models / "estimator"))
    results = reproduce(request, run_store, lambda _: None)
    assert {line["name"] for line in results["rows"]} == {"true joints", "estimated joints", "no joints"}
    assert all(line["seeds"] == [] and len(line["values"]["cider"]) == 1 for line in results["rows"])
    assert "estimated joints" in paper_table(results)


def test_a_run_that_another_order_began_is_refused(run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), run_store, lambda _: None)
    other = replace(run_store, changes={**TINY, "network": {**TINY["network"], "embedding": 8}})
    with pytest.raises(BadInputError, match="other options"):
        reproduce(TableRequest("2", ("L-only",), (7,)), other, lambda _: None)


def test_damaged_results_are_measured_anew(run_store: RunStore) -> None:
    results = reproduce(TableRequest("2", ("L-only",), (7,)), run_store, lambda _: None)
    (run_store.runs / "captioner-language-en-s7" / RESULTS).write_text('{"about": ')
    assert reproduce(TableRequest("2", ("L-only",), (7,)), run_store, lambda _: None) == results


def test_weights_that_were_replaced_are_evaluated_anew(run_store: RunStore) -> None:
    results = reproduce(TableRequest("2", ("L-only",), (7, 8)), run_store, lambda _: None)
    first, second = (run_store.runs / f"captioner-language-en-s{seed}" / "best" for seed in (7, 8))
    shutil.rmtree(first)
    shutil.copytree(second, first)
    progress_lines: list[str] = []
    again = reproduce(TableRequest("2", ("L-only",), (7, 8)), run_store, progress_lines.append)
    assert [line for line in progress_lines if "evaluating" in line] == [
        "captioner-language-en-s7: evaluating on val_seen"
    ]
    english, before = again["rows"][0]["values"]["cider"], results["rows"][0]["values"]["cider"]
    assert english == [before[1], before[1]]


def test_a_captioner_of_one_language_has_no_row_in_the_other(run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), run_store, lambda _: None)
    model = str(run_store.runs / "captioner-language-en-s7" / "best")
    results = reproduce(TableRequest("joints", ("true joints",), model=model), run_store, lambda _: None)
    assert {line["language"] for line in results["rows"]} == {"en"}


def test_a_row_that_the_table_does_not_have_is_refused(run_store: RunStore) -> None:
    with pytest.raises(BadInputError, match="V-only, L-only, V\\+L"):
        reproduce(TableRequest("2", ("V+L", "A-only")), run_store, lambda _: None)


def test_more_pairs_for_training_alone_make_no_other_benchmark(run_store: RunStore, tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(FOLDER, copy)
    grown = replace(run_store, dataset=copy)

    def fingerprint() -> str:
        results = reproduce(TableRequest("7", ("random",)), grown, lambda _: None)
        return str(results["dataset"]["fingerprint"])

    before = fingerprint()
    (wide,) = (copy / "wide").glob("train*.parquet")
    shutil.copy(next((copy / "captioning").glob("train*.parquet")), wide)
    assert fingerprint() == before
    (shard,) = (copy / "retrieval").glob("test_unseen*.parquet")
    shutil.copy(next((copy / "retrieval").glob("val_unseen*.parquet")), shard)
    assert fingerprint() != before
