"""Records, without input or output: events, what each kind holds, its field types, and deletions.

Events never change. An edit is a new event whose ``supersedes`` names the one that it replaces; an undo is
a ``withdrawal`` of one. Every table is computed from events, most of them from the :func:`live` ones.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, LiteralString, Protocol, Self, TypeVar
from uuid import uuid4

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.dataclasses import dataclass as checked_dataclass
from pydantic_core import PydanticCustomError

from annotate.errors import SENTENCES, RefusedError
from fmp_models.common import Edit, Operation

# Field types of records: pydantic cleans or rejects each value by them.
#
# Texts follow one rule: control characters other than line breaks and tabs (including NUL) are removed, lone
# surrogates become U+FFFD, and a text that is then too long is rejected. Everything else, such as markup,
# formulas and direction marks, is kept as written; code that shows or exports a text must escape it.

MAX_TEXT_CHARS = 10_000  # characters
MAX_NAME_CHARS = 200
MAX_NAMES = 200
MAX_SECONDS = 7 * 24 * 3600.0
MAX_PICTURE_MB = 8

_JPEG = b"\xff\xd8\xff"
_MEGABYTE = 1_000_000


@checked_dataclass(frozen=True)
class Checked:
    """The base of a data class with these field types; it raises :class:`RefusedError` for the first invalid field."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _refuse(cls, value: object, make: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return make(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            if first["type"] in SENTENCES:
                raise RefusedError(first["type"], **first.get("ctx", {})) from None
            place = first["loc"][0]  # a number for a positional argument
            name = fields(cls)[place].name if isinstance(place, int) else place
            raise RefusedError("answer_malformed", field=name) from None


def _refusal(code: LiteralString, **details: int) -> PydanticCustomError:
    """Return the error that a validator raises for a value that is not just malformed."""
    return PydanticCustomError(code, code, details)


def cleaned_text(text: str) -> str:
    """Return a text cleaned by the rule above, with line feeds as line breaks."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(letter for letter in text if letter in "\n\t" or unicodedata.category(letter) != "Cc")
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _has_surrogates(text) else text


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _cleaned(value: object) -> object:
    return cleaned_text(value) if isinstance(value, str) else value


def _of_length(text: str) -> str:
    if len(text) > MAX_TEXT_CHARS:
        raise _refusal("text_too_long", limit=MAX_TEXT_CHARS)
    return text


def _with_words(text: str) -> str:
    if not text.strip():
        raise _refusal("text_missing")
    return text


def listed(value: object) -> object:
    """Return a list as a tuple: JSON and Parquet read lists, records hold tuples."""
    return tuple(value) if isinstance(value, list) else value


def _prepared(picture: bytes) -> bytes:
    if not picture.startswith(_JPEG):
        raise _refusal("picture_not_jpeg")
    if len(picture) > MAX_PICTURE_MB * _MEGABYTE:
        raise _refusal("picture_too_large", limit_mb=MAX_PICTURE_MB)
    return picture


def _not_long_together(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    if sum(len(word) for _, word in edits) > 2 * MAX_TEXT_CHARS:  # old and new text
        raise _refusal("text_too_long", limit=MAX_TEXT_CHARS)
    return edits


def _as_json_says(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts as JSON reads them back.

    Raise ``ValueError`` for values that JSON cannot represent, or facts longer than a text may be.
    """
    try:
        text = json.dumps(facts, ensure_ascii=False, allow_nan=False, sort_keys=True)
    except (TypeError, RecursionError) as error:
        raise ValueError from error
    if len(text) > MAX_TEXT_CHARS or _has_surrogates(text) or "\\u0000" in text:
        raise ValueError
    values: dict[str, Any] = json.loads(text)
    return values


