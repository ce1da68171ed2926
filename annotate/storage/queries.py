"""Queries on a store: questions that people were shown, hold and answered, and participants of payment services."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import uuid4

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Float,
    Row,
    Select,
    String,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    literal,
    or_,
    select,
    union,
    union_all,
    update,
)

from annotate.kinds import BY_RECORD, Place
from annotate.records import Decision, Skip, task_of
from annotate.storage import database
from annotate.storage.event_rows import time_text

# Exposures: which questions a person was ever shown; targets that a person may have seen are not asked for.
#
# A question counts as shown once it is claimed, prefetched or offered in a choice, for as long as the store
# knows the person: skipping, taking back or expiry does not undo it. Exposures are deleted with everything else
# when a person deletes their data. A store that was restored from published shards only has what its events
# tell: the questions that were answered, skipped or taken back.


class Sighting(NamedTuple):
    """One question that was shown; ``task`` as in ``annotate.records.task_of``."""

    item: str
    language: str
    task: str


def note_shown(connection: Connection, campaign: str, annotator: str, sightings: Iterable[Sighting]) -> None:
    """Record the questions that a person is shown, in a transaction of the store; known ones are ignored."""
    shown = database.shown_table.c
    for sighting in sightings:
        place = {"campaign": campaign, "annotator": annotator, **sighting._asdict()}
        known = select(shown.item).where(*(shown[name] == value for name, value in place.items()))
        if connection.execute(known).first() is None:
            connection.execute(insert(database.shown_table).values(place))


def read_sightings(connection: Connection, campaign: str, annotator: str) -> set[Sighting]:
    """Return the questions of a campaign that a person was ever shown."""
    shown, events = database.shown_table.c, database.events_table.c
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


# Claims: which annotator works on which item until when; they expire, and are made in one transaction of the store.
#
# An item has room while the number of people who answered it, plus the number of others who hold it, is below
# the number of answers it wants. If nothing else is left, items held by idle people are shared: then their
# holders do not count. An expired claim no longer holds its item, but is kept for a while, so that a slow
# answer can still be given.

RETENTION_SECONDS = 7 * 24 * 3600.0  # seconds after expiry
# The holder of a claim that expires sooner counts as idle: 90 seconds into a first claim, ten minutes into a later one.
IDLE_BELOW_SECONDS = 270.0


@dataclass(frozen=True)
class ClaimScope:
    """The scope of a claim: a kind of answer in a language, for a campaign and an annotator."""

    campaign: str
    kind: str
    language: str
    annotator: str


@dataclass(frozen=True)
class Wanted:
    """An item that wants answers from ``voices`` people; ``context`` is stored with the claim and never shown.

    If ``shares``, the item can be claimed even though idle people hold it.
    """

    item: str
    aspect: str = ""
    voices: int = 1
    context: str = ""
    shares: bool = False


@dataclass(frozen=True)
class Claim:
    """An item held for one annotator until ``expires`` (seconds since 1970); the ``token`` is random."""

    token: str
    campaign: str
    item: str
    kind: str
    aspect: str
    language: str
    annotator: str
    expires: float
    context: str


class HoldsMoreError(Exception):
    """An error for an annotator who holds more claims than the caller knew, because of two simultaneous requests."""


def take(  # noqa: PLR0913  independent options
    connection: Connection,
    asking: ClaimScope,
    wanted: Iterable[Wanted],
    *,
    now: float,
    seconds: float,
    knowing: Collection[str] | None = None,
) -> Claim | None:
    """Claim the first wanted item with room that this annotator neither answered nor holds; None if there is none.

    ``knowing`` are the tokens of the claims that the annotator is known to hold. Raise :class:`HoldsMoreError` if
    there are others in this scope.
    """
    claims = database.claims_table.c
    if knowing is not None and not holding(connection, asking, now) <= set(knowing):
        raise HoldsMoreError
    connection.execute(delete(database.claims_table).where(claims.expires <= now - RETENTION_SECONDS))
    for question in wanted:
        people, own_count = connection.execute(_people(asking, question, now)).one()
        if own_count or people >= question.voices:
            continue
        claim = Claim(
            token=uuid4().hex,
            campaign=asking.campaign,
            item=question.item,
            kind=asking.kind,
            aspect=question.aspect,
            language=asking.language,
            annotator=asking.annotator,
            expires=now + seconds,
            context=question.context,
        )
        expired = delete(database.claims_table).where(
            *_same_question(database.claims_table, asking, question), claims.annotator == asking.annotator
        )
        connection.execute(expired)
        connection.execute(insert(database.claims_table).values(asdict(claim)))
        sighting = Sighting(question.item, asking.language, task_of(asking.kind, question.aspect))
        note_shown(connection, asking.campaign, asking.annotator, [sighting])
        return claim
    return None


def holding(connection: Connection, asking: ClaimScope, now: float) -> set[str]:
    """Return the tokens of the claims that one annotator holds in a scope."""
    claims = database.claims_table.c
    columns = (claims.campaign, claims.kind, claims.language, claims.annotator)
    scope = (asking.campaign, asking.kind, asking.language, asking.annotator)
    conditions = [column == value for column, value in zip(columns, scope, strict=True)]
    return set(connection.execute(select(claims.token).where(*conditions, claims.expires > now)).scalars())


_decisions = database.events_table.alias().c


def _counts(campaign: str | BindParameter[str], annotator: str | BindParameter[str]) -> ColumnElement[bool]:
    """Return the condition for answers of people whom the owner has not rejected, or of the annotator."""
    rejected = select(_decisions.aspect).where(
        *(_decisions.campaign == campaign, _decisions.kind == Decision.kind, _decisions.aspect != ""),
        _decisions.live_key.is_not(None),
    )
    answering = database.events_table.c.annotator
    return or_(answering == annotator, answering.not_in(rejected))


def _same_question(table: Table, asking: ClaimScope, question: Wanted) -> list[ColumnElement[bool]]:
    """Return the conditions for rows about one question, in events and claims alike."""
    columns = table.c
    return [
        columns.campaign == asking.campaign,
        columns.kind == asking.kind,
        columns.item == question.item,
        columns.language == asking.language,
        columns.aspect == question.aspect,
    ]


def _people(asking: ClaimScope, question: Wanted, now: float) -> Select[int, int]:
    """Return the query that counts the people who answered or hold an item, and whether the annotator is among them.

    Idle holders are not counted if the claim shares.
    """
    events, claims = database.events_table.c, database.claims_table.c
    answering = select(events.annotator).where(
        *_same_question(database.events_table, asking, question),
        *(events.live_key.is_not(None), _counts(asking.campaign, asking.annotator)),
    )
    holding = select(claims.annotator).where(
        *_same_question(database.claims_table, asking, question), claims.expires > now
    )
    if question.shares:
        holding = holding.where(or_(claims.annotator == asking.annotator, claims.expires > now + IDLE_BELOW_SECONDS))
    people = union(answering, holding).subquery()
    own_count = func.count(case((people.c.annotator == asking.annotator, 1)))
    return select(func.count(), own_count).select_from(people)


def open_claims(connection: Connection, *, annotator: str, now: float) -> list[Claim]:
    """Return the claims that one annotator holds, oldest first."""
    claims = database.claims_table.c
    query = select(database.claims_table).where(claims.annotator == annotator, claims.expires > now)
    return [_claim(row) for row in connection.execute(query.order_by(claims.expires, claims.token))]


def release(connection: Connection, token: str) -> None:
    """Delete a claim."""
    connection.execute(delete(database.claims_table).where(database.claims_table.c.token == token))


def find(connection: Connection, token: str, annotator: str) -> Claim | None:
    """Return the claim of a token, expired or not; None if it is another annotator's, was answered or never existed."""
    columns = database.claims_table.c
    row = connection.execute(
        select(database.claims_table).where(columns.token == token, columns.annotator == annotator)
    ).first()
    return None if row is None else _claim(row)


