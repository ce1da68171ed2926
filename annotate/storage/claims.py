"""Claims: which annotator works on which item until when; they expire, and are made in one transaction of the store.

An item has room while the number of people who answered it, plus the number of others who hold it, is below
the number of answers it wants. If nothing else is left, items held by idle people are shared: then their
holders do not count. An expired claim no longer holds its item, but is kept for a while, so that a slow
answer can still be given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Row, Table, case, delete, func, insert, or_, select, union
from sqlalchemy.sql import Select

from annotate.kinds.task_kind import task_of
from annotate.storage import exposures, schema

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
    claims = schema.claims.c
    if knowing is not None and not holding(connection, asking, now) <= set(knowing):
        raise HoldsMoreError
    connection.execute(delete(schema.claims).where(claims.expires <= now - RETENTION_SECONDS))
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
        expired = delete(schema.claims).where(
            *_same_question(schema.claims, asking, question), claims.annotator == asking.annotator
        )
        connection.execute(expired)
        connection.execute(insert(schema.claims).values(asdict(claim)))
        sighting = exposures.Sighting(question.item, asking.language, task_of(asking.kind, question.aspect))
        exposures.note(connection, asking.campaign, asking.annotator, [sighting])
        return claim
    return None


def holding(connection: Connection, asking: ClaimScope, now: float) -> set[str]:
    """Return the tokens of the claims that one annotator holds in a scope."""
    claims = schema.claims.c
    columns = (claims.campaign, claims.kind, claims.language, claims.annotator)
    scope = (asking.campaign, asking.kind, asking.language, asking.annotator)
    conditions = [column == value for column, value in zip(columns, scope, strict=True)]
    return set(connection.execute(select(claims.token).where(*conditions, claims.expires > now)).scalars())


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
    events, claims = schema.events.c, schema.claims.c
    answering = select(events.annotator).where(
        *_same_question(schema.events, asking, question), events.live_key.is_not(None)
    )
    holding = select(claims.annotator).where(*_same_question(schema.claims, asking, question), claims.expires > now)
    if question.shares:
        holding = holding.where(or_(claims.annotator == asking.annotator, claims.expires > now + IDLE_BELOW_SECONDS))
    people = union(answering, holding).subquery()
    own_count = func.count(case((people.c.annotator == asking.annotator, 1)))
    return select(func.count(), own_count).select_from(people)


def open_claims(connection: Connection, *, annotator: str, now: float) -> list[Claim]:
    """Return the claims that one annotator holds, oldest first."""
    claims = schema.claims.c
    query = select(schema.claims).where(claims.annotator == annotator, claims.expires > now)
    return [_claim(row) for row in connection.execute(query.order_by(claims.expires, claims.token))]


def release(connection: Connection, token: str) -> None:
    """Delete a claim."""
    connection.execute(delete(schema.claims).where(schema.claims.c.token == token))


def find(connection: Connection, token: str, annotator: str) -> Claim | None:
    """Return the claim of a token, expired or not; None if it is another annotator's, was answered or never existed."""
    columns = schema.claims.c
    row = connection.execute(
        select(schema.claims).where(columns.token == token, columns.annotator == annotator)
    ).first()
    return None if row is None else _claim(row)


def _claim(row: Row[Any]) -> Claim:
    return Claim(**row._mapping)  # noqa: SLF001  SQLAlchemy's own name for its columns
