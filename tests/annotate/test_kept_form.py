"""The form in which records are kept: what stores and published files that are out there hold must not change.

``kept_form.json`` holds what every kind of record gave when it was written down: the text in the database, the rows
and the declared columns of its file, and what becomes of many values that a field may or may not have. A part of it
changes only together with the version of a kind.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import Connection, delete, select, update

from annotate.errors import RefusedError
from annotate.kinds.registry import RECORDS
from annotate.publishing.tables import card_of, features_of, read_shard, write_shard
from annotate.records import Payload
from annotate.storage import database
from annotate.storage.event_rows import insert_event, read_events
from annotate.storage.store import Store, open_store
from tests.annotate.sample_events import HOSTILE_TEXTS, PAYLOADS, event
from tests.nonempty import nonempty

FILE = Path(__file__).with_name("kept_form.json")
SAMPLE = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
JPEG = b"\xff\xd8\xff"  # how one begins; nothing here looks further
ID = "0" * 32
MAX_TEXT = 10_000
ABOUT = features_of("skip").keys() - {"reason", "task"}  # the columns of every kind
Made = TypeVar("Made")

# What is sent of each kind beside the sample of each.
MORE: dict[str, list[dict[str, Any]]] = {
    "vote": [
        {"relevant": ["c", "b"], "fluent": ["c"], "shown": ["b", "a", "c"]},
        {"seconds": 7},
        {"seconds": 1e9},
    ],
    "rating": [
        {"comment": HOSTILE_TEXTS["direction"]},
        {"text": "no\u00e9l \u0939", "score": 1},
        {"comment": "a\r\nb\0"},
    ],
    "description": [{"text": text, "flags": []} for text in HOSTILE_TEXTS.values()],
    "translation": [{"text": "half \ud83d of one"}, {"of": "x" * 200}],
    "target_choice": [{"mode": "picture"}, {"chosen": 0, "correct": False}, {"seconds": 0}, {"text": ID}],
    "real_pair": [
        {"edits": [["KEEP", "x\x1b"], ["ADD", "\n"]], "checks": {}},
        {"checks": {"z": None, "a": [1, 2.5, {"\u0939": "\U0001f642"}], "1": -0.0}},
    ],
    "repair": [{"model": "", "seconds": 0}],
    "comparison": [{"better": ["t2", "f" * 32], "shown": ["f" * 32, "t2"]}],
    "dialogue_judged": [{"verdict": "cannot_tell", "comment": ""}, {"answer": HOSTILE_TEXTS["markup"], "distance": 0}],
    "fooling": [{"ranking": [], "probabilities": [], "rank": 0}, {"text": HOSTILE_TEXTS["markup"], "margin": 0}],
    "fooling_attempt": [{"guide": "shared_detail", "attempts": 1}],
    "flag": [{"comment": "", "of": ID}],
    "qualification": [{"answers": [], "passed": False}],
    "consent": [{"wording": "2026-2"}],
    "withdrawal": [{"reason": "withdrawn", "erases": [ID, "1" * 32]}],
    "skip": [{"task": ""}],
    "completion": [{"number": 1, "answers": 1}],
    "demographics": [{"answer": ""}, {"answer": HOSTILE_TEXTS["formula"]}],
    "step_feedback": [
        {"right": True, "measured": {}},
        {"verdict": "unknown", "confidence": 1},
        {"text": HOSTILE_TEXTS["markup"]},
    ],
}
VALUES: dict[str, Any] = {
    "none": None,
    "true": True,
    "zero": 0,
    "one": 1,
    "four": 4,
    "five": 5,
    "minus one": -1,
    "999": 999,
    "1000": 1000,
    "million": 10**6,
    "more": 10**6 + 1,
    "very many": 10**30,
    "half": 0.5,
    "three as a float": 3.0,
    "minus zero": -0.0,
    "nan": math.nan,
    "infinite": math.inf,
    "nothing": "",
    "space": " ",
    "a": "a",
    "3 in words": "3",
    "yes": "yes",
    "null letter": "a\0b",
    "only control letters": "\0\x1b",
    "line break": "a\r\nb",
    "later control letter": "a\x85b",
    "surrogate": "a\ud83db",
    "two surrogates": "\ud83d\ude42",
    "format letter": "a\u200fb",
    "200 letters": "\u0939" * 200,
    "201 letters": "x" * 201,
    "longest": "x" * MAX_TEXT,
    "longest and null letters": "x" * MAX_TEXT + "\0\0",
    "too long": "x" * (MAX_TEXT + 1),
    "bytes": b"a",
    "a mode": "picture",
    "a reason": "undo",
    "jpeg": JPEG + b"1",
    "large jpeg": JPEG + bytes(8_000_000 - 3),
    "too large jpeg": JPEG + bytes(8_000_000),
    "bytearray": bytearray(JPEG),
    "empty list": [],
    "names": ["a", "b"],
    "names in a tuple": ("c", "b", "a"),
    "names in a set": {"a"},
    "names twice": ["a", "a"],
    "an empty name": ["a", ""],
    "a number among names": ["a", 1],
    "a control letter in a name": ["a\n"],
    "a long name": ["x" * 201],
    "200 names": ["a"] * 200,
    "201 names": ["a"] * 201,
    "a map": {"a": "b"},
    "a map by numbers": {1: "b"},
    "a deep map": {"b": {"y": [None, 1, "\u0939"], "x": 0.5}, "a": ()},
    "a map of numbers by numbers": {"a": {1: 2}},
    "a map with a surrogate": {"a": "\udc00"},
    "a map with a null letter": {"a": "\0"},
    "a map with nan": {"a": math.nan},
    "a map with bytes": {"a": b""},
    "a map with a set": {"a": {1}},
    "the largest map": {"a": "x" * (MAX_TEXT - 9)},
    "too large a map": {"a": "x" * (MAX_TEXT - 8)},
    "edits": [["KEEP", "a"], ("DELETE", "b\r\n"), ["ADD", ""]],
    "an edit of another kind": [["MOVE", "a"]],
    "an edit of small letters": [["keep", "a"]],
    "half an edit": [["KEEP"]],
    "an edit and a half": [["KEEP", "a", "b"]],
    "an edit that is a word": ["KE"],
    "an edit with a surrogate": [["ADD", "\ud83d"]],
    "an edit of a number": [["ADD", 1]],
    "an edit of a list": [[[], "a"]],
    "an edit too long": [["KEEP", "a"], ["ADD", "x" * (MAX_TEXT + 1)]],
    "most edits": [["ADD", "xy"]] * MAX_TEXT,
    "edits too long together": [["ADD", "xyz"]] * MAX_TEXT,
    "too many edits": [["ADD", ""]] * (MAX_TEXT + 1),
}
# Fields that only together cannot be, by the order of the fields too.
TOGETHER: dict[str, list[dict[str, Any]]] = {
    "vote": [
        {"relevant": ("z",)},
        {"fluent": ("z",)},
        {"relevant": ("a", "a")},
        {"relevant": ("z",), "fluent": ("z",)},
        {"shown": ("a", "a")},
        {"shown": ("c",)},
    ],
    "repair": [
        {"editing_steps": 1},
        {"text": "Raise your left arm."},
        {"edits": (("KEEP", "Raise your"), ("DELETE", "left"), ("ADD", "right"), ("KEEP", "arm."))},
        {"edits": (("KEEP", "Raise"), ("KEEP", "your"), ("DELETE", "left"), ("ADD", "right arm."), ("DELETE", "arm."))},
    ],
    "comparison": [{"of": "t3"}, {"better": ("t3",)}, {"shown": ("t2", "t3")}, {"shown": ("f" * 32,)}],
    "target_choice": [{"correct": False}, {"chosen": 1}, {"correct": True, "answer": 7}],
    "withdrawal": [
        {"of": "everything", "erases": [ID]},
        {"of": "something"},
        {"erases": ["x"]},
    ],
}
BY_PLACE: dict[str, list[tuple[Any, ...]]] = {
    "rating": [("t", 9), ("", 3), ("t", 3, "x" * (MAX_TEXT + 1)), ("t", 3, "", -1)],
    "flag": [("",), ("unclear", 1)],
    "description": [(" ", 1), ("a", -1), ("a", 1, "a")],
}


def sent(kind: str) -> list[Payload]:
    """Give the payloads of a kind that the sample holds."""
    return [small(kind), *(replace(small(kind), **changed) for changed in MORE.get(kind, []))]


def small(kind: str) -> Payload:
    """Give the usual payload of a kind; its pictures depend on no library."""
    payload = PAYLOADS[kind]
    return replace(payload, current=JPEG + b"1", target=JPEG + b"2") if kind == "real_pair" else payload


def values(payload: Payload) -> list[Any]:
    """Give the values of all fields in order."""
    return [getattr(payload, field.name) for field in fields(payload)]


def short_repr(value: object) -> str:
    """Say a value in a few words."""
    value_text = repr(value)
    return (
        value_text
        if len(value_text) <= 60
        else f"{len(value_text)} letters {hashlib.sha256(value_text.encode()).hexdigest()[:12]}"
    )


def outcome(make: Callable[..., Made], *args: object, **kwargs: object) -> str | Made:
    """Give what is made, or how it is refused: code and details."""
    try:
        return make(*args, **kwargs)
    except RefusedError as error:
        return " ".join([error.code, *(f"{name}={value}" for name, value in error.details.items())])


def kept_value(payload: Payload, name: str, value: object) -> str:
    made = outcome(replace, payload, **{name: value})
    return made if isinstance(made, str) else short_repr(getattr(made, name))


def values_of(kind: str) -> dict[str, dict[str, str]]:
    """Give what becomes of every value in every field; where nothing is said, the field is malformed."""
    return {
        field.name: {
            name: became
            for name, value in VALUES.items()
            if (became := kept_value(small(kind), field.name, value)) != f"answer_malformed field={field.name}"
        }
        for field in fields(small(kind))
    }


def together_of(kind: str) -> list[str]:
    """Give how payloads are refused of which one field alone is not at fault."""
    names = [field.name for field in fields(small(kind))]
    bad = [
        {one: first, other: second}
        for one, other in combinations(names, 2)
        for first, second in ((None, "x" * (MAX_TEXT + 1)), ("x" * (MAX_TEXT + 1), None))
    ]
    made = [outcome(replace, small(kind), **changed) for changed in (*TOGETHER.get(kind, ()), *bad)]
    made += [outcome(RECORDS[kind], *args) for args in BY_PLACE.get(kind, ())]
    return [one if isinstance(one, str) else "kept" for one in made]


def stored_of(kind: str, connection: Connection) -> list[str]:
    """Give the text in the database of what is sent."""
    columns = database.events_table.c
    texts = []
    for place, payload in enumerate(sent(kind)):
        one = replace(event(kind, item=f"i{place}", id=f"{place:032x}"), payload=payload)
        insert_event(connection, one, live=False)
        row = connection.execute(
            select(columns.version, columns.aspect, columns.payload).where(columns.id == one.id)
        ).one()
        texts.append(f"{row.version} {row.aspect!r} {row.payload}")
        assert read_events(connection, columns.id == one.id) == [one]
    return texts


def file_of(kind: str) -> dict[str, Any]:
    """Give the columns of a file and its rows."""
    payloads = sent(kind)
    given = [replace(event(kind, id=f"{place:032x}"), payload=one) for place, one in enumerate(payloads)]
    data = write_shard(kind, given)
    assert read_shard(f"data/{kind}/x.parquet", data) == given
    table = pq.read_table(io.BytesIO(data))
    names = [name for name in table.column_names if name not in ABOUT]
    return {
        "columns": table.schema.remove_metadata().to_string().splitlines(),
        "declared": table.schema.metadata[b"huggingface"].decode(),
        "rows": [repr([row[name] for name in names]) for row in table.to_pylist()],
    }


def tampered(payload: Mapping[str, Any], version: int) -> Iterator[tuple[str, str, int]]:
    """Give texts of a payload that somebody wrote, or a program before or after this one, each with its version."""
    yield "as it is", json.dumps(payload), version
    yield "of before", json.dumps(payload), 0
    yield "of later", json.dumps(payload), version + 1
    yield "more", json.dumps({**payload, "colour": "red"}), version
    yield "no object", "[]", version
    yield "nothing", "null", version
    yield "no JSON", "{", version
    for name in payload:
        yield f"without {name}", json.dumps({key: payload[key] for key in payload if key != name}), version
        yield f"{name} is null", json.dumps({**payload, name: None}), version
        yield f"{name} is empty", json.dumps({**payload, name: ""}), version
        yield f"{name} is long", json.dumps({**payload, name: "x" * (MAX_TEXT + 1)}), version
        yield f"{name} is a list", json.dumps({**payload, name: ["a", None]}), version


def read_of(kind: str, connection: Connection) -> dict[str, str]:
    """Give what becomes of tampered rows of the database."""
    this = database.events_table.c.id == ID
    insert_event(connection, replace(event(kind, id=ID), payload=small(kind)), live=False)
    row = connection.execute(select(database.events_table).where(this)).one()

    def tell(text: str, version: int, *, pictures: bool = True) -> str:
        connection.execute(update(database.events_table).where(this).values(payload=text, version=version))
        made = outcome(read_events, connection, this, pictures=pictures)
        return made if isinstance(made, str) else short_repr(values(made[0].payload))

    readings = {name: tell(text, version) for name, text, version in tampered(json.loads(row.payload), row.version)}
    readings["without pictures"] = tell(row.payload, row.version, pictures=False)
    connection.execute(delete(database.pictures_table))
    readings["pictures gone"] = tell(row.payload, row.version)
    return readings


def shards_of(kind: str) -> dict[str, str]:
    """Give what becomes of files that lack a column, or hold a null or a later version in it."""
    given = replace(event(kind, id=ID), payload=small(kind))
    table = pq.read_table(io.BytesIO(write_shard(kind, [given])))
    readings = {}

    def tell(changed: pa.Table) -> str:
        file = io.BytesIO()
        pq.write_table(changed, file)
        made = outcome(read_shard, f"data/{kind}/x.parquet", file.getvalue())
        if isinstance(made, str):
            return made
        (one,) = made
        return "as it was" if one == given else short_repr(values(one.payload))

    version, rows = table.column_names.index("version"), table.num_rows
    for name in [name for name in table.column_names if name not in ABOUT]:
        place, column = table.column_names.index(name), table.schema.field(name)
        readings[f"without {name}"] = tell(table.drop_columns([name]))
        null = table.set_column(place, column, pa.nulls(rows, column.type))
        readings[f"{name} is null"] = tell(null)
        readings[f"{name} is null in a later version"] = tell(
            null.set_column(version, "version", pa.array([9] * rows, pa.int32()))
        )
    for number in (0, 1, 2, 3):
        changed = table.set_column(version, "version", pa.array([number] * rows, pa.int32()))
        readings[f"version {number}"] = tell(changed)
    readings["more"] = tell(table.append_column("colour", table.column("id")))
    return readings


def form_of(kind: str, store: Store) -> dict[str, Any]:
    """Give the whole form of a kind."""
    with store.engine.connect() as connection:
        stored = stored_of(kind, connection)
        connection.rollback()
        read = read_of(kind, connection)
    return {
        "stored": stored,
        "file": file_of(kind),
        "values": values_of(kind),
        "together": together_of(kind),
        "read": read,
        "shards": shards_of(kind),
    }


@pytest.mark.parametrize("kind", RECORDS)
def test_a_kind_is_kept_in_the_form_it_always_had(kind: str, tmp_path: Path, open_here: Callable[..., Store]) -> None:
    form = form_of(kind, open_here(tmp_path / "store.sqlite"))
    for part, stored in nonempty(SAMPLE["kinds"][kind].items()):
        assert form[part] == stored, part


def test_the_card_declares_what_it_always_did() -> None:
    assert card_of(RECORDS, "org/name", None).splitlines() == SAMPLE["card"]


def test_every_kind_has_its_sample() -> None:
    assert list(RECORDS) == list(SAMPLE["kinds"])


def write_down() -> None:
    """Write the sample again, for a new kind or a new version of one."""
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store.sqlite")
        kinds = {kind: form_of(kind, store) for kind in RECORDS}
        store.close()
    sample = {"kinds": kinds, "card": card_of(RECORDS, "org/name", None).splitlines()}
    FILE.write_text(json.dumps(sample, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_down()
