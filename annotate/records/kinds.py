"""Kinds of record: what each says beyond who, when and about what; one frozen data class per kind.

A class refuses values that cannot be, when it is made; see ``fields`` for the rule about texts. ``aspect`` tells apart
what one person may give several times for one item, such as ratings of its several texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar

from annotate.errors import RefusedError
from annotate.records.fields import (
    Choice,
    Column,
    Edits,
    Facts,
    Name,
    Names,
    Picture,
    Seconds,
    Truth,
    Whole,
    Words,
    typed,
)

EVERYTHING = "everything"
MODES = ("everything", "language", "picture")
REASONS = ("undo", "withdrawn")

_MOST_ERASED = 1_000_000


@dataclass(frozen=True)
class Payload:
    """The base of all: ``kind`` names the record, ``version`` its fields as they are now."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Clean or refuse every field."""
        for name, column in columns_of(type(self)).items():
            object.__setattr__(self, name, column.clean(getattr(self, name), name))

    @property
    def aspect(self) -> str:
        """What else beside item, kind and language makes an answer the same one."""
        return ""

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON has them; bytes in base64."""
        return {name: column.write(getattr(self, name)) for name, column in columns_of(type(self)).items()}


@dataclass(frozen=True)
class Vote(Payload):
    """The most ``relevant`` and the most ``fluent`` of the texts ``shown``, in that order; several ids are tied."""

    kind: ClassVar[str] = "vote"
    relevant: tuple[str, ...] = typed(Names(least=1))
    fluent: tuple[str, ...] = typed(Names(least=1))
    shown: tuple[str, ...] = typed(Names(least=1))
    seconds: float = typed(Seconds(), default=0.0)

    def __post_init__(self) -> None:
        """Refuse texts that were not shown."""
        super().__post_init__()
        for name in ("relevant", "fluent"):
            chosen = getattr(self, name)
            if not set(chosen) <= set(self.shown) or len(set(chosen)) < len(chosen):
                raise RefusedError("answer_malformed", field=name)


@dataclass(frozen=True)
class Rating(Payload):
    """How well ``text`` (its id) tells what has to change: 1 unrelated to 4 perfect."""

    kind: ClassVar[str] = "rating"
    text: str = typed(Name())
    score: int = typed(Whole(1, 4))
    comment: str = typed(Words(), default="")
    seconds: float = typed(Seconds(), default=0.0)

    @property
    def aspect(self) -> str:
        """Every text has its own rating."""
        return self.text


@dataclass(frozen=True)
class Description(Payload):
    """A correction that a person wrote; ``words`` counted as the writing rules do, ``flags`` as they were ticked."""

    kind: ClassVar[str] = "description"
    text: str = typed(Words(empty=False))
    words: int = typed(Whole())
    flags: tuple[str, ...] = typed(Names(), default=())
    seconds: float = typed(Seconds(), default=0.0)


@dataclass(frozen=True)
class Translation(Payload):
    """The text ``of`` (its id) in the event's language."""

    kind: ClassVar[str] = "translation"
    text: str = typed(Words(empty=False))
    of: str = typed(Name())
    seconds: float = typed(Seconds(), default=0.0)

    @property
    def aspect(self) -> str:
        """Every text has its own translation."""
        return self.of


@dataclass(frozen=True)
class TargetChoice(Payload):
    """Which of the candidates a person took, by position from 0; ``mode`` is what they were shown."""

    kind: ClassVar[str] = "target_choice"
    chosen: int = typed(Whole(most=999))
    answer: int = typed(Whole(most=999))
    mode: str = typed(Choice(MODES))
    correct: bool = typed(Truth())
    seconds: float = typed(Seconds(), default=0.0)

    def __post_init__(self) -> None:
        """Refuse a verdict that the positions contradict."""
        super().__post_init__()
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
    current: bytes = typed(Picture())
    target: bytes = typed(Picture())
    pair: str = typed(Name())
    text: str = typed(Words(empty=False))
    edits: tuple[tuple[str, str], ...] = typed(Edits(), default=())
    checks: Mapping[str, Any] = typed(Facts(), default_factory=dict)
    seconds: float = typed(Seconds(), default=0.0)


@dataclass(frozen=True)
class Flag(Payload):
    """Something is wrong with an item; ``of`` is the id of the answer or skip that it was given along with."""

    kind: ClassVar[str] = "flag"
    reason: str = typed(Name())
    comment: str = typed(Words(), default="")
    of: str = typed(Name(empty=True), default="")

    @property
    def aspect(self) -> str:
        """Several things may be wrong, and be said along with each of a person's answers."""
        return f"{self.reason} {self.of}"


@dataclass(frozen=True)
class Qualification(Payload):
    """The answers of a test, in its order; a new attempt supersedes the one before."""

    kind: ClassVar[str] = "qualification"
    answers: tuple[str, ...] = typed(Names())
    passed: bool = typed(Truth())


@dataclass(frozen=True)
class Consent(Payload):
    """Agreement to a wording, in the event's language; its hash tells what exactly was read."""

    kind: ClassVar[str] = "consent"
    wording: str = typed(Name())
    wording_hash: str = typed(Name())

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
    of: str = typed(Name())
    reason: str = typed(Choice(REASONS))
    erases: tuple[str, ...] = typed(Names(most=_MOST_ERASED), default=())

    @property
    def deletes(self) -> bool:
        """Whether the content goes too."""
        return self.reason == "withdrawn" or self.of == EVERYTHING


@dataclass(frozen=True)
class Skip(Payload):
    """An item was passed over; ``task`` is the kind of answer that was asked for."""

    kind: ClassVar[str] = "skip"
    reason: str = typed(Name())
    task: str = typed(Name(empty=True), default="")

    @property
    def aspect(self) -> str:
        """Who passes over one question may answer another."""
        return self.task


KINDS: dict[str, type[Payload]] = {
    payload.kind: payload
    for payload in (
        Vote,
        Rating,
        Description,
        Translation,
        TargetChoice,
        RealPair,
        Flag,
        Qualification,
        Consent,
        Withdrawal,
        Skip,
    )
}


def columns_of(payload: type[Payload]) -> dict[str, Column]:
    """The fields of a kind with their types, in order."""
    return {field.name: field.metadata["column"] for field in fields(payload)}


def payload_from_json(kind: str, version: int, said: object) -> Payload:
    """Read back what ``to_json`` gave.

    Raise :class:`RefusedError`: ``unknown_kind``, ``event_version``, ``event_malformed``, or what the kind refuses.
    """
    made = KINDS.get(kind)
    if made is None:
        raise RefusedError("unknown_kind", kind=kind, known=", ".join(KINDS))
    if version > made.version:
        raise RefusedError("event_version", kind=kind, found=version, known=made.version)
    columns = columns_of(made)
    needed = {one.name for one in fields(made) if one.default is MISSING and one.default_factory is MISSING}
    if not isinstance(said, Mapping) or not needed <= said.keys() <= columns.keys():
        raise RefusedError("event_malformed", field=kind)
    return made(**{name: columns[name].read(value, name) for name, value in said.items()})
