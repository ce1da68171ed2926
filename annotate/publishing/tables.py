"""Events as tables: shards for ``load_dataset`` with their dataset card, exports, and photographs to label."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCard, DatasetCardData

from annotate.campaigns import Campaign, flagged_items, verifications
from annotate.errors import RefusedError
from annotate.kinds import (
    RECORDS,
    Description,
    Fooling,
    Guide,
    Judgement,
    Mode,
    OwnAnswer,
    Rating,
    RealPair,
    Vote,
    columns_of,
    known_kind,
    read_payload,
)
from annotate.records import Event, OwnerChoice, ParticipantId, Reason, Verdict
from fmp_models.common import LANGUAGES, Edit

if TYPE_CHECKING:
    from datasets import Features


# Shards: events as Parquet files for ``load_dataset``; a file has one kind, with exactly the declared columns.
#
# A shard is never changed once it has its name, ``data/<kind>/<date>-<writer>-<uuid>.parquet``. Pictures are
# ``Image()`` columns. Measurements are JSON in a text column, since their names may grow. Answers to an owner's own
# questions have a row each, so an event with several has several rows with its id.

GROUP_ROWS = 100
UNREADABLE = frozenset({"shard_unreadable", "event_version"})  # error codes of a file for which a retry does not help

_EVENT_COLUMNS = (
    "id",
    "version",
    "time",
    "campaign",
    "item",
    "annotator",
    "language",
    "app_version",
    "supersedes",
    "after",
)
_EDITS, _FACTS, _ANSWERS = tuple[Edit, ...], dict[str, Any], tuple[OwnAnswer, ...]
_PATH = re.compile(r"data/(?P<kind>[a-z_]+)/[^/]+\.parquet")

ITEMS, MODELS = "items", "models"  # what was asked, which is no event
VERIFIED = "verified"  # the column of texts against a model, and the folder of the one table that has it


def features_of(kind: str, added: Sequence[str] = ()) -> Features:
    """Return the columns of a kind, as declared in its shards and on the card."""
    from datasets import Features, Image, List, Value  # noqa: PLC0415  its import would slow every command

    text = Value("string")
    names = dict.fromkeys(("campaign", "item"), text)
    if kind == MODELS:
        return Features({**names, **dict.fromkeys(("language", "text", "model"), text)})
    if kind == ITEMS:
        pictures = {"current": Image(), "target": Image(), "candidates": List(Image()), "further": List(Image())}
        texts = List({**dict.fromkeys(("id", "language", "text"), text), "kinds": List(text)})
        return Features({**names, "split": text, "is_gold": Value("bool"), **pictures, "texts": texts})
    about = dict.fromkeys(_EVENT_COLUMNS, text) | {
        "version": Value("int32"),
        "time": Value("timestamp[us, tz=UTC]"),
        "after": List(text),
    }
    features: dict[Any, Any] = {
        str: text,
        Mode: text,
        Judgement: text,
        Guide: text,
        Reason: text,
        Verdict: text,
        OwnerChoice: text,
        int: Value("int32"),
        float: Value("float64"),
        bool: Value("bool"),
        bytes: Image(),
        tuple[str, ...]: List(text),
        tuple[int, ...]: List(Value("int32")),
        tuple[float, ...]: List(Value("float64")),
        _EDITS: List({"operation": text, "word": text}),
        _FACTS: text,
    }
    answer = {**dict.fromkeys(OwnAnswer._fields, text), "number": Value("float64")}
    columns: dict[str, Any] = {}
    for name, column in columns_of(kind).items():
        columns |= answer if column == _ANSWERS else {name: features[column]}
    return Features({**about, **columns, **dict.fromkeys(added, text)})


def new_path(kind: str, writer: str, now: datetime) -> str:
    """Return a unique name for a shard."""
    return f"data/{kind}/{now.astimezone(UTC):%Y%m%d}-{writer}-{uuid4().hex}.parquet"


def kind_of(path: str) -> str | None:
    """Return the kind of a shard from its path; None for other files."""
    match = _PATH.fullmatch(path)
    return match["kind"] if match and match["kind"] in {*RECORDS, ITEMS, MODELS, VERIFIED} else None


def write_shard(kind: str, events: Sequence[Event]) -> bytes:
    """Return a shard of events of one kind."""
    return write_rows(kind, rows_of(events))


def write_rows(kind: str, rows: Sequence[Mapping[str, Any]], added: Sequence[str] = ()) -> bytes:
    """Return a Parquet file of rows with the columns of a kind and text columns ``added``."""
    table = pa.Table.from_pylist(list(rows), schema=features_of(kind, added).arrow_schema)
    file = io.BytesIO()
    pq.write_table(table, file, row_group_size=GROUP_ROWS)
    return file.getvalue()


def verified_table(living: Sequence[Event]) -> dict[str, bytes]:
    """Return the path and content of the table of texts against a model with ``verified``; empty without any text.

    The name of the file depends on its content.
    """
    verified = verifications(living)
    rows = [row | {VERIFIED: verified[row["id"]]} for row in rows_of([e for e in living if e.id in verified])]
    name = hashlib.sha256(json.dumps(rows, default=str).encode()).hexdigest()[:20]
    return {f"data/{VERIFIED}/{name}.parquet": write_rows(Fooling.kind, rows, [VERIFIED])} if rows else {}


def rows_of(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return events as rows of plain values; a picture is its bytes and a file name."""
    return [row for event in events for row in _rows(event)]


