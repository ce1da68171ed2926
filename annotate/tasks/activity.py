"""Activity: who is at work just now and at what, and what still waits for people; for owners alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from annotate.campaigns.questions import KINDS_OF_RECORDS
from annotate.records.api import Coverage, Kind
from annotate.storage.queries import read_at_work
from annotate.tasks.service import AnnotationService

RECENT = timedelta(minutes=15)  # as long as a task is held for somebody who does nothing


@dataclass(frozen=True)
class Active:
    """Somebody who gave something lately or holds a task: their pseudonym, and of which kinds that is.

    ``answers`` are those given lately, ``idle`` whole minutes since the last of them, None where there is none.
    """

    annotator: str
    kinds: tuple[Kind, ...]
    answers: int
    idle: int | None


def active_people(service: AnnotationService) -> list[Active]:
    """The people at work, whoever gave something last first."""
    now = service.now()
    moment = datetime.fromtimestamp(now, UTC)
    with service.store.reading() as connection:
        at_work = read_at_work(connection, service.campaign.name, moment - RECENT, now)
    people = []
    for annotator, work in at_work.items():
        kinds = tuple(kind for record, kind in KINDS_OF_RECORDS.items() if record in work.kinds)
        idle = None if work.last is None else max(0, int((moment - work.last).total_seconds() // 60))
        people.append(Active(annotator, kinds, work.answers, idle))
    return sorted(people, key=lambda person: (person.idle is None, person.idle, person.annotator))


def still_wanted(service: AnnotationService) -> Iterator[Coverage]:
    """The kinds and languages in which voices are still wanted."""
    return (coverage for coverage in service.coverage() if coverage.answered < coverage.wanted)
