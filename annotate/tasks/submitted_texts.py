"""The texts that annotators wrote, with their ratings and flags; after the first read, only new events are read.

Rows of the store are numbered in the order in which they are written, and an event that ends another names
it. So the rows after a number tell all changes, except in two cases: an annotator deleted everything, or
published answers of other writers were restored, whose events may be older than the known ones. Then the
ids of the live events are compared.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, func, or_, select

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import SETS_ASIDE, status_of, written_text
from annotate.kinds import verify
from annotate.kinds.task_kind import SubmittedText
from annotate.kinds.verify import Rating
from annotate.kinds.write import Description
from annotate.publishing.outbox import notes
from annotate.publishing.restore import SETTLED
from annotate.records.kinds import Flag, Withdrawal
from annotate.storage import schema
from annotate.storage.event_rows import chunks
from annotate.storage.store import Store

_log = logging.getLogger(__name__)

_KINDS = (Description.kind, Rating.kind, Flag.kind)
_events = schema.events.c
_COLUMNS = (
    _events.id,
    _events.kind,
    _events.campaign,
    _events.item,
    _events.annotator,
    _events.language,
    _events.aspect,
)
_WHOLE: Select[Any] = select(*_COLUMNS, _events.payload, _events.supersedes, _events.live_key)

_About = tuple[str, str, str]  # item, language and id of a text


@dataclass
class SubmittedTexts:
    """The texts that annotators of one campaign wrote; safe to use from several threads."""

    campaign: Campaign
    store: Store
    _texts: dict[str, SubmittedText] = field(default_factory=dict, init=False, repr=False)
    _aside: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    _rated: dict[str, _About] = field(default_factory=dict, init=False, repr=False)
    _scores: dict[_About, dict[str, int]] = field(default_factory=dict, init=False, repr=False)
    _sequence: int = field(default=0, init=False, repr=False)
    _settled: str | None = field(default=None, init=False, repr=False)
    _accepted: list[SubmittedText] | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Collect the campaign's items; texts about other items are ignored."""
        self._items = {item.uid for item in self.campaign.items}

    def every(self) -> list[SubmittedText]:
        """Return the live texts, for rating."""
        with self._lock:
            self._catch_up()
            return list(self._texts.values())

    def accepted(self) -> list[SubmittedText]:
        """Return the texts that enough annotators rated as good; see ``text_status``."""
        with self._lock:
            self._catch_up()
            if self._accepted is None:
                voices, aside = self.campaign.voices_for(verify.KIND.key), set(self._aside.values())
                self._accepted = [
                    text
                    for text in self._texts.values()
                    if status_of(self._scores_of(text), voices, is_aside=text.item in aside) == "accepted"
                ]
            return self._accepted

    def _scores_of(self, text: SubmittedText) -> Sequence[int]:
        return tuple(self._scores.get((text.item, text.text.language, text.text.id), {}).values())

    def _catch_up(self) -> None:
        with self.store.reading() as connection:
            last = connection.execute(select(func.max(_events.sequence))).scalar() or 0
            settled = notes(connection).get(SETTLED, "")
            is_first = self._settled is None
            doubtful = not is_first and settled != self._settled
            if last > self._sequence:
                for row in connection.execute(self._since()).all():
                    self._end(row.supersedes)
                    self._take(row)
                    doubtful |= row.kind == Withdrawal.kind and row.supersedes is None and not is_first
            if doubtful:
                self._compare(connection)
        self._sequence, self._settled = last, settled

    def _since(self) -> Select[Any]:
        tells = or_(_events.live_key.is_not(None), _events.supersedes.is_not(None), _events.kind == Withdrawal.kind)
        kinds = (*_KINDS, Withdrawal.kind)
        return _WHOLE.where(_events.sequence > self._sequence, _events.kind.in_(kinds), tells).order_by(
            _events.sequence
        )

    def _compare(self, connection: Connection) -> None:
        """Drop events that are no longer live, and read live ones that are missing."""
        about = (_events.campaign == self.campaign.name, _events.kind.in_(_KINDS), _events.live_key.is_not(None))
        standing = set(connection.execute(select(_events.id).where(*about)).scalars())
        known = {*self._texts, *self._aside, *self._rated}
        for id_ in known - standing:
            self._end(id_)
        for chunk in chunks(sorted(standing - known)):
            for row in connection.execute(_WHOLE.where(_events.id.in_(chunk), *about)):
                self._take(row)

    def _end(self, id_: str | None) -> None:
        """Drop an event that is no longer live."""
        if id_ is None:
            return
        self._texts.pop(id_, None)
        self._aside.pop(id_, None)
        self._accepted = None
        about = self._rated.pop(id_, None)
        if about is not None:
            del self._scores[about][id_]

    def _take(self, row: Row[Any]) -> None:
        """Add an event if it is live and about an item of the campaign."""
        if row.live_key is None or row.campaign != self.campaign.name or row.item not in self._items:
            return
        self._accepted = None
        try:
            values = dict(json.loads(row.payload))
            self._note(row, values)
        except (ValueError, TypeError, KeyError):  # a broken row must not stop the others
            _log.exception("the record %s cannot be read", row.id)

    def _note(self, row: Row[Any], values: dict[str, Any]) -> None:
        if row.kind == Description.kind:
            self._texts[row.id] = written_text(row.id, row.item, row.language, values["text"], row.annotator)
        if not SETS_ASIDE.isdisjoint(values.get("flags") or [values.get("reason")]):
            self._aside[row.id] = row.item
        if row.kind == Rating.kind:
            about = self._rated[row.id] = (row.item, row.language, values["text"])
            self._scores.setdefault(about, {})[row.id] = values["score"]
