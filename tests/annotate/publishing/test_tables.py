"""Exports: tables that a spreadsheet opens safely, and photographs to label."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing.tables import FORMATS, Format, export, export_pairs
from fmp_models.evaluation.real_pairs import read_real_pairs
from tests.annotate.sample_events import HOSTILE_TEXTS, PAYLOADS, event, jpeg


def read(out: Path, kind: str, form: Format) -> list[dict[str, Any]]:
    path = out / f"{kind}.{form}"
    match form:
        case "csv":
            with path.open(encoding="utf-8-sig", newline="") as file:
                return list(csv.DictReader(file))
        case "json":
            rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
            return rows
        case "parquet":
            table: list[dict[str, Any]] = pq.read_table(path).to_pylist()
            return table


@pytest.mark.parametrize("form", FORMATS)
def test_every_kind_is_a_table_of_its_own(form: Format, tmp_path: Path) -> None:
    events = [event(kind) for kind in RECORDS if kind != "participant_id"]
    counts = export([*events, event("participant_id")], tmp_path / "out", form)
    assert counts == {one.kind: 2 if one.kind == "questions" else 1 for one in events}
    assert "participant_id" not in {path.stem for path in (tmp_path / "out").iterdir()}
    for one in events:
        row, *more = read(tmp_path / "out", one.kind, form)
        assert [further["question"] for further in more] == (["note"] if one.kind == "questions" else [])
        assert row["id"] == one.id
        assert row["annotator"] == "ann"
        assert row.keys() >= vars(PAYLOADS[one.kind]).keys() - {"answers"}


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_texts_are_exported_as_they_were_written(form: Format, tmp_path: Path) -> None:
    events = [event("description", text=text) for text in HOSTILE_TEXTS.values()]
    export(events, tmp_path / "out", form)
    assert [row["text"] for row in read(tmp_path / "out", "description", form)] == list(HOSTILE_TEXTS.values())


def test_no_cell_of_a_csv_is_a_formula_and_no_text_breaks_its_rows(tmp_path: Path) -> None:
    texts = [*HOSTILE_TEXTS.values(), "+1", " =1+1", "\t=1", "\n=1", "＝1+1", "plain", "a=b"]
    export([event("description", text=text, item=f"=i{n}") for n, text in enumerate(texts)], tmp_path / "out", "csv")
    rows = read(tmp_path / "out", "description", "csv")
    assert [row["text"].removeprefix("'") for row in rows] == texts
    assert all(value.lstrip(" ")[:1] not in set("=+-@\t\n＝") or not value for row in rows for value in row.values())
    assert [row["text"] for row in rows][-2:] == ["plain", "a=b"]


def test_pictures_lie_beside_the_table_under_names_of_ours(tmp_path: Path) -> None:
    given = event("real_pair")
    export([given], tmp_path / "out", "csv")
    (row,) = read(tmp_path / "out", "real_pair", "csv")
    assert row["current"] == f"pictures/{given.id}-current.jpg"
    assert (tmp_path / "out" / row["current"]).read_bytes() == PAYLOADS["real_pair"].current  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", FORMATS)
def test_what_became_of_a_description_is_a_column(form: Format, tmp_path: Path) -> None:
    events = [event("description"), event("description", item="i2"), event()]
    export(events, tmp_path / "out", form, {events[0].id: "accepted"})
    assert [row["status"] for row in read(tmp_path / "out", "description", form)] == ["accepted", ""]
    assert "status" not in read(tmp_path / "out", "rating", form)[0]


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(RefusedError) as refused:
        export([event()], tmp_path, "csv")
    assert refused.value.code == "folder_not_empty"
    with pytest.raises(RefusedError) as refused:
        export([event()], tmp_path / "mine.txt" / "out", "csv")
    assert refused.value.code == "folder_unusable"


def written(out: Path) -> list[dict[str, Any]]:
    pairs: list[dict[str, Any]] = json.loads((out / "truth.json").read_text(encoding="utf-8"))
    return pairs


def test_photographs_become_a_folder_that_can_be_judged_once_it_is_labelled(tmp_path: Path) -> None:
    given = [event("real_pair"), event("real_pair", item="i2", text=HOSTILE_TEXTS["hindi"], language="hi")]
    assert export_pairs([event("consent"), *given], tmp_path / "out") == 2
    pairs = read_real_pairs(tmp_path / "out").pairs
    assert [pair.id for pair in pairs] == [one.id for one in given]
    assert pairs[0].current.read_bytes() == jpeg(1)
    assert pairs[0].target.read_bytes() == jpeg(2)
    assert all(not pair.truth and not pair.must for pair in pairs)
    assert written(tmp_path / "out")[1]["texts"][0]["text"] == HOSTILE_TEXTS["hindi"]


def test_what_people_said_of_the_same_pair_stands_beside_it(tmp_path: Path) -> None:
    own, other = event("description", text="Lift it."), event("description", item="i2", text="Elsewhere.")
    ratings = [event(text=own.id, score=score) for score in (2, 4)] + [event(text=own.id, score=1, language="hi")]
    campaign = event("description", campaign="another", text="Another's.")
    export_pairs([event("real_pair"), own, other, campaign, *ratings, event("vote")], tmp_path)
    (pair,) = written(tmp_path)
    assert pair["texts"] == [
        {"language": "en", "text": "Raise it", "of": "photographs"},
        {"language": "en", "text": "Lift it.", "of": "re-enacted pair", "scores": [2, 4]},
    ]
    assert pair["votes"] == [{"language": "en", "relevant": ["b"], "fluent": ["a", "b"]}]


def test_nobody_is_named(tmp_path: Path) -> None:
    export_pairs([event("real_pair", annotator="pseudonym"), event("vote", annotator="pseudonym")], tmp_path)
    assert "pseudonym" not in (tmp_path / "truth.json").read_text(encoding="utf-8")


def test_without_photographs_the_folder_stays_empty(tmp_path: Path) -> None:
    assert export_pairs([event("description")], tmp_path / "out") == 0
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_to_label_with_something_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    for out, code in ((tmp_path, "folder_not_empty"), (tmp_path / "mine.txt" / "out", "folder_unusable")):
        with pytest.raises(RefusedError) as refused:
            export_pairs([event("real_pair")], out)
        assert refused.value.code == code
