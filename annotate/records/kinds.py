"""Kinds of record: what each contains beyond annotator, time and item; one frozen data class per kind.

A class raises :class:`RefusedError` for invalid values; see ``fields`` for the rule about texts.
``aspect`` distinguishes records that one annotator may give several times for one item, such as ratings of
its texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

from pydantic import Field
from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.records.api import Mode
from annotate.records.fields import (
    Checked,
    Edits,
    Facts,
    ManyNames,
    MaybeName,
    MaybeWords,
    Name,
    Names,
    Picture,
    Seconds,
    Whole,
    Words,
)

Reason = Literal["undo", "withdrawn"]
Verdict = Literal["yes", "no", "partly", "unknown"]

EVERYTHING = "everything"

Chosen = Annotated[Names, Field(min_length=1)]
Position = Annotated[int, Field(ge=0, le=999)]


@dataclass(frozen=True)
class Payload(Checked):
    """The base class; ``kind`` names the record, ``version`` is the current version of its fields."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @property
    def aspect(self) -> str:
        """What besides item, kind and language identifies an answer."""
        return ""


@dataclass(frozen=True)
class Vote(Payload):
    """The most ``relevant`` and the most ``fluent`` of the texts ``shown``, in that order; several ids mean a tie."""

    kind: ClassVar[str] = "vote"
    relevant: Chosen
    fluent: Chosen
    shown: Chosen
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` for texts that were not shown or are repeated."""
        for name in ("relevant", "fluent"):
            ids = getattr(self, name)
            if not set(ids) <= set(self.shown) or len(set(ids)) < len(ids):
                raise RefusedError("answer_malformed", field=name)


@dataclass(frozen=True)
class Rating(Payload):
    """A rating of how well ``text`` (its id) describes the change: from 1, unrelated, to 4, perfect."""

    kind: ClassVar[str] = "rating"
    text: Name
    score: Annotated[int, Field(ge=1, le=4)]
    comment: MaybeWords = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has its own rating."""
        return self.text


@dataclass(frozen=True)
class Description(Payload):
    """A correction that an annotator wrote.

    ``words`` is counted as in the writing rules; ``flags`` are those ticked.
    """

    kind: ClassVar[str] = "description"
    text: Words
    words: Whole
    flags: Names = ()
    seconds: Seconds = 0.0


@dataclass(frozen=True)
class Translation(Payload):
    """A translation of the text ``of`` (its id) into the event's language."""

    kind: ClassVar[str] = "translation"
    text: Words
    of: Name
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has its own translation."""
        return self.of


@dataclass(frozen=True)
class FindTarget(Payload):
    """The candidate that an annotator chose, by position from 0; ``mode`` is what they were shown."""

    kind: ClassVar[str] = "target_choice"
    chosen: Position
    answer: Position
    mode: Mode
    correct: bool
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` if ``correct`` contradicts the positions."""
        if self.correct != (self.chosen == self.answer):
            raise RefusedError("answer_malformed", field="correct")

    @property
    def aspect(self) -> str:
        """The mode: each is a question of its own."""
        return self.mode


@dataclass(frozen=True)
class RealPair(Payload):
    """Two photographs that re-enact the simulated ``pair``, and its description rewritten for them.

    ``edits`` are ``(KEEP | DELETE | ADD, word)``; ``checks`` are measurements of the photographs.
    """

    kind: ClassVar[str] = "real_pair"
    current: Picture
    target: Picture
    pair: Name
    text: Words
    edits: Edits = ()
    checks: Facts = field(default_factory=dict)
    seconds: Seconds = 0.0


@dataclass(frozen=True)
class Flag(Payload):
    """A flag that something is wrong with an item; ``of`` is the id of the answer or skip given with it."""

    kind: ClassVar[str] = "flag"
    reason: Name
    comment: MaybeWords = ""
    of: MaybeName = ""

    @property
    def aspect(self) -> str:
        """The reason and the answer: each answer may have several flags."""
        return f"{self.reason} {self.of}"


@dataclass(frozen=True)
class Qualification(Payload):
    """The answers to a test, in its order; a new attempt supersedes the previous one."""

    kind: ClassVar[str] = "qualification"
    answers: Names
    passed: bool


@dataclass(frozen=True)
class Consent(Payload):
    """Agreement to a wording, in the event's language; the hash identifies the exact text."""

    kind: ClassVar[str] = "consent"
    wording: Name
    wording_hash: Name

    @property
    def aspect(self) -> str:
        """The wording: each needs its own consent."""
        return self.wording