# An id or a short code, without control characters.
MaybeName = Annotated[str, StringConstraints(max_length=MAX_NAME_CHARS, pattern=r"^\P{Cc}*$")]
Name = Annotated[MaybeName, StringConstraints(min_length=1)]
ManyNames = Annotated[tuple[Name, ...], BeforeValidator(listed)]
Names = Annotated[ManyNames, Field(max_length=MAX_NAMES)]
MaybeWords = Annotated[str, BeforeValidator(_cleaned), AfterValidator(_of_length)]
Words = Annotated[MaybeWords, AfterValidator(_with_words)]
Whole = Annotated[int, Field(ge=0, le=1_000_000)]
# Duration of an answer, capped at a week.
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), AfterValidator(lambda seconds: min(seconds, MAX_SECONDS))]
# A JPEG, already without metadata and with its faces blurred.
Picture = Annotated[bytes, AfterValidator(_prepared)]
Edits = Annotated[
    tuple[Annotated[tuple[Operation, MaybeWords], BeforeValidator(listed)], ...],
    BeforeValidator(listed),
    Field(max_length=MAX_TEXT_CHARS),
    AfterValidator(_not_long_together),
]
# Measurements of a program, by name.
Facts = Annotated[dict[str, Any], AfterValidator(_as_json_says)]

_NAMES = {False: TypeAdapter[str](Name), True: TypeAdapter[str](MaybeName)}


def checked_name(name: object, field: str, *, empty: bool = False) -> str:
    """Return a valid ``Name``, or with ``empty`` a ``MaybeName``; raise :class:`RefusedError` for others."""
    try:
        return _NAMES[empty].validate_python(name, strict=True)
    except ValidationError:
        raise RefusedError("answer_malformed", field=field) from None


# Kinds of record: what each contains beyond annotator, time and item; one frozen data class per kind.
#
# The records of answers stand in ``annotate.kinds``, whose ``registry`` lists all.
#
# A class raises :class:`RefusedError` for invalid values; see the field types for the rule about texts.
# ``aspect`` distinguishes records that one annotator may give several times for one item, such as ratings of
# its texts.

Reason = Literal["undo", "withdrawn"]
Verdict = Literal["yes", "no", "partly", "unknown"]
OwnerChoice = Literal["keep", "drop", "reject", "stop"]

EVERYTHING = "everything"


@checked_dataclass(frozen=True)
class Payload(Checked):
    """The base class; ``kind`` names the record, ``version`` is the current version of its fields."""

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @property
    def aspect(self) -> str:
        """What besides item, kind and language identifies an answer."""
        return ""


FLAGS = ("no_clear_difference", "through_object")  # what an annotator may tick about a pair when writing or verifying
PROBLEM = "problem"  # what an annotator may say in words about the item of any task, which they then skip
HOLDS = (*FLAGS, PROBLEM)  # nothing more is asked about an item with such a flag until the owner decides
# Flags set by the server: the question was dropped or changed after it was shown; a target to find was shown in
# another task after its candidates were shown; a voter had been told which model wrote which text.
NO_LONGER_ASKED, TARGET_SEEN, MODELS_SEEN = "no_longer_asked", "target_seen", "models_seen"


@checked_dataclass(frozen=True)
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


@checked_dataclass(frozen=True)
class Qualification(Payload):
    """The answers to a test, in its order; a new attempt supersedes the previous one."""

    kind: ClassVar[str] = "qualification"
    answers: Names
    passed: bool


@checked_dataclass(frozen=True)
class Consent(Payload):
    """Agreement to a wording, in the event's language; the hash identifies the exact text."""

    kind: ClassVar[str] = "consent"
    wording: Name
    wording_hash: Name

    @property
    def aspect(self) -> str:
        """The wording: each needs its own consent."""
        return self.wording


