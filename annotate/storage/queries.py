"""Queries for what is taken, and by whom: one question to the database, asked with every answer.

What others did is counted by the database, so that what is read of it does not grow with every answer that was ever
given. The statement is made once, since making it takes the library longer than the database needs to answer it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    String,
    and_,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    union_all,
)

from annotate.campaigns.questions import RECORDS, Place
from annotate.records.kinds import Skip
from annotate.storage import schema
from annotate.storage.claims import ClaimScope
from annotate.storage.event_rows import time_text

_ANSWERED, _HELD, _SKIPPED = "answered", "held", "skipped"
_said, _held = schema.events.c, schema.claims.c
_names = ("campaign", "kind", "language")
_same = (*_names, "item", "aspect", "annotator")
# Another store may have had the answer to what is held here. Looked up for each claim: as a join, PostgreSQL compares
# every claim with every answer as long as it has not analysed the tables, the first minute of a new database.
_answer_too = (
    select(literal(1))
    .where(*(_said[name] == _held[name] for name in _same), _said.live_key.is_not(None))
    .limit(1)
    .scalar_subquery()
)


def _mine(annotator: ColumnElement[str]) -> ColumnElement[int]:
    return func.sum(case((annotator == bindparam("annotator"), 1), else_=0))


def _about(number: int) -> tuple[BindParameter[str], BindParameter[str]]:
    """The kind and language of a number."""
    return bindparam(f"kind{number}", type_=String), bindparam(f"language{number}", type_=String)


def _answers(number: int) -> Select[Any]:
    """The answers of the kind and language of a number, counted by place."""
    kind, language = _about(number)
    return (
        select(literal(number), literal(_ANSWERED), _said.item, _said.aspect, func.count(), _mine(_said.annotator))
        .where(
            *(_said.campaign == bindparam("campaign"), _said.kind == kind, _said.language == language),
            _said.live_key.is_not(None),
        )
        .group_by(_said.item, _said.aspect)
    )


def _standing(number: int) -> list[Select[Any]]:
    """All that is asked about the kind and language of a number."""
    kind, language = _about(number)
    held = (
        select(literal(number), literal(_HELD), _held.item, _held.aspect, func.count(), _mine(_held.annotator))
        .where(
            *(_held.campaign == bindparam("campaign"), _held.kind == kind, _held.language == language),
            *(_held.expires > bindparam("now"), _answer_too.is_(None)),
        )
        .group_by(_held.item, _held.aspect)
    )
    skipped = select(literal(number), literal(_SKIPPED), _said.item, _said.aspect, literal(0), literal(1)).where(
        *(_said.campaign == bindparam("campaign"), _said.kind == Skip.kind, _said.language == language),
        *(_said.annotator == bindparam("annotator"), _said.live_key.is_not(None)),
    )
    return [_answers(number), held, skipped]


@cache
def _statement(several: int) -> CompoundSelect[Any]:
    """The one question about so many kinds and languages, which stand in it by their number."""
    return union_all(*(part for number in range(several) for part in _standing(number)))


_ANSWERS = _answers(0)
_kind = bindparam("kind", type_=String)
# The aspect of what was passed over begins with the kind of record that was asked for.
_passed = and_(_said.kind == Skip.kind, func.substr(_said.aspect, 1, func.length(_kind)) == _kind)
_LAST = (
    select(_said.id)
    .where(
        *(_said[name] == bindparam(name) for name in ("campaign", "annotator", "language")),
        _said.live_key.is_not(None),
        or_(_said.kind == _kind, _passed),
    )
    .order_by(_said.time.desc(), _said.sequence.desc())
    .limit(1)
)


@dataclass(frozen=True)
class StandingAnswers:
    """How many ``people`` answered or hold each place; which places the asker ``answered``, holds or ``skipped``.

    The aspect of something passed over is the ``task`` of its record, whatever kind was asked for.
    """

    people: Counter[Place]
    answered: frozenset[Place]
    held: frozenset[Place]
    skipped: frozenset[Place]


def read_standings(connection: Connection, asking: Sequence[ClaimScope], now: float) -> list[StandingAnswers]:
    """What the store knows of each kind and language when one person asks; ``now`` in seconds since 1970.

    They are all of one campaign.
    """
    about: dict[str, object] = {"campaign": asking[0].campaign, "annotator": asking[0].annotator, "now": now}
    for number, one in enumerate(asking):
        about |= {f"kind{number}": one.kind, f"language{number}": one.language}
    people: list[Counter[Place]] = [Counter() for _ in asking]
    mine: list[dict[str, set[Place]]] = [{_ANSWERED: set(), _HELD: set(), _SKIPPED: set()} for _ in asking]
    for number, what, item, aspect, count, own in connection.execute(_statement(len(asking)), about):
        if count:
            people[number][item, aspect] += count
        if own:
            mine[number][what].add((item, aspect))
    return [
        StandingAnswers(taken, *(frozenset(places) for places in own.values()))
        for taken, own in zip(people, mine, strict=True)
    ]


def read_answered(connection: Connection, campaign: str, kind: str, language: str) -> Counter[Place]:
    """How many people answered each place."""
    about = {"campaign": campaign, "kind0": kind, "language0": language, "annotator": ""}
    return Counter({(row[2], row[3]): row[4] for row in connection.execute(_ANSWERS, about)})


def read_campaigns(connection: Connection) -> dict[str, int]:
    """How many answers stand of each campaign, by its name; of whatever is asked, and nothing beside it."""
    asked = (
        select(_said.campaign, func.count())
        .where(_said.kind.in_(RECORDS.values()), _said.live_key.is_not(None))
        .group_by(_said.campaign)
        .order_by(_said.campaign)
    )
    return {row[0]: row[1] for row in connection.execute(asked)}


def count_answers(connection: Connection, campaign: str, annotator: str, since: datetime | None = None) -> int:
    """How many answers of a person stand in a campaign, whatever was asked; those alone given ``since`` then."""
    asked = select(func.count()).where(
        *(_said.campaign == campaign, _said.annotator == annotator, _said.live_key.is_not(None)),
        _said.kind.in_(RECORDS.values()),
    )
    if since is not None:
        asked = asked.where(_said.time >= time_text(since))
    return int(connection.execute(asked).scalar_one())


@dataclass
class AtWork:
    """What one person gave lately, and the records that their answers and held tasks are or will be."""

    kinds: set[str]
    answers: int = 0
    last: datetime | None = None


def read_at_work(connection: Connection, campaign: str, since: datetime, now: float) -> dict[str, AtWork]:
    """By pseudonym who answered since then, and who holds a task; ``now`` in seconds since 1970."""
    given = (
        select(_said.annotator, _said.kind, func.count(), func.max(_said.time))
        .where(
            *(_said.campaign == campaign, _said.time >= time_text(since), _said.erased.is_(False)),
            _said.kind.in_(RECORDS.values()),
        )
        .group_by(_said.annotator, _said.kind)
    )
    holding = select(_held.annotator, _held.kind).where(_held.campaign == campaign, _held.expires > now).distinct()
    found: dict[str, AtWork] = {}
    for annotator, kind, count, last in connection.execute(given):
        one, time = found.setdefault(annotator, AtWork(set())), datetime.fromisoformat(last)
        one.kinds.add(kind)
        one.answers, one.last = one.answers + count, time if one.last is None else max(one.last, time)
    for annotator, kind in connection.execute(holding):
        found.setdefault(annotator, AtWork(set())).kinds.add(kind)
    return found


def read_last(connection: Connection, asking: ClaimScope) -> str | None:
    """The id of this person's last answer or skip of a kind that stands; None where there is none."""
    return connection.execute(_LAST, asdict(asking)).scalar()


def last_seen(connection: Connection, annotator: str) -> float:
    """When this person last gave, skipped or took back anything, in seconds since 1970; 0 where that was never."""
    time = connection.execute(select(func.max(_said.time)).where(_said.annotator == annotator)).scalar()
    return 0.0 if time is None else datetime.fromisoformat(time).timestamp()
