"""Kinds of record: what each contains beyond annotator, time and item; one frozen data class per kind.

The records of answers stand in ``annotate.kinds``, whose ``registry`` lists all.

A class raises :class:`RefusedError` for invalid values; see ``fields`` for the rule about texts.
``aspect`` distinguishes records that one annotator may give several times for one item, such as ratings of
its texts.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, ClassVar, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from annotate.records.fields import Checked, Facts, ManyNames, MaybeName, MaybeWords, Name, Names, Whole, Words

Reason = Literal["undo", "withdrawn"]
Verdict = Literal["yes", "no", "partly", "unknown"]

EVERYTHING = "everything"


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