@checked_dataclass(frozen=True)
class Withdrawal(Payload):
    """The withdrawal of one event, whose id is ``of``, or of ``everything`` that an annotator gave until then.

    ``undo`` keeps the withdrawn event out of the tables; ``withdrawn`` also deletes it, as ``everything``
    always does. ``erases`` are the ids of the deleted events, as far as the store knew them; for others see
    :class:`Deletion`.
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


SKIP_REASONS = ("unclear", "picture_missing", "language", PROBLEM, "other")


def task_of(record: str, aspect: str) -> str:
    """Return the ``task`` of a question: the kind of record that the answer becomes, and its aspect."""
    return "/".join(word for word in (record, aspect) if word)


@checked_dataclass(frozen=True)
class Skip(Payload):
    """A skipped item; ``task`` is the kind of answer that was asked for."""

    kind: ClassVar[str] = "skip"
    reason: Name
    task: MaybeName = ""

    @property
    def aspect(self) -> str:
        """The task: an annotator may skip one question about an item and answer another."""
        return self.task


@checked_dataclass(frozen=True)
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


OWNER = "owner"  # the annotator of decisions, which belong to the campaign; pseudonyms are longer


@checked_dataclass(frozen=True)
class Decision(Payload):
    """A decision of the owner: to ``keep`` or ``drop`` a pair, ``reject`` a person's answers, or ``stop`` the campaign.

    ``person`` is a pseudonym. Rejected answers do not count, and are paid only if the decision ``pays``.
    """

    kind: ClassVar[str] = "decision"
    choice: OwnerChoice
    person: MaybeName = ""
    reason: MaybeWords = ""
    pays: bool = False

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` unless exactly a rejection names a person."""
        if (self.choice == "reject") != bool(self.person):
            raise RefusedError("answer_malformed", field="person")

    @property
    def aspect(self) -> str:
        """The person: each is rejected on their own."""
        return self.person


@checked_dataclass(frozen=True)
class ParticipantId(Payload):
    """A person's row of the participants, encrypted by the pseudonym key; only a private dataset has it."""

    kind: ClassVar[str] = "participant_id"
    encrypted: Words


@checked_dataclass(frozen=True)
class Demographics(Payload):
    """A person's answer to a question of a study about themselves: an id, a number, a text, or empty if left out."""

    kind: ClassVar[str] = "demographics"
    question: Name
    answer: MaybeWords = ""

    @property
    def aspect(self) -> str:
        """The question: each has its own answer."""
        return self.question


@checked_dataclass(frozen=True)
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


# Deletions: each erases the records it names, and its annotator's records that were given without knowing of it.
#
# Clocks of two writers differ, so times are not compared. A deletion of everything has a mark, the writer's
# name and a number, and every record lists in ``after`` the marks of its annotator that were known when it
# was given. So a record that arrives from elsewhere after the deletion, which could not name it, is erased
# unless its ``after`` has the mark: then the annotator had come back. Every writer that has both makes the
# same decision. Deletions from before marks existed are compared by time.

Marks = tuple[str, ...]  # "writer:number", the highest known number of each writer, sorted

_MARK = re.compile(r"[0-9a-f]{8,32}:[1-9][0-9]{0,8}")
_MAX_MARKS = 10_000  # one for each app start in which a person deleted everything


class Erasable(Protocol):
    """The attributes of a record that determine whether a deletion erases it."""

    @property
    def id(self) -> str: ...  # noqa: D102  as in Event, and so below
    @property
    def time(self) -> datetime: ...  # noqa: D102
    @property
    def annotator(self) -> str: ...  # noqa: D102
    @property
    def after(self) -> Marks: ...  # noqa: D102


@dataclass(frozen=True)
class Deletion:
    """A deletion of ``annotator``'s records: those ``named``, and with ``marks`` all given without knowing them.

    ``until`` is set for a deletion from before marks existed: later records were given after it.
    """

    annotator: str
    named: frozenset[str]
    marks: Marks | None = None
    until: datetime | None = None

    def erases(self, record: Erasable) -> bool:
        """Return whether this deletion erases the record."""
        if record.annotator != self.annotator:
            return False
        if record.id in self.named:
            return True
        if self.marks is None or covers(record.after, self.marks):
            return False
        return self.until is None or record.time <= self.until


def together(deletions: Iterable[Deletion]) -> list[Deletion]:
    """Return fewer deletions of one annotator that erase the same records.

    Deletions with marks are merged: a record that lacks one of the merged marks lacks a mark of some deletion.
    """
    all_deletions = list(deletions)
    marked = [deletion for deletion in all_deletions if deletion.marks is not None and deletion.until is None]
    if len(marked) < 2:  # noqa: PLR2004  a merge needs two
        return all_deletions
    ids = frozenset[str]().union(*(deletion.named for deletion in marked))
    known = merged(*(deletion.marks or () for deletion in marked))
    return [
        Deletion(marked[0].annotator, ids, known),
        *(deletion for deletion in all_deletions if deletion not in marked),
    ]


