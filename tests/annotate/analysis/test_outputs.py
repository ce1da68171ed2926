"""The tables that researchers take on from: the same figures as the report's, and those that came out before."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from annotate.analysis.outputs import TABLES, in_one_table, write_tables
from annotate.analysis.report import Report, as_json, make_report
from annotate.campaigns.campaign import Campaign
from annotate.errors import RefusedError
from annotate.kinds.write import Description
from annotate.records import new_event
from tests.annotate.answered import answers
from tests.annotate.answered import campaign as answered_campaign
from tests.annotate.votes import NAME, campaign

# What the program said of these answers before its tables were data frames.
FIGURES = json.loads(Path(__file__).with_name("answered_figures.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(answers(), Campaign.model_validate(answered_campaign(), strict=False))


@pytest.fixture(scope="module")
def tables(report: Report, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    """Every table as it comes back from its file."""
    folder = tmp_path_factory.mktemp("tables") / "new"
    columns_of_file = write_tables(folder, report)
    assert {path.name for path in folder.iterdir()} == columns_of_file.keys() == {f"{name}.csv" for name in TABLES}
    return {name: pd.read_csv(folder / f"{name}.csv") for name in TABLES}


def same(measured: Any, expected: Any) -> bool:  # noqa: ANN401  whatever JSON holds
    """Tell whether two objects are the same to the last digits, which no two machines add up alike."""
    if isinstance(expected, dict):
        return measured.keys() == expected.keys() and all(same(measured[key], value) for key, value in expected.items())
    if isinstance(expected, list):
        return len(measured) == len(expected) and all(map(same, measured, expected))
    if isinstance(expected, float):
        return bool(measured == pytest.approx(expected, rel=1e-9, abs=1e-12))
    return type(measured) is type(expected) and measured == expected


def test_the_figures_are_those_of_before(report: Report) -> None:
    figures = json.loads(json.dumps(as_json(report), allow_nan=False))
    for one in figures["doubtful"]:
        assert len(one.pop("events")) == one["count"]
    assert figures.keys() == FIGURES.keys()
    assert [part for part in FIGURES if not same(figures[part], FIGURES[part])] == []


def ends(row: Any) -> dict[str, Any]:  # noqa: ANN401  a row of a table
    return {"value": row.value, "interval": None if pd.isna(row.low) else [row.low, row.high]}


@pytest.mark.parametrize("question", ["relevant", "fluent"])
def test_the_files_of_votes_hold_the_same_figures(tables: dict[str, pd.DataFrame], question: str) -> None:
    votes = FIGURES["votes"]["en"]
    for table, figures in (
        ("shares", {**votes[question]["shares"], "(tied)": votes[question]["tied"]}),
        ("strengths", votes[question]["strengths"]),
    ):
        rows = tables[table][tables[table]["question"] == question]
        assert same({row.model: ends(row) for row in rows.itertuples()}, figures)
    english, hindi = tables["turnout"].to_dict("records")
    assert english == {"language": "en", "unknown": 0, **{name: votes[name] for name in english if name in votes}}
    assert hindi["votes"] == 0


def test_the_files_of_everything_else_hold_the_same_figures(tables: dict[str, pd.DataFrame]) -> None:
    told = tables["answers"].astype(object)
    assert told.where(told.notna(), None).to_dict("records") == FIGURES["answers"]
    agreed = tables["agreement"].drop(columns="kappa_word").astype(object)
    for row, figures in zip(agreed.where(agreed.notna(), None).to_dict("records"), FIGURES["agreement"], strict=True):
        assert same(row, {name: figures[name] for name in row})
    for figure_row, figures in zip(tables["target_finding"].itertuples(), FIGURES["target_finding"], strict=True):
        assert same(ends(figure_row), figures["right"])
        assert (figure_row.mode, figure_row.choices, figure_row.annotators) == (
            figures["mode"],
            figures["choices"],
            figures["annotators"],
        )
    assert dict(tables["texts"].itertuples(index=False)) == FIGURES["texts"]
    money = pd.DataFrame(FIGURES["ledger"]).astype({"pay": float, "bonus": float, "total": float})
    pd.testing.assert_frame_equal(tables["payments"].astype({"annotator": str}), money, check_dtype=False)
    assert tables["quality"].drop(columns="events").to_dict("records") == FIGURES["doubtful"]


def test_one_table_holds_every_number_of_all(report: Report) -> None:
    table = pd.read_csv(io.BytesIO(in_one_table(report)), dtype=str, keep_default_na=False)
    assert list(table) == ["table", "language", "about", "name", "value", "low", "high"]
    assert set(table["table"]) == {
        "campaign",
        "answers",
        "share",
        "strength",
        "target_finding",
        "agreement",
        "texts",
        "ledger",
        "doubtful",
    }
    paid = table[(table["table"] == "ledger") & (table["name"] == "total")]
    assert paid["value"].tolist() == [one["total"] for one in FIGURES["ledger"]]
    assert len(table[table["table"] == "agreement"]) == 6 * len(FIGURES["agreement"])


def test_tables_without_rows_have_their_columns_and_replace_older_ones(report: Report, tmp_path: Path) -> None:
    write_tables(tmp_path, report)
    write_tables(tmp_path, make_report([], campaign()))
    tables_read = {name: pd.read_csv(tmp_path / f"{name}.csv") for name in TABLES}
    assert {name for name, table in tables_read.items() if not table.empty} == {"turnout", "texts"}
    assert list(tables_read["shares"]) == ["language", "question", "model", "value", "low", "high"]
    assert {"annotator", "pay", "bonus", "total"} <= set(tables_read["payments"])


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    written = new_event(Description("Bend it.", 2), annotator="=1+1", campaign=NAME, item="item0", language="en")
    write_tables(tmp_path, make_report([written], campaign()))
    assert "'=1+1,1" in (tmp_path / "payments.csv").read_text(encoding="utf-8-sig")


def test_a_folder_that_cannot_be_written_is_refused(report: Report, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RefusedError) as refused:
        write_tables(tmp_path / "file", report)
    assert refused.value.code == "folder_unusable"
