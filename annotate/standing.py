"""Who answered, holds or passed over what, in one question to the database: it is asked before and after every answer.

The statement is made once, since making it takes the library longer than the database needs to answer it.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Engine, and_, bindparam, func, literal, or_, select, union_all

from annotate import tables
from annotate.claims import Asking
from annotate.databases import reading
from annotate.payloads import Skip

ANSWERED, HELD, SKIPPED = "answered", "held", "skipped"

_said, _held = tables.events.c, tables.claims.c
_STATEMENT = union_all(
    select(literal(ANSWERED), _said.item, _said.aspect, _said.annotator).where(
        _said.campaign == bindparam("campaign"),
        _said.kind == bindparam("kind"),
        _said.language == bindparam("language"),
        _said.live_key.is_not(None),
    ),
    select(literal(HELD), _held.item, _held.aspect, _held.annotator).where(
        _held.campaign == bindparam("campaign"),
        _held.kind == bindparam("kind"),
        _held.language == bindparam("language"),
        _held.expires > bindparam("now"),
    ),
    select(literal(SKIPPED), _said.item, _said.aspect, _said.annotator).where(
        _said.campaign == bindparam("campaign"),
        _said.kind == Skip.kind,
        _said.language == bindparam("language"),
        _said.annotator == bindparam("annotator"),
        _said.live_key.is_not(None),
    ),
)


def read_standing(engine: Engine, asking: Asking, now: float) -> list[tuple[str, tuple[str, str], str]]:
    """What was done, to which item and aspect, and by whom; of what was passed over, the asker's own alone.

    The aspect of something passed over is the ``task`` of its record, whatever kind was asked for.
    """
    about = {"campaign": asking.campaign, "kind": asking.kind, "language": asking.language}
    with reading(engine) as connection:
        rows = connection.execute(_STATEMENT, {**about, "annotator": asking.annotator, "now": now}).all()
    return [(what, (item, aspect), annotator) for what, item, aspect, annotator in rows]


def read_last(engine: Engine, asking: Asking) -> str | None:
    """The id of this person's last answer or skip of a kind that stands; None where there is none."""
    passed = and_(_said.kind == Skip.kind, _said.aspect.startswith(asking.kind, autoescape=True))
    asked = (
        select(_said.id)
        .where(
            _said.campaign == asking.campaign,
            _said.annotator == asking.annotator,
            _said.language == asking.language,
            _said.live_key.is_not(None),
            or_(_said.kind == asking.kind, passed),
        )
        .order_by(_said.time.desc(), _said.sequence.desc())
        .limit(1)
    )
    with reading(engine) as connection:
        return connection.execute(asked).scalar()


def last_seen(engine: Engine, annotator: str) -> float:
    """When this person last gave, skipped or took back anything, in seconds since 1970; 0 where that was never."""
    with reading(engine) as connection:
        time = connection.execute(select(func.max(_said.time)).where(_said.annotator == annotator)).scalar()
    return 0.0 if time is None else datetime.fromisoformat(time).timestamp()