def _rows(event: Event) -> list[dict[str, Any]]:
    row: dict[str, Any] = {name: getattr(event, name) for name in _EVENT_COLUMNS}
    answers: tuple[OwnAnswer, ...] = ()
    for name, column in columns_of(event.kind).items():
        if column == _ANSWERS:
            answers = getattr(event.payload, name)
            row |= dict.fromkeys(OwnAnswer._fields)
        else:
            row[name] = _cell(event, name, column)
    return [row | answer._asdict() for answer in answers] or [row]


def _cell(event: Event, name: str, column: object) -> Any:  # noqa: ANN401  any value that Arrow accepts
    value = getattr(event.payload, name)
    if column is bytes:
        return {"bytes": value, "path": f"{event.id}-{name}.jpg"}
    if column == _EDITS:
        return [{"operation": operation, "word": word} for operation, word in value]
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if column == _FACTS else value


def read_shard(path: str, data: bytes) -> list[Event]:
    """Return the events of a shard from its path and bytes; raise :class:`RefusedError` if it is not a valid shard."""
    kind = kind_of(path)
    if kind is None:
        raise RefusedError("shard_unreadable", path=path)
    try:
        rows = pq.read_table(io.BytesIO(data)).to_pylist()
        return [_event(kind, list(of_event)) for _, of_event in groupby(rows, lambda row: row["id"])]
    except RefusedError as error:
        if error.code == "event_version":
            raise
        raise RefusedError("shard_unreadable", path=path) from error
    except (pa.ArrowException, KeyError, TypeError, ValueError, OSError) as error:
        raise RefusedError("shard_unreadable", path=path) from error


def _event(kind: str, rows: Sequence[Mapping[str, Any]]) -> Event:
    row = rows[0]
    known_kind(kind, row["version"])  # before cells are read, which a later version may store in another form
    values = {name: _value(row[name], column) for name, column in columns_of(kind).items() if name in row}
    values |= {
        name: [OwnAnswer(*(of_answer[part] for part in OwnAnswer._fields)) for of_answer in rows]
        for name, column in columns_of(kind).items()
        if column == _ANSWERS
    }
    about = {name: row[name] for name in _EVENT_COLUMNS if name not in {"version", "after"}}
    payload = read_payload(kind, row["version"], values)
    return Event(payload=payload, after=tuple(row.get("after") or ()), **about)  # older files lack this column


def _value(cell: Any, column: object) -> Any:  # noqa: ANN401  any value that Arrow returns
    if column is bytes:
        return cell["bytes"]
    if column == _EDITS:
        return [(edit["operation"], edit["word"]) for edit in cell]
    return json.loads(cell) if column == _FACTS else cell


# Dataset card (README) of a published dataset: its kinds and their columns; all other content is kept.

CARD = "README.md"

_CARD_DATA: dict[str, Any] = {
    "pretty_name": "FixMyPose annotations",
    "language": list(LANGUAGES),
    "license": "cc-by-4.0",
    "task_categories": ["image-to-text", "translation"],
    "tags": ["fixmypose", "human-feedback"],
}
_CARD_BODY = Path(__file__).with_name("card.md")


