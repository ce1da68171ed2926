"""Events of every kind to try things with."""

from __future__ import annotations

import io
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from annotate.kinds.compare import Comparison
from annotate.kinds.find_target import FindTarget
from annotate.kinds.fool import Fooling, FoolingAttempt
from annotate.kinds.judge import DialogueJudged
from annotate.kinds.questions import OwnAnswer, Questions
from annotate.kinds.real_pair import RealPair
from annotate.kinds.registry import RECORDS
from annotate.kinds.repair import Repair
from annotate.kinds.translate import Translation
from annotate.kinds.verify import Rating
from annotate.kinds.vote import Vote
from annotate.kinds.write import Description
from annotate.records import (
    Completion,
    Consent,
    Decision,
    Demographics,
    Event,
    Flag,
    ParticipantId,
    Payload,
    Qualification,
    Skip,
    StepFeedback,
    Withdrawal,
    new_event,
)

HOSTILE_TEXTS = {
    "markup": "<script>alert('x')</script><img src=x onerror=alert(1)> & ' \"",
    "formula": '=HYPERLINK("http://127.0.0.1","win")',
    "minus": "-2+3+cmd|' /C calc'!A0",
    "at": "@SUM(1+1)*cmd",
    "direction": "\u202eleft to right\u202c \u200f\u2066arm\u2069",
    "quotes": "Robert'); DROP TABLE events;--",
    "hindi": "अपना बायाँ हाथ कंधे तक उठाएँ",
    "emoji": "👩‍🦽 🤷🏽",
    "lines": 'one,"two";\tthree\nfour',
}


def jpeg(shade: int = 120) -> bytes:
    """Return a small picture in one colour."""
    file = io.BytesIO()
    Image.new("RGB", (24, 32), (shade, 90, 60)).save(file, "JPEG")
    return file.getvalue()


FOOLED: dict[str, object] = {
    "text": "Hoist your left paw.",
    "guide": "unknown_words",
    "words": 4,
    "ranking": (1, 0, 2),
    "probabilities": (0.25, 0.5, 0.25),
    "rank": 2,
    "margin": -0.25,
    "language_rank": 1,
    "milliseconds": 41.5,
    "model": "retriever-space",
    "revision": "c0ffee",
    "attempts": 3,
    "seconds": 90.5,
}
PAYLOADS: dict[str, Payload] = {
    payload.kind: payload
    for payload in (
        Vote(relevant=("b",), fluent=("a", "b"), shown=("b", "a", "c"), seconds=4.5),
        Rating(text="t1", score=3, comment="=1+1", seconds=2.0),
        Description(text="Move your left arm up.", words=5, flags=("no_clear_difference",), seconds=61.5),
        Translation(text="अपना बायाँ हाथ उठाएँ", of="t1", seconds=30.0),
        FindTarget(chosen=3, answer=3, mode="everything", correct=True, seconds=3.25),
        RealPair(
            current=jpeg(1),
            target=jpeg(2),
            pair="13_19_4_13_1",
            text="Raise it",
            edits=(("KEEP", "Raise"), ("DELETE", "them"), ("ADD", "it")),
            checks={"distance": 0.25, "people": [1, 1], "note": "🙂"},
        ),
        Questions(
            answers=(OwnAnswer("clear", "scale", "4", 4.0), OwnAnswer("note", "text", "the knee", None)),
            text="model-ash",
            seconds=12.5,
        ),
        Repair(
            of="t2",
            draft="Raise your left arm.",
            text="Raise your right arm.",
            edits=(("KEEP", "Raise"), ("KEEP", "your"), ("DELETE", "left"), ("ADD", "right"), ("KEEP", "arm.")),
            editing_steps=2,
            model="captioner",
            seconds=20.5,
        ),
        Comparison(of="f" * 32, better=("f" * 32,), shown=("t2", "f" * 32), seconds=6.0),
        DialogueJudged(
            text="round-3",
            verdict="wrong",
            dialogue_id="13_19_4_13_1/en/0",
            round=3,
            question="Which way does it go?",
            answer="up",
            program="seek(direction, focus())",
            question_kind="seek",
            dependence="coref",
            distance=1,
            comment="=down",
            seconds=7.5,
        ),
        *(of(**FOOLED, task=task) for of, task in ((Fooling, ""), (FoolingAttempt, "f" * 32))),
        Flag(reason="through_object", comment="the leg"),
        Qualification(answers=("a", "c"), passed=True),
        Consent(wording="2026-1", wording_hash="ab" * 32),
        Withdrawal(of="0" * 32, reason="undo"),
        Skip(reason="unclear", task="vote"),
        Completion(participant="ef" * 16, code="A1B2-C3D4-E5F6", number=2, answers=20),
        ParticipantId(encrypted="ab" * 60),
        Demographics(question="age", answer="34"),
        StepFeedback(
            right=False,
            text="Raise your left arm.",
            step="0 4",
            model="captioner",
            confidence=0.75,
            verdict="partly",
            measured={"clauses": [{"part": "left_arm", "direction": "up"}], "joints_m": None},
        ),
        Decision(choice="reject", person="ab" * 16, reason="always the same answer", pays=True),
    )
}
assert PAYLOADS.keys() == RECORDS.keys()


def event(kind: str = "rating", annotator: str = "ann", item: str = "i1", **changed: object) -> Event:
    """Return an event of a kind; other keywords are fields of the event, or else of its payload."""
    about = {
        name: changed.pop(name) for name in ("id", "time", "supersedes", "language", "campaign") if name in changed
    }
    payload = replace(PAYLOADS[kind], **changed)
    return new_event(payload, annotator=annotator, item=item, **{"campaign": "c", "language": "en", **about})


def undo_of(event_id: str, annotator: str = "ann") -> Event:
    """Return an event that withdraws one answer."""
    return new_event(Withdrawal(of=event_id, reason="undo"), annotator=annotator)


def of_before(data: bytes) -> bytes:
    """Return a published file in the format before deletions had marks and names."""
    table = pq.read_table(io.BytesIO(data))
    table = table.drop_columns([name for name in ("after", "erases") if name in table.column_names])
    place = table.column_names.index("version")
    table = table.set_column(place, table.schema.field("version"), pa.array([1] * table.num_rows, pa.int32()))
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()