def _claim(row: Row[Any]) -> Claim:
    return Claim(**row._mapping)  # noqa: SLF001  SQLAlchemy's own name for its columns


# Queries on answers and claims: who has which question, in one statement per saved answer.
#
# Other people's answers are counted by the database, so that the size of the result does not grow with the
# number of answers. The statement is built once, since building it takes longer than running it.

_ANSWERED, _HELD, _SKIPPED = "answered", "held", "skipped"
_events, _claims = database.events_table.c, database.claims_table.c
_names = ("campaign", "kind", "language")
_same = (*_names, "item", "aspect", "annotator")
# Another store may have the answer to a question held here. A subquery for each claim: with a join, PostgreSQL compares
# every claim with every answer until it has analysed the tables, in the first minute of a new database.
_answer_too = (
    select(literal(1))
    .where(*(_events[name] == _claims[name] for name in _same), _events.live_key.is_not(None))
    .limit(1)
    .scalar_subquery()
)


_idle = func.sum(case((_claims.expires <= bindparam("now", type_=Float) + IDLE_BELOW_SECONDS, 1), else_=0))


def _mine(annotator: ColumnElement[str]) -> ColumnElement[int]:
    return func.sum(case((annotator == bindparam("annotator"), 1), else_=0))


def _about(number: int) -> tuple[BindParameter[str], BindParameter[str]]:
    """Return the parameters for the kind and language with this number."""
    return bindparam(f"kind{number}", type_=String), bindparam(f"language{number}", type_=String)