def card_of(kinds: Collection[str], name: str, old: str | None) -> str:
    """Return the card for these kinds; ``name`` is what people load the dataset by, ``old`` the existing card."""
    folders = {Fooling.kind: VERIFIED} if VERIFIED in kinds else {}
    ordered = [kind for kind in (*RECORDS, ITEMS, MODELS) if kind in {*kinds, *folders}]
    if old is None:
        example = next(iter(ordered or RECORDS))
        body = Template(_CARD_BODY.read_text(encoding="utf-8")).substitute(name=name, example=example)
        card = DatasetCard(f"---\n{DatasetCardData(**_CARD_DATA).to_yaml()}\n---\n\n{body}")
    else:
        card = DatasetCard(old, ignore_metadata_errors=True)
    for part in ("configs", "dataset_info"):
        card.data.pop(part, None)
    if ordered:
        from datasets import DatasetInfo  # noqa: PLC0415  its import would slow every command
        from datasets.info import DatasetInfosDict  # noqa: PLC0415

        card.data["configs"] = [
            {"config_name": kind, "data_files": f"data/{folders.get(kind, kind)}/*.parquet"} for kind in ordered
        ]
        features = {kind: features_of(kind, [folders[kind]] if kind in folders else ()) for kind in ordered}
        infos = {kind: DatasetInfo(features=features[kind]) for kind in ordered}
        DatasetInfosDict(infos).to_dataset_card_data(card.data)
    return str(card)


# Export of events: one table for each kind, in CSV, JSON or Parquet; CSV and JSON have their pictures as files.
#
# A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula. In CSV an apostrophe is
# put before such a text, which a spreadsheet hides. JSON and Parquet have every text unchanged.

Format = Literal["csv", "parquet", "json"]

FORMATS: tuple[Format, ...] = ("csv", "parquet", "json")
PICTURES = "pictures"
STATUS = "status"

_FORMULA = ("=", "+", "-", "@", "\t", "\n", "＝", "＋", "－", "＠")


def export(
    events: Iterable[Event],
    out: Path,
    form: Format,
    statuses: Mapping[str, str] | None = None,
    asked: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> dict[str, int]:
    """Write the events into a new or empty folder, and return the number of each kind.

    ``statuses`` has by id the status of descriptions, and whether texts against a model are verified, which become a
    column of their tables; ``asked`` are the rows of further tables. Encrypted ids of participants are left out. Raise
    :class:`RefusedError`: ``folder_not_empty``, ``folder_unusable``.
    """
    by_kind: dict[str, list[Event]] = {kind: [] for kind in RECORDS}
    for event in events:
        if event.kind != ParticipantId.kind:
            by_kind[event.kind].append(event)
    tables = {**{kind: rows_of(kind_events) for kind, kind_events in by_kind.items()}, **(asked or {})}
    if statuses is not None:
        for kind, name in ((Description.kind, STATUS), (Fooling.kind, VERIFIED)):
            tables[kind] = [{**row, name: statuses.get(row["id"], "")} for row in tables[kind]]
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise RefusedError("folder_not_empty", path=str(out))
        for kind, rows in tables.items():
            if rows:
                _write(out, kind, rows, form)
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return {kind: len(rows) for kind, rows in tables.items() if rows}


def _write(out: Path, kind: str, rows: Sequence[Mapping[str, Any]], form: Format) -> None:
    path = out / f"{kind}.{form}"
    if form == "parquet":
        path.write_bytes(write_rows(kind, rows, [name for name in (STATUS, VERIFIED) if name in rows[0]]))
        return
    rows = [{name: _plain(out, value) for name, value in row.items()} for row in rows]
    text = _as_csv(rows) if form == "csv" else json.dumps(rows, ensure_ascii=False, indent=1)
    # The byte order mark tells spreadsheets that the text is UTF-8.
    path.write_text(text, encoding="utf-8-sig" if form == "csv" else "utf-8", newline="")


def _plain(out: Path, value: Any) -> Any:  # noqa: ANN401  any value of a row
    """Return a value with times as text, and with the name of a file instead of each picture."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, list):
        return [_plain(out, one) for one in value]
    if not isinstance(value, dict) or "bytes" not in value:
        return value
    (out / PICTURES).mkdir(exist_ok=True)
    name = f"{PICTURES}/{value['path']}"
    (out / name).write_bytes(value["bytes"])
    return name


def _as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of one or more rows with the same keys as CSV, with no cell that spreadsheets run as a formula."""
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: spreadsheet_cell(value) for name, value in row.items()} for row in rows)
    return file.getvalue()


