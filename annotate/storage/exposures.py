"""Exposures: which questions a person was ever shown; targets that a person may have seen are not asked for.

A question counts as shown once it is claimed, prefetched or offered in a choice, for as long as the store
knows the person: skipping, taking back or expiry does not undo it. Exposures are deleted with everything else
when a person deletes their data. A store that was restored from published shards only has what its events
tell: the questions that were answered, skipped or taken back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, insert, select

from annotate.kinds.registry import BY_RECORD
from annotate.kinds.task_kind import task_of
from annotate.records.kinds import Skip
from annotate.storage import schema


class Sighting(NamedTuple):
    """One question that was shown; ``task`` as in ``items.task_of``."""

    item: str
    language: str
    task: str


def note(connection: Connection, campaign: str, annotator: str, sightings: Iterable[Sighting]) -> None:
    """Record the questions that a person is shown, in a transaction of the store; known ones are ignored."""
    shown = schema.shown.c
    for sighting in sightings:
        place = {"campaign": campaign, "annotator": annotator, **sighting._asdict()}
        known = select(shown.item).where(*(shown[name] == value for name, value in place.items()))
        if connection.execute(known).first() is None:
            connection.execute(insert(schema.shown).values(place))


def read_sightings(connection: Connection, campaign: str, annotator: str) -> set[Sighting]:
    """Return the questions of a campaign that a person was ever shown."""
    shown, events = schema.shown.c, schema.events.c
    noted = select(shown.item, shown.language, shown.task).where(
        shown.campaign == campaign, shown.annotator == annotator
    )
    answers = select(events.item, events.language, events.kind, events.aspect).where(
        events.campaign == campaign, events.annotator == annotator, events.kind.in_([*BY_RECORD, Skip.kind])
    )
    sightings = {Sighting(*row) for row in connection.execute(noted)}
    for item, language, kind, aspect in connection.execute(answers):
        sightings.add(Sighting(item, language, aspect if kind == Skip.kind else task_of(kind, aspect)))
    return sightings
