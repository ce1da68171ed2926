"""Current activity, for owners only: annotators at work, and questions that still want answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from annotate.kinds.registry import TASK_KINDS
from annotate.records.api import Coverage, Kind
from annotate.storage.queries import read_at_work
from annotate.tasks.service import AnnotationService

RECENT = timedelta(minutes=15)  # the duration of a claim


@dataclass(frozen=True)
class Active:
    """An annotator who gave an answer recently or holds a task, by pseudonym, with the kinds of task.

    ``answers`` counts the recent answers; ``idle`` is the whole minutes since the last one, None without one.
    """

    annotator: str
    kinds: tuple[Kind, ...]
    answers: int
    idle: int | None


def active_people(service: AnnotationService) -> list[Active]:
    """Return the annotators at work, those with the latest answer first."""
    now = service.now()
    moment = datetime.fromtimestamp(now, UTC)
    with service.store.reading() as connection:
        at_work = read_at_work(connection, service.campaign.name, moment - RECENT, now)
    people = []
    for annotator, work in at_work.items():
        kinds = tuple(key for key, kind in TASK_KINDS.items() if kind.record.kind in work.kinds)
        idle = None if work.last is None else max(0, int((moment - work.last).total_seconds() // 60))
        people.append(Active(annotator, kinds, work.answers, idle))
    return sorted(people, key=lambda person: (person.idle is None, person.idle, person.annotator))


def still_wanted(service: AnnotationService) -> Iterator[Coverage]:
    """Return the coverage of the kinds and languages that still want answers."""
    return (coverage for coverage in service.coverage() if coverage.answered < coverage.wanted)
