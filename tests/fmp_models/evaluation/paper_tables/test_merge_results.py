"""Tables that are measured in several goes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fmp_models.data.sample import FOLDER
from fmp_models.errors import BadInputError
from fmp_models.evaluation.paper_tables.reproduction import TableRequest, reproduce
from fmp_models.evaluation.paper_tables.runs import RunStore

# Rows that need no training.
GUESS, GEOMETRY = "random", "V+L, by geometry"


@pytest.fixture
def run_store(tmp_path: Path) -> RunStore:
    return RunStore(FOLDER, tmp_path / "runs", "small", None, tmp_path / "cache")


def table(
    run_store: RunStore, rows: tuple[str, ...], seeds: tuple[int, ...], results_file: Path | None = None
) -> dict[str, Any]:
    return reproduce(TableRequest("7", rows, seeds), run_store, lambda _: None, results_file)


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
