"""Plans of tables, their runs, their merging and their reproduction."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accelerate.state import AcceleratorState

from fmp_models.commands.training import TABLES
from fmp_models.data.features import REAL
from fmp_models.data.folder import ShardWriter
from fmp_models.data.sample import FOLDER, sample_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators.pose_models import choose_estimator
from fmp_models.evaluation.change_scores import CHANGE_SCORES
from fmp_models.evaluation.model_scores import (
    CAPTION_SCORES,
    POSE_METHODS,
    RETRIEVAL_SCORES,
    TEXT_ALONE,
    UNTRAINED,
)
from fmp_models.evaluation.paper_tables import (
    RESULTS,
    PlannedRow,
    RunStore,
    TableRequest,
    plan_of,
    read_real_photographs,
    reproduce,
    runs,
)
from fmp_models.evaluation.questions import QUESTIONS_FILE, ask_questions, read_questions
from fmp_models.evaluation.real_pairs import read_real_pairs
from fmp_models.evaluation.real_scores import EvaluatedModel, RememberingEstimator, judged_answers, shares
from fmp_models.evaluation.reports import paper_table
from fmp_models.hub.models import Kind, load_captioner
from fmp_models.inference.corrector import load_correction_model
from fmp_models.inference.retrievers import Retrievers
from fmp_models.inference.target_finder import TargetFinder
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.training.config import read_config
from fmp_models.training.estimated_joints import MeasuringEstimator, measure_dataset
from fmp_models.training.preparation import TrainingOrder
from fmp_models.workers import Workers
from tests.commands import run_command
from tests.fmp_models.evaluation.labelled_folders import SQUAT, make_folder
from tests.fmp_models.evaluation.test_questions import folder_of
from tests.knowing_estimators import Knowing
from tests.nonempty import nonempty
from tests.retrievers import ColourEstimator, save_retriever
from tests.taught_captioners import save_taught
from tests.thoroughness import thorough
from tests.undrawn_curves import undrawn_curves


@pytest.mark.parametrize("table", TABLES)
def test_every_row_rests_on_a_run_and_every_column_is_measured(table: str) -> None:
    plan = plan_of(table)
    of_texts = ("n", "pose_error", *CAPTION_SCORES, *CHANGE_SCORES)
    known = (*RETRIEVAL_SCORES, TEXT_ALONE) if "accuracy" in plan.columns else of_texts
    assert set(plan.columns) <= set(known)
    for row in plan.rows:
        assert row.run in {None, *UNTRAINED, *POSE_METHODS, *runs()}
        for split in plan.splits:
            for language in plan.languages:
                paper = row.of_paper(split, language)
                assert paper is None or set(paper) <= set(known)


def test_runs_have_recipes_and_start_from_runs_of_their_own_kind() -> None:
    for run in nonempty(runs().values()):
        assert all(run.path(language).is_file() for language in LANGUAGES)
        assert run.start is None or runs()[run.start].kind == run.kind


def test_a_language_has_its_own_recipe_where_the_paper_has_one() -> None:
    run = runs()["captioner-rl"]
    rates = {code: read_config(run.path(code), "captioner", "paper")["engine"]["rate"] for code in LANGUAGES}
    assert rates == {"en": 1e-6, "hi": 5e-6}


@pytest.mark.parametrize(
    ("table", "row", "split", "language", "column", "value"),
    [
        ("2", "V-only", "val_seen", "hi", "cider", 0.0437),
        ("3", "with RL", "val_seen", "en", "bleu4", 0.1869),
        ("3", "without joints", "val_seen", "hi", "meteor", 0.2755),
        ("4", "Image Editing Request", "test_unseen", "en", "cider", 0.2770),
        ("4", "CLEVR-Change (SC), DUDA", "test_unseen", "en", "meteor", 0.297),
        ("5", "character 5", "val_unseen", "en", "cider", 0.1059),
        ("7", "V-only", "test_unseen", "hi", "accuracy", 0.3482),
        ("7", "human", "test_unseen", "en", "accuracy", 0.96),
        ("9", "V+L, chosen on val-unseen", "test_unseen", "en", "cider", 0.064),
        ("9", "V+L, chosen on val-unseen", "val_unseen", "hi", "body_part_match", 1.77),
        ("6", "V+L", "test_sim", "en", "bleu4", 0.1693),
        ("6", "V+L", "test_real", "en", "direction_match", 0.11),
    ],
)
def test_the_papers_numbers_are_the_papers(  # noqa: PLR0913, PLR0917  a place in a table
    table: str, row: str, split: str, language: str, column: str, value: float
) -> None:
    (planned_row,) = [one for one in plan_of(table).rows if one.name == row]
    paper = planned_row.of_paper(split, language)
    assert paper is not None
    assert paper[column] == pytest.approx(value)


def test_main_rows_have_three_seeds() -> None:
    assert [len(row.seeds) for row in plan_of("2").rows if row.paper] == [3, 3, 3]
    assert [len(row.seeds) for row in plan_of("7").rows if row.name == "V+L"] == [3]


@pytest.mark.parametrize("table", [table for table in TABLES if table.startswith("levers")])
def test_everything_is_compared_with_runs_that_lack_one_thing_each(table: str) -> None:
    whole, *others = [runs()[str(row.run)] for row in plan_of(table).rows]
    assert not whole.changes
    assert all(run.changes and run.config == whole.config and run.joints == "estimated" for run in others)
    recipe = read_config(whole.path("en"), whole.kind, "photographs", {})
    for run in others:
        changed = read_config(whole.path("en"), whole.kind, "photographs", run.changes)
        assert changed != recipe, run.changes


def test_a_row_without_numbers_of_the_paper_has_none() -> None:
    assert PlannedRow("ours").of_paper("val_seen", "en") is None


# Rows that need no training.
GUESS, GEOMETRY = "random", "V+L, by geometry"


@pytest.fixture
def run_store(tmp_path: Path) -> RunStore:
    return RunStore(FOLDER, tmp_path / "runs", "small", None, tmp_path / "cache")


def table(
    run_store: RunStore, rows: tuple[str, ...], seeds: tuple[int, ...], results_file: Path | None = None
) -> dict[str, Any]:
    return reproduce(TableRequest("7", rows, seeds), run_store, results_file)


def written(path: Path, results: dict[str, Any]) -> Path:
    path.write_text(json.dumps(results), encoding="utf-8")
    return path


def test_seeds_in_several_goes_make_the_table_of_one_go(run_store: RunStore, tmp_path: Path) -> None:
    results_file = written(tmp_path / "table7.json", table(run_store, (GUESS,), (3, 4)))
    assert table(run_store, (GUESS,), (5,), results_file) == table(run_store, (GUESS,), (3, 4, 5))


def test_a_seed_that_is_measured_again_keeps_its_place_and_takes_the_new_value(
    run_store: RunStore, tmp_path: Path
) -> None:
    once = table(run_store, (GUESS,), (3, 4))
    old = json.loads(json.dumps(once))
    for row in old["rows"]:
        row["values"] = {column: [values[0], -1.0] for column, values in row["values"].items()}
    assert table(run_store, (GUESS,), (4,), written(tmp_path / "table7.json", old)) == once


def test_rows_in_several_goes_stand_in_the_order_of_the_table(run_store: RunStore, tmp_path: Path) -> None:
    results_file = written(tmp_path / "table7.json", table(run_store, (GEOMETRY,), (3,)))
    both = table(run_store, (GUESS,), (3,), results_file)
    assert both == table(run_store, (GUESS, GEOMETRY), (3,))
    assert [row["name"] for row in both["rows"]] == [GUESS, GEOMETRY] * 2


def test_a_table_with_the_seeds_of_its_plan_is_made_by_the_plain_command(run_store: RunStore, tmp_path: Path) -> None:
    results_file = written(tmp_path / "table7.json", table(run_store, ("human", GUESS), ()))
    results = table(run_store, (GEOMETRY,), (), results_file)
    assert "--seeds" not in results["command"]
    assert results["command"].endswith(f"--only {GUESS} --only '{GEOMETRY}' --only human")


def changed(results: dict[str, Any], **changes: object) -> str:
    return json.dumps({**results, **changes})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda results: changed(results, size="gpu"), "other settings \\(size\\)"),
        (
            lambda results: changed(results, dataset={**results["dataset"], "fingerprint": "0"}),
            "other settings \\(dataset\\)",
        ),
        (lambda results: changed(results, table="2"), "other settings \\(table\\)"),
        (
            lambda results: changed(results, command=results["command"] + " --set engine.steps=3"),
            "other settings \\(command\\)",
        ),
        (lambda results: changed(results, command="one ' quote"), "other settings \\(command\\)"),
        (lambda results: changed(results, rows=[{**results["rows"][0], "name": "new"}]), "other settings \\(rows\\)"),
        (
            lambda results: changed(results, rows=[{**results["rows"][0], "language": "fr"}]),
            "other settings \\(rows\\)",
        ),
        (lambda results: changed(results, rows=[{**results["rows"][0], "seeds": [1, 2]}]), "lacks a value of accuracy"),
        (lambda results: changed(results, rows="none"), "cannot be used: rows"),
        (lambda _: "[]", "cannot be used"),
        (lambda _: '{"table": "7", "rows', "cannot be used"),
        (lambda _: "", "cannot be used"),
    ],
)
def test_a_file_of_something_else_is_refused_and_stays(
    run_store: RunStore, tmp_path: Path, change: Callable[[dict[str, Any]], str], message: str
) -> None:
    results_file = tmp_path / "table7.json"
    results_file.write_text(change(table(run_store, (GUESS,), (3,))), encoding="utf-8")
    before = results_file.read_bytes()
    with pytest.raises(BadInputError, match=message):
        table(run_store, (GUESS,), (4,), results_file)
    assert results_file.read_bytes() == before


def test_a_file_that_cannot_be_read_is_refused(run_store: RunStore, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        table(run_store, (GUESS,), (4,), tmp_path)


@thorough
def test_a_captioner_is_judged_by_what_it_says_unrepaired(pose_model: Path, tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "mine", SQUAT)
    save_taught(tmp_path / "taught", {"en": ("bend both knees .",)})
    estimator = choose_estimator(str(pose_model), tmp_path).estimator

    real = read_real_photographs("captioner", folder, None, estimator)
    found = real.columns(tmp_path / "taught", "en")

    correction_model = load_correction_model(str(tmp_path / "taught"), repairs=False)
    judged = judged_answers(
        read_real_pairs(folder), EvaluatedModel(RememberingEstimator(estimator), correction_model, "en")
    )
    expected = shares(judged)
    assert expected.judged
    assert found == {"right": expected.right, "opposite": expected.opposite, "must": expected.must}


def test_a_retriever_is_judged_by_what_is_found_with_it(tmp_path: Path) -> None:
    folder = folder_of(tmp_path)
    (folder / QUESTIONS_FILE).rename(tmp_path / "asked.json")
    save_retriever(tmp_path / "tiny", "en")

    real = read_real_photographs("retriever", folder, tmp_path / "asked.json", ColourEstimator())
    found = real.columns(tmp_path / "tiny", "en")

    finder = TargetFinder(ColourEstimator(), Retrievers(str(tmp_path / "tiny")))
    expected = ask_questions(read_questions(tmp_path / "asked.json", folder)[0], folder, finder, "en")
    assert found == {"first": expected.first, "in_three": expected.in_three}


@pytest.mark.parametrize("kind", ["captioner", "retriever"])
def test_a_folder_without_what_is_asked_is_refused(tmp_path: Path, kind: Kind) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_real_photographs(kind, tmp_path, None, ColourEstimator())


@thorough
def test_a_table_without_columns_of_real_photographs_refuses_them(tmp_path: Path) -> None:
    done = run_command("table", "2", "--dataset", tmp_path, "--runs", tmp_path / "runs", "--real", tmp_path)
    assert done.returncode == 2
    assert done.stderr.strip() == "Table 2 has no columns for real photographs; please omit --real."


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
def small_run_store(folder: Path, models: Path) -> RunStore:
    return RunStore(FOLDER, folder, "small", str(models / "estimator"), folder / "cache", TINY)


def test_a_row_is_trained_once_and_shared_by_the_tables(
    small_run_store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    results = reproduce(TableRequest("2", ("V+L",), (7,)), small_run_store)
    assert {path.name for path in small_run_store.runs.iterdir()} == {
        "cache",
        "captioner-vl-en-s7",
        "captioner-vl-hi-s7",
    }
    assert any(line.startswith("captioner-vl-hi-s7: training") for line in caplog.messages)
    assert [(line["name"], line["language"], line["seeds"]) for line in results["rows"]] == [
        ("V+L", "en", [7]),
        ("V+L", "hi", [7]),
    ]
    assert results["rows"][0]["paper"]["cider"] == 0.1447
    caplog.clear()
    again = reproduce(TableRequest("2", ("V+L",), (7,)), small_run_store)
    assert again == results
    assert caplog.messages == []
    five = reproduce(TableRequest("5", ("character 1",), (7,)), small_run_store)
    assert [(line["split"], line["language"]) for line in five["rows"]] == [("val_unseen", "en")]
    assert not any("training" in line for line in caplog.messages)


@thorough
def test_reinforcement_learning_starts_from_the_run_of_the_same_language_and_seed(
    small_run_store: RunStore,
) -> None:
    reproduce(TableRequest("3", ("with RL",), (7,)), small_run_store)
    first, then = (
        load_captioner(str(small_run_store.runs / f"captioner-{name}-hi-s7" / "best")) for name in ("vl", "rl")
    )
    assert first.vocabularies == then.vocabularies
    config = json.loads((small_run_store.runs / "captioner-rl-hi-s7" / "config.json").read_text())
    assert config["start"] == first.folder.revision
    assert config["data"]["objective"] == "self_critical"


def test_the_language_only_captioner_sees_nothing(small_run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), small_run_store)
    model = load_captioner(str(small_run_store.runs / "captioner-language-en-s7" / "best")).network
    assert model.backbone is None


@thorough
def test_seeds_stand_side_by_side_and_are_printed_with_their_spread(small_run_store: RunStore) -> None:
    data = {**TINY["data"], "recombined": 8}  # of the sample's few pictures 24,000 could be drawn for ever
    data["annotations"] = str(small_run_store.runs / "words")  # which only a space learns from
    joints = {**TINY, "data": data, "network": {"hidden": 32, "embedding": 16, "images": False}}
    small = replace(small_run_store, runs=small_run_store.runs / "retrievers", backbone=None, changes=joints)
    of_joints = ("random", "V-only", "L-only, joints of the candidates", "V+L", "human")
    results = reproduce(TableRequest("7", of_joints, (7, 8)), small)
    assert {path.name for path in small.runs.iterdir()} >= {"retriever-vision-s7", "retriever-vision-s8"}
    by_name = {(line["name"], line["language"]): line for line in results["rows"]}
    assert all(len(values) == 2 for values in by_name["V+L", "hi"]["values"].values())
    assert by_name["V-only", "en"]["values"] == by_name["V-only", "hi"]["values"]
    assert by_name["human", "en"]["values"] == {column: [] for column in results["columns"]}
    assert "--set 'data.annotations=\"words\"'" in results["command"]
    assert str(small_run_store.runs) not in results["command"]
    printed = paper_table(results)
    for words in ("±", "V+L, paper", "38.49", "human, paper", "The data differ from the paper's", "size small"):
        assert words in printed


@thorough
def test_a_captioner_that_predicts_joints_is_judged_with_its_own(small_run_store: RunStore) -> None:
    row = "person, its own joints"
    results = reproduce(TableRequest("seeing", (row,), (7,)), small_run_store)
    assert [(line["name"], line["language"], line["split"]) for line in results["rows"]] == [
        (row, "en", "val_seen"),
        (row, "en", "test_unseen"),
    ]
    assert paper_table(results).startswith(f"{results['title']}; ")
    folder = small_run_store.runs / "captioner-joint-prediction-en-s7" / "best"
    assert load_captioner(str(folder)).network.network.config.joint_prediction
    results_file = json.loads((folder.parent / RESULTS).read_text(encoding="utf-8"))["splits"]["val_seen"]["scores"][
        "en"
    ]
    assert results_file["joints_found"] == 0
    assert 0 < results_file["predicted_joint_error"] < 5


@pytest.mark.parametrize(
    ("table", "row", "backbone"),
    [
        ("2", "V+L, backbone of photographs", None),  # the one with ImageNet's weights, which its recipe names
        ("levers-captioner", "without the backbone of photographs", "estimator"),
        ("levers-captioner", "everything", "the table's"),
    ],
)
def test_a_row_may_have_a_backbone_of_its_own(
    small_run_store: RunStore, monkeypatch: pytest.MonkeyPatch, table: str, row: str, backbone: str | None
) -> None:
    asked: list[TrainingOrder] = []

    def decided(_: str, order: TrainingOrder) -> None:
        asked.append(order)
        raise BadInputError("training_two_backbones")

    monkeypatch.setattr("fmp_models.evaluation.paper_tables.deciding", decided)
    with pytest.raises(BadInputError):
        reproduce(
            TableRequest(table, (row,), (7,)),
            replace(small_run_store, backbone="the table's"),
        )
    assert asked[0].backbone == backbone


@thorough
def test_runs_of_levers_are_asked_about_real_photographs_too(tmp_path: Path) -> None:
    dataset = shutil.copytree(FOLDER, tmp_path / "dataset")
    measure_dataset(dataset, MeasuringEstimator(partial(Knowing, tmp_path / "log"), "knowing"), Workers(2))
    (tmp_path / "mine").mkdir()
    real = read_real_photographs("retriever", folder_of(tmp_path / "mine"), None, ColourEstimator())
    data = {**TINY["data"], "recombined": 8, "drawn": 8}
    changes = {**TINY, "data": data, "network": {"hidden": 32, "embedding": 16}}
    space = RunStore(dataset, tmp_path / "runs", "small", None, tmp_path / "cache", changes)
    row = "without mirror and way back"

    results = reproduce(TableRequest("levers-retriever", (row,), (7,), real=real), space)

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
    again = reproduce(TableRequest("levers-retriever", (row,), (7,), real=real), space, results_file)
    assert again["rows"] == results["rows"]
    with pytest.raises(BadInputError, match="split, columns"):
        reproduce(TableRequest("levers-retriever", (row,), (7,)), space, results_file)


def test_characters_are_rows_of_one_run(small_run_store: RunStore) -> None:
    results = reproduce(
        TableRequest("5", tuple(f"character {number}" for number in range(1, 7)), (7,)),
        small_run_store,
    )
    assert len(results["rows"]) == 6
    assert any(line["values"]["cider"] != [None] for line in results["rows"])
    assert "character 6, paper" in paper_table(results)


@thorough
def test_the_table_of_joints_asks_one_model_three_times(small_run_store: RunStore, models: Path) -> None:
    request = TableRequest("joints", model=str(models / "captioner"), estimator=str(models / "estimator"))
    results = reproduce(request, small_run_store)
    assert {line["name"] for line in results["rows"]} == {"true joints", "estimated joints", "no joints"}
    assert all(line["seeds"] == [] and len(line["values"]["cider"]) == 1 for line in results["rows"])
    assert "estimated joints" in paper_table(results)


@pytest.fixture
def with_photographs(tmp_path: Path) -> Path:
    """Give a dataset of photographs alone: three re-enacted pairs, one with a text in English only."""
    dataset = tmp_path / "answers"
    with ShardWriter(dataset, REAL, REAL) as writer:
        for number, row in enumerate(sample_rows("captioning", "test_unseen")[:3]):
            writer.add(dict(row) | ({} if number else {"descriptions_hi": []}))
    return dataset


def test_photographs_stand_beside_the_pairs_that_they_reenact(
    small_run_store: RunStore, models: Path, with_photographs: Path
) -> None:
    request = TableRequest("6", model=str(models / "captioner"), estimator=str(models / "estimator"))
    rows = ("the dataset's joints", "no joints", "V+L")
    results = reproduce(replace(request, only=rows, photographs=with_photographs), small_run_store)
    pairs = {(line["name"], line["split"], line["language"]): line["values"]["n"] for line in results["rows"]}
    counts = {("test_sim", "en"): [3], ("test_sim", "hi"): [3], ("test_real", "en"): [3], ("test_real", "hi"): [2]}
    assert {place: pairs["no joints", *place] for place in counts} == counts
    assert results["command"].endswith("--real answers")
    printed = paper_table(results)
    assert "V+L, paper" in printed
    assert "13.01" in printed
    alone = reproduce(request, replace(small_run_store, dataset=with_photographs))
    assert {line["split"] for line in alone["rows"] if line["name"] != "V+L"} == {"test_real"}
    assert "V+L, its own joints" not in {line["name"] for line in alone["rows"]}


def test_a_text_that_is_performed_leads_nearer_to_the_target_than_staying(small_run_store: RunStore) -> None:
    results = reproduce(TableRequest("poses"), small_run_store)
    off = {(line["name"], line["split"], line["language"]): line["values"]["pose_error"][0] for line in results["rows"]}
    assert len(off) == 3 * 3 * len(LANGUAGES)
    assert off["the text performed", "test_unseen", "en"] < off["stay in the current pose", "test_unseen", "en"]
    assert off["stay in the current pose", "val_seen", "en"] == off["stay in the current pose", "val_seen", "hi"]
    assert "distance to the target (m)" in paper_table(results)


def test_a_dataset_without_photographs_is_refused_in_one_sentence(small_run_store: RunStore) -> None:
    with pytest.raises(BadInputError, match="has no split test_real"):
        reproduce(TableRequest("6"), small_run_store)


@thorough
def test_the_captioner_with_its_own_joints_is_compared_too(small_run_store: RunStore, with_photographs: Path) -> None:
    request = TableRequest("6", ("V+L, its own joints",), (7,), photographs=with_photographs)
    results = reproduce(request, small_run_store)
    assert [line["values"]["n"] for line in results["rows"]] == [[3], [3], [3], [2]]


@thorough
def test_table_nine_chooses_on_val_unseen(small_run_store: RunStore) -> None:
    reproduce(TableRequest("9", ("V+L, chosen on val-unseen",), (7,)), small_run_store)
    about = json.loads((small_run_store.runs / "captioner-vl-unseen-en-s7" / RESULTS).read_text(encoding="utf-8"))
    assert about["about"]["data"]["validation"] == "val_unseen"


def test_a_run_that_another_order_began_is_refused(small_run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), small_run_store)
    other = replace(small_run_store, changes={**TINY, "network": {**TINY["network"], "embedding": 8}})
    with pytest.raises(BadInputError, match="other options"):
        reproduce(TableRequest("2", ("L-only",), (7,)), other)


def test_damaged_results_are_measured_anew(small_run_store: RunStore) -> None:
    results = reproduce(TableRequest("2", ("L-only",), (7,)), small_run_store)
    (small_run_store.runs / "captioner-language-en-s7" / RESULTS).write_text('{"about": ')
    assert reproduce(TableRequest("2", ("L-only",), (7,)), small_run_store) == results


def test_weights_that_were_replaced_are_evaluated_anew(
    small_run_store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "fmp_models")
    results = reproduce(TableRequest("2", ("L-only",), (7, 8)), small_run_store)
    first, second = (small_run_store.runs / f"captioner-language-en-s{seed}" / "best" for seed in (7, 8))
    shutil.rmtree(first)
    shutil.copytree(second, first)
    caplog.clear()
    again = reproduce(TableRequest("2", ("L-only",), (7, 8)), small_run_store)
    assert [line for line in caplog.messages if "evaluating" in line] == [
        "captioner-language-en-s7: evaluating on val_seen"
    ]
    english, before = again["rows"][0]["values"]["cider"], results["rows"][0]["values"]["cider"]
    assert english == [before[1], before[1]]


def test_a_captioner_of_one_language_has_no_row_in_the_other(small_run_store: RunStore) -> None:
    reproduce(TableRequest("2", ("L-only",), (7,)), small_run_store)
    model = str(small_run_store.runs / "captioner-language-en-s7" / "best")
    results = reproduce(TableRequest("joints", ("true joints",), model=model), small_run_store)
    assert {line["language"] for line in results["rows"]} == {"en"}


def test_a_row_that_the_table_does_not_have_is_refused(small_run_store: RunStore) -> None:
    with pytest.raises(BadInputError, match="V-only, L-only, V\\+L"):
        reproduce(TableRequest("2", ("V+L", "A-only")), small_run_store)


def test_more_pairs_for_training_alone_make_no_other_benchmark(small_run_store: RunStore, tmp_path: Path) -> None:
    copy = tmp_path / "sample"
    shutil.copytree(FOLDER, copy)
    grown = replace(small_run_store, dataset=copy)

    def fingerprint() -> str:
        results = reproduce(TableRequest("7", ("random",)), grown)
        return str(results["dataset"]["fingerprint"])

    before = fingerprint()
    (wide,) = (copy / "wide").glob("train*.parquet")
    shutil.copy(next((copy / "captioning").glob("train*.parquet")), wide)
    assert fingerprint() == before
    (shard,) = (copy / "retrieval").glob("test_unseen*.parquet")
    shutil.copy(next((copy / "retrieval").glob("val_unseen*.parquet")), shard)
    assert fingerprint() != before