def checked_marks(marks: object) -> Marks:
    """Return the marks in the stored form; raise :class:`RefusedError` for malformed ones."""
    usable = isinstance(marks, list | tuple) and len(marks) <= _MAX_MARKS
    if not usable or not all(isinstance(mark, str) and _MARK.fullmatch(mark) for mark in marks):  # type: ignore[attr-defined]
        raise RefusedError("answer_malformed", field="after")
    return merged(tuple(marks))  # type: ignore[arg-type]


def merged(*known: Marks) -> Marks:
    """Return all marks of the arguments, the highest number of each writer."""
    return _written(_highest(mark for marks in known for mark in marks))


def covers(known: Marks, marks: Marks) -> bool:
    """Return whether ``known`` includes all of ``marks``."""
    numbers = _highest(known)
    return all(numbers.get(writer, 0) >= number for writer, number in map(_read, marks))


def with_next(known: Marks, writer: str) -> Marks:
    """Return the marks of a deletion that ``writer`` makes now."""
    numbers = _highest(known)
    numbers[writer] = numbers.get(writer, 0) + 1
    return _written(numbers)


def mark_of(event_id: str) -> Marks:
    """Return the mark of a deletion made before marks existed."""
    return (f"{event_id}:1",)


def _read(mark: str) -> tuple[str, int]:
    writer, _, number = mark.partition(":")
    return writer, int(number)