def spreadsheet_cell(value: object) -> object:
    """Return a value for a spreadsheet: formulas are escaped, and lists are JSON."""
    if isinstance(value, list | tuple | dict):
        value = json.dumps(value, ensure_ascii=False)
    return f"'{value}" if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA) else value


# Export of people's photographs as a folder to label by eye, in the form of ``docs/real_pairs.md``.
#
# No slot is labelled here. The texts and votes of people are listed with each pair to help with labelling.

LABELLING = "real-pairs"  # a format of the export command
_PICTURES = "images"
_TRUTH = "truth.json"
AS_QUESTIONS, QUESTIONS_FILE = "questions", "questions.json"  # another format, and its file


def export_pairs(living: Iterable[Event], out: Path) -> int:
    """Write the photographs of ``living`` events and their ``truth.json``, and return the number of pairs.

    The folder must be new or empty; it stays empty if there is no pair. Raise :class:`RefusedError`:
    ``folder_not_empty``, ``folder_unusable``.
    """
    by_item: dict[tuple[str, str], list[Event]] = {}
    for event in living:
        by_item.setdefault((event.campaign, event.item), []).append(event)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise RefusedError("folder_not_empty", path=str(out))
        pairs = [
            _pair(out, event, event.payload, events)
            for events in by_item.values()
            for event in events
            if isinstance(event.payload, RealPair)
        ]
        if pairs:
            (out / _TRUTH).write_text(f"{json.dumps(pairs, ensure_ascii=False, indent=1)}\n", encoding="utf-8")
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return len(pairs)


def export_questions(campaign: Campaign, living: Iterable[Event], out: Path) -> int:
    """Write the verified texts against a model as questions for ``evaluate-questions``, and return their number.

    The folder must be new or empty. Raise :class:`RefusedError`: ``folder_not_empty``, ``folder_unusable``.
    """
    living = [event for event in living if event.campaign == campaign.name]
    aside, verified, questions = flagged_items(living), verifications(living), list[dict[str, Any]]()
    items = {item.uid: item for item in campaign.items if item.uid not in aside}
    for event in living:
        item = items.get(event.item)
        if item is not None and isinstance(event.payload, Fooling) and verified.get(event.id) == "yes":
            about = {"id": event.id, "kind": event.payload.guide, "texts": {event.language: event.payload.text}}
            pictures = {"current": item.current, "candidates": item.candidates, "answer": item.answer}
            questions.append({**about, **pictures})
    names = {name for one in questions for name in (one["current"], *one["candidates"])}
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise RefusedError("folder_not_empty", path=str(out))
        for name in names:
            (out / name).write_bytes(campaign.picture(name))
        if questions:
            (out / QUESTIONS_FILE).write_text(json.dumps(questions, ensure_ascii=False, indent=1), encoding="utf-8")
    except OSError:
        raise RefusedError("folder_unusable", path=str(out)) from None
    return len(questions)


def _pair(out: Path, event: Event, pair: RealPair, events: Sequence[Event]) -> dict[str, Any]:
    """Return a pair without labels and without annotators."""
    (out / _PICTURES).mkdir(exist_ok=True)
    names = {which: f"{_PICTURES}/{event.id}_{which}.jpg" for which in ("current", "target")}
    for which, name in names.items():
        (out / name).write_bytes(getattr(pair, which))
    return {
        "id": event.id,
        **names,
        "truth": {},
        "must": [],
        "texts": [
            *({"language": event.language, "text": text, "of": "photographs"} for text in pair.descriptions),
            *_descriptions(events),
        ],
        "votes": [
            {
                "language": vote_event.language,
                "relevant": vote_event.payload.relevant,
                "fluent": vote_event.payload.fluent,
            }
            for vote_event in events
            if isinstance(vote_event.payload, Vote)
        ],
        "note": "Not labelled yet.",
    }


def _descriptions(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the descriptions of the re-enacted pair, with the scores that other people gave them."""
    scores: dict[tuple[str, str], list[int]] = {}
    for event in events:
        if isinstance(event.payload, Rating):
            scores.setdefault((event.language, event.payload.text), []).append(event.payload.score)
    return [
        {
            "language": event.language,
            "text": event.payload.text,
            "of": "re-enacted pair",
            "scores": scores.get((event.language, event.id), []),
        }
        for event in events
        if isinstance(event.payload, Description)
    ]
