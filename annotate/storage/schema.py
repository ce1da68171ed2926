"""The tables of a store, the same in SQLite and PostgreSQL.

``events`` holds every record; an erased one keeps its row without content, so that it can neither come back nor be
counted. ``live_key`` is unique and filled only while an event is live: the database itself sees to it that nobody
answers twice. ``shard`` names the published file that holds, or will hold, the event; see ``outbox``.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

SCHEMA = "1"  # an index, a table or `events.after` more is no other schema: it is made where it is missing

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("kind", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("time", String(40), nullable=False),  # ISO 8601 in UTC with microseconds: sorts as time does
    Column("campaign", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("app_version", Text, nullable=False),
    Column("aspect", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("supersedes", String(32)),
    Column("after", Text, nullable=False, server_default=""),  # marks of deletions, with spaces between
    Column("live_key", String(64), unique=True),
    Column("erased", Boolean, nullable=False, default=False),
    Column("shard", String(200), index=True),
    Index("events_by_item", "campaign", "kind", "item"),
    Index("events_by_annotator", "annotator", "kind"),
    Index(  # all that tells who answered what, so that no row has to be read to count them
        "events_standing",
        *("campaign", "kind", "language", "item", "aspect", "annotator"),
        sqlite_where=text("live_key IS NOT NULL"),
        postgresql_where=text("live_key IS NOT NULL"),
    ),
    Index(
        "events_by_superseded",
        "supersedes",
        sqlite_where=text("supersedes IS NOT NULL"),
        postgresql_where=text("supersedes IS NOT NULL"),
    ),
)

pictures = Table(
    "pictures",
    metadata,
    Column("event", String(32), ForeignKey("events.id"), primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("token", String(32), primary_key=True),
    Column("campaign", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("aspect", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("expires", Float, nullable=False),  # seconds since 1970
    Column("context", Text, nullable=False),
    UniqueConstraint("campaign", "item", "kind", "aspect", "language", "annotator"),
)

# Every question that somebody was shown, whatever became of it; see `exposures`.
shown = Table(
    "shown",
    metadata,
    Column("campaign", Text, primary_key=True),
    Column("annotator", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("language", Text, primary_key=True),
    Column("task", Text, primary_key=True),
)

# Who somebody is at the service that pays them; see `participants`.
participants = Table(
    "participants",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("participant", String(200), nullable=False),
)

# The highest number of each writer's deletions of everything that a person is known to have made; see `deletions`.
deletions = Table(
    "deletions",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("writer", String(32), primary_key=True),
    Column("number", Integer, nullable=False),
)

# What a deletion of one answer erases of a person as soon as it comes.
awaited = Table(
    "awaited",
    metadata,
    Column("event", String(32), primary_key=True),
    Column("annotator", Text, primary_key=True),
)

# planned: named before it is sent; published: there; leaving: to be deleted, since it holds what was withdrawn.
shards = Table(
    "shards",
    metadata,
    Column("path", String(200), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("state", String(20), nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("value", Text, nullable=False),
)
