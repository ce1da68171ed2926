"""Kinds of record: what each says beyond who, when and about what; one frozen data class per kind.

A class refuses values that cannot be, when it is made; see ``fields`` for the rule about texts. ``aspect`` tells apart
what one person may give several times for one item, such as ratings of its several texts.
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
    """The base of all: ``kind`` names the record, ``version`` its fields as they are now."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @property
    def aspect(self) -> str:
        """The aspect: what else beside item, kind and language makes an answer the same one."""
        return ""


@dataclass(frozen=True)
class Vote(Payload):
    """The most ``relevant`` and the most ``fluent`` of the texts ``shown``, in that order; several ids are tied."""

    kind: ClassVar[str] = "vote"
    relevant: Chosen
    fluent: Chosen
    shown: Chosen
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Refuse texts that were not shown."""
        for name in ("relevant", "fluent"):
            ids = getattr(self, name)
            if not set(ids) <= set(self.shown) or len(set(ids)) < len(ids):
                raise RefusedError("answer_malformed", field=name)


@dataclass(frozen=True)
class Rating(Payload):
    """A rating of how well ``text`` (its id) tells what has to change: 1 unrelated to 4 perfect."""

    kind: ClassVar[str] = "rating"
    text: Name
    score: Annotated[int, Field(ge=1, le=4)]
    comment: MaybeWords = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """Every text has its own rating."""
        return self.text


@dataclass(frozen=True)
class Description(Payload):
    """A correction that a person wrote; ``words`` counted as the writing rules do, ``flags`` as they were ticked."""

    kind: ClassVar[str] = "description"
    text: Words
    words: Whole
    flags: Names = ()
    seconds: Seconds = 0.0


@dataclass(frozen=True)
class Translation(Payload):
    """The text ``of`` (its id) in the event's language."""

    kind: ClassVar[str] = "translation"
    text: Words
    of: Name
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """Every text has its own translation."""
        return self.of


@dataclass(frozen=True)
class FindTarget(Payload):
    """Which of the candidates a person took, by position from 0; ``mode`` is what they were shown."""

    kind: ClassVar[str] = "target_choice"
    chosen: Position
    answer: Position
    mode: Mode
    correct: bool
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Refuse a verdict that the positions contradict."""
        if self.correct != (self.chosen == self.answer):
            raise RefusedError("answer_malformed", field="correct")

    @property
    def aspect(self) -> str:
        """With other clues it is another question."""
        return self.mode


@dataclass(frozen=True)
class RealPair(Payload):
    """Two photographs that re-enact the simulated ``pair``, and its description rewritten for them.

    ``edits`` are ``(KEEP | DELETE | ADD, word)``; ``checks`` is what was measured of the photographs.
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
    """A flag that something is wrong with an item; ``of`` is the id of the answer or skip it was given along with."""

    kind: ClassVar[str] = "flag"
    reason: Name
    comment: MaybeWords = ""
    of: MaybeName = ""

    @property
    def aspect(self) -> str:
        """Several things may be wrong, and be said along with each of a person's answers."""
        return f"{self.reason} {self.of}"


@dataclass(frozen=True)
class Qualification(Payload):
    """The answers of a test, in its order; a new attempt supersedes the one before."""

    kind: ClassVar[str] = "qualification"
    answers: Names
    passed: bool


@dataclass(frozen=True)
class Consent(Payload):
    """Agreement to a wording, in the event's language; its hash tells what exactly was read."""

    kind: ClassVar[str] = "consent"
    wording: Name
    wording_hash: Name

    @property
    def aspect(self) -> str:
        """Every wording is agreed to anew."""
        return self.wording


@dataclass(frozen=True)
class Withdrawal(Payload):
    """One event taken back, ``of`` being its id, or ``everything`` that a person gave until then.

    ``undo`` keeps what was taken back out of the tables; ``withdrawn`` also deletes it, as ``everything`` always does.
    ``erases`` are the ids of what was deleted, as the store knew them; what it could not know of, see ``deletions``.
    """

    kind: ClassVar[str] = "withdrawal"
    version: ClassVar[int] = 2  # the first had no ``erases``: a program that drops them would bring back what is gone
    of: Name
    reason: Reason
    erases: Annotated[ManyNames, Field(max_length=1_000_000)] = ()

    @property
    def deletes(self) -> bool:
        """Whether the content goes too."""
        return self.reason == "withdrawn" or self.of == EVERYTHING


@dataclass(frozen=True)
class Skip(Payload):
    """An item was passed over; ``task`` is the kind of answer that was asked for."""

    kind: ClassVar[str] = "skip"
    reason: Name
    task: MaybeName = ""

    @property
    def aspect(self) -> str:
        """Who passes over one question may answer another."""
        return self.task


@dataclass(frozen=True)
class Completion(Payload):
    """A batch of paid answers was finished: ``code`` is what its giver hands to the service that pays.

    ``participant`` is a pseudonym of who they are there, ``number`` counts their batches from 1, and ``answers`` are
    those that it takes, with all batches before it and what was given unpaid before these.
    """

    kind: ClassVar[str] = "completion"
    participant: Name
    code: Name
    number: Annotated[int, Field(ge=1, le=1_000_000)]
    answers: Whole

    @property
    def aspect(self) -> str:
        """Each batch has one code."""
        return str(self.number)


@dataclass(frozen=True)
class StepFeedback(Payload):
    """Whether a person found one step of a correction of their own photographs ``right``; the item is the answer.

    ``step`` is the place of its words in the answer, such as "0 7"; the ``model`` said it with this ``confidence``, and
    the joints' ``verdict``. ``measured`` holds its ``clauses`` and ``joints_m``, those of both poses in metres or null.
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
        """Every step of an answer is judged by itself."""
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
    """The fields of a kind in order, each with the plain type of its values, such as ``tuple[str, ...]``."""
    types = get_type_hints(KINDS[kind])
    return {entry.name: types[entry.name] for entry in fields(KINDS[kind])}


def known_kind(kind: str, version: int) -> type[Payload]:
    """The class of what was written in a version; raise ``unknown_kind``, or ``event_version`` for a later one."""
    payload_class = KINDS.get(kind)
    if payload_class is None:
        raise RefusedError("unknown_kind", kind=kind, known=", ".join(KINDS))
    if version > payload_class.version:
        raise RefusedError("event_version", kind=kind, found=version, known=payload_class.version)
    return payload_class


def read_payload(kind: str, version: int, values: Mapping[str, Any]) -> Payload:
    """Make a payload of the values that a store or a file has of it, whatever program wrote them.

    Raise :class:`RefusedError` as :func:`known_kind`, ``event_malformed``, or what the kind refuses.
    """
    payload_class = known_kind(kind, version)
    needed = {
        entry.name for entry in fields(payload_class) if entry.default is MISSING and entry.default_factory is MISSING
    }
    if not needed <= values.keys() <= columns_of(kind).keys():
        raise RefusedError("event_malformed", field=kind)
    return payload_class(**values)