@dataclass(frozen=True)
class Withdrawal(Payload):
    """The withdrawal of one event, whose id is ``of``, or of ``everything`` that an annotator gave until then.

    ``undo`` keeps the withdrawn event out of the tables; ``withdrawn`` also deletes it, as ``everything``
    always does. ``erases`` are the ids of the deleted events, as far as the store knew them; for others see
    ``deletions``.
    """

    kind: ClassVar[str] = "withdrawal"
    version: ClassVar[int] = 2  # version 1 had no ``erases``; a program that drops them would restore deleted records
    of: Name
    reason: Reason
    erases: Annotated[ManyNames, Field(max_length=1_000_000)] = ()

    @property
    def deletes(self) -> bool:
        """Whether the content is deleted too."""
        return self.reason == "withdrawn" or self.of == EVERYTHING


@dataclass(frozen=True)
class Skip(Payload):
    """A skipped item; ``task`` is the kind of answer that was asked for."""

    kind: ClassVar[str] = "skip"
    reason: Name
    task: MaybeName = ""

    @property
    def aspect(self) -> str:
        """The task: an annotator may skip one question about an item and answer another."""
        return self.task


@dataclass(frozen=True)
class Completion(Payload):
    """A finished batch of paid answers; ``code`` is what the annotator hands to the payment service.

    ``participant`` is a pseudonym of their identity there, and ``number`` counts their batches from 1.
    ``answers`` counts the answers of this batch, all batches before it and those given unpaid before them.
    """

    kind: ClassVar[str] = "completion"
    participant: Name
    code: Name
    number: Annotated[int, Field(ge=1, le=1_000_000)]
    answers: Whole

    @property
    def aspect(self) -> str:
        """The number: each batch has one code."""
        return str(self.number)


@dataclass(frozen=True)
class StepFeedback(Payload):
    """Whether an annotator found a step of a correction of their own photographs ``right``; the item is its seal.

    ``step`` is the position of its words in the correction, such as "0 7". The ``model`` stated it with
    ``confidence`` and the joints' ``verdict``. ``measured`` holds its ``clauses`` and ``joints_m``, the joints
    of both poses in metres or null.
    """

    kind: ClassVar[str] = "step_feedback"
    right: bool
    text: Words
    step: Name
    model: Name
    confidence: Annotated[float, Field(ge=0, le=1)]
    verdict: Verdict
    measured: Facts = field(default_factory=dict)

    @property
    def aspect(self) -> str:
        """The step: each is judged on its own."""
        return self.step


KINDS: dict[str, type[Payload]] = {
    payload.kind: payload
    for payload in (
        Vote,
        Rating,
        Description,
        Translation,
        FindTarget,
        RealPair,
        Flag,
        Qualification,
        Consent,
        Withdrawal,
        Skip,
        Completion,
        StepFeedback,
    )
}


@cache
def columns_of(kind: str) -> Mapping[str, Any]:
    """Return the fields of a kind in order, each with the plain type of its values, such as ``tuple[str, ...]``."""
    types = get_type_hints(KINDS[kind])
    return {entry.name: types[entry.name] for entry in fields(KINDS[kind])}


def known_kind(kind: str, version: int) -> type[Payload]:
    """Return the class of a kind and version.

    Raise :class:`RefusedError`: ``unknown_kind``, or ``event_version`` for a version later than this
    program's.
    """
    payload_class = KINDS.get(kind)
    if payload_class is None:
        raise RefusedError("unknown_kind", kind=kind, known=", ".join(KINDS))
    if version > payload_class.version:
        raise RefusedError("event_version", kind=kind, found=version, known=payload_class.version)
    return payload_class


def read_payload(kind: str, version: int, values: Mapping[str, Any]) -> Payload:
    """Return a payload made from the values in a store or file, whatever version of the program wrote them.

    Raise :class:`RefusedError` as :func:`known_kind`, ``event_malformed``, or an error of the kind itself.
    """
    payload_class = known_kind(kind, version)
    needed = {
        entry.name for entry in fields(payload_class) if entry.default is MISSING and entry.default_factory is MISSING
    }
    if not needed <= values.keys() <= columns_of(kind).keys():
        raise RefusedError("event_malformed", field=kind)
    return payload_class(**values)