def _highest(marks: Iterable[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for writer, number in map(_read, marks):
        numbers[writer] = max(number, numbers.get(writer, 0))
    return numbers


def _written(numbers: dict[str, int]) -> Marks:
    return tuple(f"{writer}:{number}" for writer, number in sorted(numbers.items()))


# Events: one immutable, typed and versioned record per answer, and the rule that tells which events are live.

AnyRecord = TypeVar("AnyRecord", bound="Record")
Key = tuple[str, str, str, str, str, str]

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Event:
    """A record; ``time`` is the server's in UTC, ``annotator`` a keyed pseudonym, ``supersedes`` the id it replaces.

    ``campaign``, ``item`` and ``language`` are empty for records without one, such as a consent. ``after`` are
    the marks of the annotator's own deletions that were known when the event was made; see :class:`Deletion`.
    """

    id: str
    time: datetime
    campaign: str
    item: str
    annotator: str
    language: str
    app_version: str
    payload: Payload
    supersedes: str | None = None
    after: Marks = ()

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` for invalid fields; set ``supersedes`` of a withdrawal to the event withdrawn."""
        if not is_event_id(self.id) or not (self.supersedes is None or is_event_id(self.supersedes)):
            raise RefusedError("answer_malformed", field="id")
        if not isinstance(self.time, datetime) or self.time.tzinfo is None:
            raise RefusedError("answer_malformed", field="time")
        object.__setattr__(self, "time", self.time.astimezone(UTC))
        checked_name(self.annotator, "annotator")
        for name in ("campaign", "item", "language", "app_version"):
            checked_name(getattr(self, name), name, empty=True)
        if self.after != ():
            object.__setattr__(self, "after", checked_marks(self.after))
        if isinstance(self.payload, Withdrawal):
            withdrawn = None if self.payload.of == EVERYTHING else self.payload.of
            if self.supersedes not in {None, withdrawn} or not (withdrawn is None or is_event_id(withdrawn)):
                raise RefusedError("answer_malformed", field="of")
            if not all(is_event_id(erased) for erased in self.payload.erases):
                raise RefusedError("answer_malformed", field="erases")
            object.__setattr__(self, "supersedes", withdrawn)

    @property
    def kind(self) -> str:
        """The name of the kind, such as ``vote``."""
        return self.payload.kind

    @property
    def version(self) -> int:
        """The version of the kind's fields."""
        return self.payload.version

    @property
    def key(self) -> Key | None:
        """The key that only one live event may have; None for withdrawals, which all count."""
        if isinstance(self.payload, Withdrawal):
            return None
        return (self.campaign, self.item, self.annotator, self.kind, self.language, self.payload.aspect)

    @property
    def withdraws_everything(self) -> bool:
        """Whether this withdraws everything that its annotator gave before."""
        return isinstance(self.payload, Withdrawal) and self.payload.of == EVERYTHING

    @property
    def deletion(self) -> Deletion | None:
        """The deletion that this event makes; None if it deletes nothing."""
        if not isinstance(self.payload, Withdrawal) or not self.payload.deletes:
            return None
        ids = frozenset(self.payload.erases)
        if not self.withdraws_everything:
            return Deletion(self.annotator, ids | {self.payload.of})
        if self.after:
            return Deletion(self.annotator, ids, self.after)
        return Deletion(self.annotator, ids, mark_of(self.id), until=self.time)


def is_event_id(text: object) -> bool:
    """Return whether a value has the form of an id: 32 hexadecimal digits."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None


def new_event(  # noqa: PLR0913  each is a field of the record
    payload: Payload,
    *,
    annotator: str,
    campaign: str = "",
    item: str = "",
    language: str = "",
    app_version: str = "",
    supersedes: str | None = None,
    id: str | None = None,  # noqa: A002  the field's name
    time: datetime | None = None,
) -> Event:
    """Return a new event, by default of the current time; raise :class:`RefusedError` for invalid fields."""
    return Event(
        id=id or uuid4().hex,
        time=time or datetime.now(UTC),
        campaign=campaign,
        item=item,
        annotator=annotator,
        language=language,
        app_version=app_version,
        payload=payload,
        supersedes=supersedes,
    )


class Record(Erasable, Protocol):
    """The attributes of an event that determine whether it is live."""

    @property
    def supersedes(self) -> str | None: ...  # noqa: D102  as in Event, and so below
    @property
    def key(self) -> Key | None: ...  # noqa: D102
    @property
    def deletion(self) -> Deletion | None: ...  # noqa: D102


def live(events: Iterable[AnyRecord]) -> list[AnyRecord]:
    """Return the live events, oldest first: neither replaced nor withdrawn, and the last one of each key.

    A withdrawn event stays withdrawn: undoing an edit does not restore what the edit replaced. Withdrawals are
    not answers and are left out. The order and repetitions of ``events`` do not matter.
    """
    unique = {event.id: event for event in events}
    deletions: dict[str, list[Deletion]] = {}
    for event in unique.values():
        if (deletion := event.deletion) is not None:
            deletions.setdefault(event.annotator, []).append(deletion)
    deletions = {annotator: together(person_deletions) for annotator, person_deletions in deletions.items()}
    replaced = {(event.supersedes, event.annotator) for event in unique.values()}
    last: dict[Key, AnyRecord] = {}
    for event in sorted(unique.values(), key=lambda event: (event.time, event.id)):
        if event.key is None or (event.id, event.annotator) in replaced:
            continue
        if not any(erasure.erases(event) for erasure in deletions.get(event.annotator, ())):
            last[event.key] = event
    return sorted(last.values(), key=lambda event: (event.time, event.id))


def rejections(living: Iterable[Event]) -> dict[str, Decision]:
    """Return the rejections among the live events of one campaign, by pseudonym of the rejected person."""
    return {
        event.payload.person: event.payload
        for event in living
        if isinstance(event.payload, Decision) and event.payload.choice == "reject"
    }


def counted(events: Iterable[Event], campaign: str, *, paid: bool = False) -> list[Event]:
    """Return the live events of a campaign without rejections and rejected answers, oldest first.

    With ``paid``, answers that were rejected but are paid remain.
    """
    living = [event for event in live(events) if event.campaign == campaign]
    rejected = rejections(living)
    left_out = {person for person, rejection in rejected.items() if not (paid and rejection.pays)}
    return [event for event in living if event.annotator not in left_out and event.payload not in rejected.values()]
