"""``python -m fmp_models evaluate`` and ``table``: in this process, and each once as people run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fmp_models.data.folder import read_rows
from fmp_models.data.sample import FOLDER
from fmp_models.hub.references import CHECKPOINTS
from tests.commands import Run, run_command, run_here
from tests.thoroughness import one_of, thorough

FILE = Path(__file__)
TABLE_2 = CHECKPOINTS / "captioner" / "tables" / "table2.json"


@pytest.mark.parametrize("run", one_of([run_here, run_command]))
def test_json_is_exactly_one_object_and_the_texts_can_be_scored(
    models: Path, cache: Path, tmp_path: Path, run: Run
) -> None:
    out = tmp_path / "new" / "evaluation.json"
    done = run(
        "evaluate",
        models / "captioner",
        FOLDER,
        "--split",
        "val_seen",
        "--cache",
        cache,
        "--out",
        out,
        "--json",
        PATH="",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    report = json.loads(done.stdout)
    assert report == json.loads(out.read_text(encoding="utf-8"))
    rows = read_rows(FOLDER, "captioning", "val_seen", ["uid", "descriptions_en"])
    references = {row["uid"]: row["descriptions_en"] for row in rows}
    predictions = json.loads((out.parent / "predictions_val_seen_en.json").read_text(encoding="utf-8"))
    assert predictions.keys() == references.keys()
    assert (out.parent / "predictions_val_seen_hi.json").is_file()


def test_examples_show_pictures_references_and_other_models(models: Path, cache: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "evaluation.json"
    words = ("--split", "val_unseen", "--cache", cache, "--out", out, "--examples", 2, "--beside", models / "whole")
    done = run_here("evaluate", models / "captioner", FOLDER, *words, PATH="")
    assert done.returncode == 0, done.stderr
    written = (out.parent / "examples.md").read_text(encoding="utf-8")
    rows = list(read_rows(FOLDER, "captioning", "val_unseen", ["uid", "descriptions_hi"]))
    assert [line.rpartition(", ")[2].replace("\\", "") for line in written.splitlines() if line.startswith("###")] == [
        rows[0]["uid"],
        rows[-1]["uid"],
    ]
    assert written.count("| references |") == written.count("| captioner |") == written.count("| whole |") == 2
    assert rows[0]["descriptions_hi"][0] in written
    pictures = sorted(path.name for path in (out.parent / "examples").iterdir())
    assert pictures == [f"val_unseen_{number}_{moment}.jpg" for number in (0, 1) for moment in ("current", "target")]
    assert all(f"](examples/{name})" in written for name in pictures)


@pytest.mark.parametrize(
    ("model", "beside", "message"),
    [
        ("retriever", "geometry", "writes no texts"),
        ("captioner", "retriever", "writes no texts"),
        ("captioner", "x", "not a model"),
    ],
)
def test_examples_that_cannot_be_written_are_refused_before_the_evaluation(
    models: Path, tmp_path: Path, model: str, beside: str, message: str
) -> None:
    other = models / beside if beside == "retriever" else beside
    done = run_here(
        "evaluate", models / model, FOLDER, "--out", tmp_path / "e.json", "--examples", 1, "--beside", other
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_json_a_table_is_printed_and_nothing_is_kept(models: Path) -> None:
    done = run_here("evaluate", models / "retriever", FOLDER)
    assert done.returncode == 0, done.stderr
    assert "mean rank" in done.stdout
    assert "The data differ from the paper's" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "no/such/model/anywhere", FOLDER), "not a model"),
        (("evaluate", "MODELS/captioner", FOLDER, "--split", "train"), "training pairs"),
        (("evaluate", "MODELS/captioner", FOLDER, "--joints", "guessed"), "invalid choice"),
        (("evaluate", "MODELS/captioner", FOLDER, "--texts", "0"), "--texts must be a number from 1"),
        (("evaluate", "MODELS/captioner", "no folder"), "no split"),
        (("evaluate", "MODELS/captioner", FOLDER, "--examples", "3"), "--examples requires --out"),
        (("evaluate", "MODELS/captioner", FOLDER, "--beside", "x"), "--beside requires --examples"),
        (("evaluate", "MODELS/captioner", FOLDER, "--examples", "0", "--out", "x"), "--examples must be a number"),
        (("table", "6", "--dataset", FOLDER, "--runs", "x"), "has no split test_real"),
        (("properties", FOLDER / "README.md" / "x"), "cannot be read"),
        (("table", "11", "--dataset", FOLDER, "--runs", "x"), "invalid choice"),
        (("table", "2", "--dataset", FOLDER), "--runs"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--seeds", "one"), "not a list of seeds"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--seeds", "1,1"), "not a list of seeds"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--seeds", "1" * 5000), "not a list of seeds"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--seeds", "1,"), "not a list of seeds"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--set", f"a={'[' * 5000}"), "is not TOML"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--json", f"{FILE}/table2.json"), "cannot be written"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--json", FOLDER), "cannot be written"),
        (("evaluate", "MODELS/captioner", FOLDER, "--out", f"{FILE}/evaluation.json"), "cannot be written"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--only", "A-only"), "no row"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--add"), "--add requires --json"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--add", "--json", TABLE_2), "other settings (dataset"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--set", "engine"), "is not TOML"),
        (("table", "2", "--dataset", FOLDER, "--runs", "RUNS", "--size", "huge"), "no size"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    models: Path, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    placed = [str(word).replace("MODELS", str(models)).replace("RUNS", str(tmp_path / "runs")) for word in arguments]
    done = run_here(*placed)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.strip().count("\n") == 0


@thorough
def test_a_table_is_written_and_printed(tmp_path: Path) -> None:
    file = tmp_path / "tables" / "table7.json"
    done = run_command(
        *("table", "7", "--dataset", FOLDER, "--runs", tmp_path, "--only", "random", "--json", file, "--seeds", "3,4")
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(file.read_text(encoding="utf-8"))
    assert (
        results["command"]
        == "python -m fmp_models table 7 --dataset sample --runs RUNS --size small --seeds 3,4 --only random"
    )
    assert [line["seeds"] for line in results["rows"]] == [[3, 4], [3, 4]]
    assert "random, paper" in done.stdout
