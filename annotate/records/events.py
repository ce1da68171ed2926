"""Events: one immutable, typed and versioned record per answer, and the rule that tells which events are live.

Events never change. An edit is a new event whose ``supersedes`` names the one that it replaces; an undo is
a ``withdrawal`` of one. Every table is computed from events, most of them from the :func:`live` ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeVar
from uuid import uuid4

from annotate.errors import RefusedError
from annotate.records.deletions import Deletion, Erasable, Marks, checked_marks, mark_of, together
from annotate.records.fields import checked_name
from annotate.records.kinds import EVERYTHING, Payload, Withdrawal

AnyRecord = TypeVar("AnyRecord", bound="Record")
Key = tuple[str, str, str, str, str, str]

_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Event:
    """A record; ``time`` is the server's in UTC, ``annotator`` a keyed pseudonym, ``supersedes`` the id it replaces.

    ``campaign``, ``item`` and ``language`` are empty for records without one, such as a consent. ``after`` are
    the marks of the annotator's own deletions that were known when the event was made; see ``deletions``.
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