def _answers(number: int) -> Select[Any]:
    """Return the query for answers of the kind and language with this number, counted by place."""
    kind, language = _about(number)
    return (
        select(
            *(literal(number), literal(_ANSWERED), _events.item, _events.aspect),
            *(func.count(), _mine(_events.annotator), literal(0), literal(0.0)),
        )
        .where(
            *(_events.campaign == bindparam("campaign"), _events.kind == kind, _events.language == language),
            *(_events.live_key.is_not(None), _counts(bindparam("campaign"), bindparam("annotator"))),
        )
        .group_by(_events.item, _events.aspect)
    )


def _standing(number: int) -> list[Select[Any]]:
    """Return the parts of the statement for the kind and language with this number."""
    kind, language = _about(number)
    held = (
        select(
            *(literal(number), literal(_HELD), _claims.item, _claims.aspect),
            *(func.count(), _mine(_claims.annotator), _idle, func.min(_claims.expires)),
        )
        .where(
            *(_claims.campaign == bindparam("campaign"), _claims.kind == kind, _claims.language == language),
            *(_claims.expires > bindparam("now"), _answer_too.is_(None)),
        )
        .group_by(_claims.item, _claims.aspect)
    )
    skipped = select(
        *(literal(number), literal(_SKIPPED), _events.item, _events.aspect),
        *(literal(0), literal(1), literal(0), literal(0.0)),
    ).where(
        *(_events.campaign == bindparam("campaign"), _events.kind == Skip.kind, _events.language == language),
        *(_events.annotator == bindparam("annotator"), _events.live_key.is_not(None)),
    )
    return [_answers(number), held, skipped]


@cache
def _statement(count: int) -> CompoundSelect[Any]:
    """Return the one statement for this many kinds and languages, which are numbered in it."""
    return union_all(*(part for number in range(count) for part in _standing(number)))


_ANSWERS = _answers(0)
_kind = bindparam("kind", type_=String)
# The aspect of a skip begins with the kind of record that was asked for.
_passed = and_(_events.kind == Skip.kind, func.substr(_events.aspect, 1, func.length(_kind)) == _kind)
_LAST = (
    select(_events.id)
    .where(
        *(_events[name] == bindparam(name) for name in ("campaign", "annotator", "language")),
        _events.live_key.is_not(None),
        or_(_events.kind == _kind, _passed),
    )
    .order_by(_events.time.desc(), _events.sequence.desc())
    .limit(1)
)


class Hold(NamedTuple):
    """The ``people`` who hold a place, how many of them are ``idle``, and the earliest expiry of their claims."""

    people: int = 0
    idle: int = 0
    until: float = 0.0


@dataclass(frozen=True)
class StandingAnswers:
    """Live answers: the number of ``people`` by place, and the annotator's own places by what they did there.

    ``answered``, ``held`` and ``skipped`` are the places of this annotator. ``holds`` tells how each place is
    held. The aspect of a skipped place is the ``task`` of its record, for every kind.
    """

    people: Counter[Place]
    answered: frozenset[Place]
    held: frozenset[Place]
    skipped: frozenset[Place]
    holds: dict[Place, Hold]


def read_standings(connection: Connection, asking: Sequence[ClaimScope], now: float) -> list[StandingAnswers]:
    """Return the live answers for each kind and language in one campaign; ``now`` in seconds since 1970."""
    about: dict[str, object] = {"campaign": asking[0].campaign, "annotator": asking[0].annotator, "now": now}
    for number, scope in enumerate(asking):
        about |= {f"kind{number}": scope.kind, f"language{number}": scope.language}
    people: list[Counter[Place]] = [Counter() for _ in asking]
    own_places: list[dict[str, set[Place]]] = [{_ANSWERED: set(), _HELD: set(), _SKIPPED: set()} for _ in asking]
    holds: list[dict[Place, Hold]] = [{} for _ in asking]
    for number, standing, item, aspect, count, my_places, idle, until in connection.execute(
        _statement(len(asking)), about
    ):
        if count:
            people[number][item, aspect] += count
        if standing == _HELD:
            holds[number][item, aspect] = Hold(count, idle, until)
        if my_places:
            own_places[number][standing].add((item, aspect))
    return [
        StandingAnswers(counts, frozenset(mine[_ANSWERED]), frozenset(mine[_HELD]), frozenset(mine[_SKIPPED]), held)
        for counts, mine, held in zip(people, own_places, holds, strict=True)
    ]


def read_answered(connection: Connection, campaign: str, kind: str, language: str) -> Counter[Place]:
    """Return the number of people who answered each place."""
    about = {"campaign": campaign, "kind0": kind, "language0": language, "annotator": ""}
    return Counter({(row[2], row[3]): row[4] for row in connection.execute(_ANSWERS, about)})


def read_campaigns(connection: Connection) -> dict[str, int]:
    """Return the number of live answers of each campaign by its name, of the kinds that are asked for."""
    query = (
        select(_events.campaign, func.count())
        .where(_events.kind.in_(BY_RECORD), _events.live_key.is_not(None))
        .group_by(_events.campaign)
        .order_by(_events.campaign)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def count_answers(connection: Connection, campaign: str, annotator: str, since: datetime | None = None) -> int:
    """Return the number of a person's live answers in a campaign; with ``since`` only those given from then on."""
    query = select(func.count()).where(
        *(_events.campaign == campaign, _events.annotator == annotator, _events.live_key.is_not(None)),
        _events.kind.in_(BY_RECORD),
    )
    if since is not None:
        query = query.where(_events.time >= time_text(since))
    return int(connection.execute(query).scalar_one())


def count_people(connection: Connection, campaign: str) -> int:
    """Return the number of people with live answers in a campaign."""
    query = select(func.count(_events.annotator.distinct())).where(
        _events.campaign == campaign, _events.live_key.is_not(None), _events.kind.in_(BY_RECORD)
    )
    return int(connection.execute(query).scalar_one())


@dataclass
class AtWork:
    """The recent answers of one person, and the kinds of records of these and of held tasks."""

    kinds: set[str]
    answers: int = 0
    last: datetime | None = None


def read_at_work(connection: Connection, campaign: str, since: datetime, now: float) -> dict[str, AtWork]:
    """Return the people who answered since then or hold a task, by pseudonym; ``now`` in seconds since 1970."""
    answers = (
        select(_events.annotator, _events.kind, func.count(), func.max(_events.time))
        .where(
            *(_events.campaign == campaign, _events.time >= time_text(since), _events.erased.is_(False)),
            _events.kind.in_(BY_RECORD),
        )
        .group_by(_events.annotator, _events.kind)
    )
    holding = (
        select(_claims.annotator, _claims.kind).where(_claims.campaign == campaign, _claims.expires > now).distinct()
    )
    at_work: dict[str, AtWork] = {}
    for annotator, kind, count, last in connection.execute(answers):
        work, time = at_work.setdefault(annotator, AtWork(set())), datetime.fromisoformat(last)
        work.kinds.add(kind)
        work.answers, work.last = work.answers + count, time if work.last is None else max(work.last, time)
    for annotator, kind in connection.execute(holding):
        at_work.setdefault(annotator, AtWork(set())).kinds.add(kind)
    return at_work


def read_last(connection: Connection, asking: ClaimScope) -> str | None:
    """Return the id of this person's last live answer or skip of a kind; None if there is none."""
    return connection.execute(_LAST, asdict(asking)).scalar()


def last_seen(connection: Connection, annotator: str) -> float:
    """Return the time of this person's last event, in seconds since 1970; 0 if there is none."""
    time = connection.execute(select(func.max(_events.time)).where(_events.annotator == annotator)).scalar()
    return 0.0 if time is None else datetime.fromisoformat(time).timestamp()


# Participants of payment services by pseudonym: the only place where their ids at these services can be read.
#
# They are stored next to the events; a private dataset may hold an encrypted copy, see ``annotate.publishing``.
# They are deleted with everything else when a person deletes their data.

_known = database.participants_table.c


def participant_of(connection: Connection, annotator: str) -> str:
    """Return a person's id at the payment service, then those of study and session, if any; empty for other people."""
    participant = connection.execute(select(_known.participant).where(_known.annotator == annotator)).scalar()
    return str(participant or "")


def store_participant(connection: Connection, annotator: str, participant: str) -> None:
    """Store the ids of a person, in a transaction of the store; only those of study and session are replaced."""
    known = participant_of(connection, annotator)
    if not known:
        connection.execute(insert(database.participants_table).values(annotator=annotator, participant=participant))
    elif known.partition(" ")[0] == participant.partition(" ")[0]:
        own_row = _known.annotator == annotator
        connection.execute(update(database.participants_table).where(own_row).values(participant=participant))


def every_participant(connection: Connection) -> dict[str, str]:
    """Return all ids by pseudonym, each separated by spaces: of participant, study and session."""
    return {row.annotator: row.participant for row in connection.execute(select(database.participants_table))}
