"""Tables of a store, the same in SQLite and PostgreSQL.

``events`` holds every record. An erased event keeps its row without content, so that it can neither come back
nor be counted. ``live_key`` is unique and set only while an event is live, so that the database itself
prevents duplicate answers. ``shard`` is the published file that holds, or will hold, the event; see
``outbox``.
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

SCHEMA = "1"  # unchanged by a new index, table or `events.after`: what is missing is created

metadata = MetaData()

events = Table(
    "events",
    metadata,
    Column("sequence", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("kind", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("time", String(40), nullable=False),  # ISO 8601 in UTC with microseconds: text order is time order
    Column("campaign", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("app_version", Text, nullable=False),
    Column("aspect", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("supersedes", String(32)),
    Column("after", Text, nullable=False, server_default=""),  # marks of deletions, separated by spaces
    Column("live_key", String(64), unique=True),
    Column("erased", Boolean, nullable=False, default=False),
    Column("shard", String(200), index=True),
    Index("events_by_item", "campaign", "kind", "item"),
    Index("events_by_annotator", "annotator", "kind"),
    Index(  # a covering index: counting answers needs no row
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

# Every question that a person was shown, answered or not; see `exposures`.
shown = Table(
    "shown",
    metadata,
    Column("campaign", Text, primary_key=True),
    Column("annotator", Text, primary_key=True),
    Column("item", Text, primary_key=True),
    Column("language", Text, primary_key=True),
    Column("task", Text, primary_key=True),
)

# The id of a person at their payment service; see `participants`.
participants = Table(
    "participants",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("participant", String(200), nullable=False),
)

# The highest number of a person's known deletions of everything, by writer; see `deletions`.
deletions = Table(
    "deletions",
    metadata,
    Column("annotator", Text, primary_key=True),
    Column("writer", String(32), primary_key=True),
    Column("number", Integer, nullable=False),
)

# Events to be erased when they come, since a deletion of one answer named them.
awaited = Table(
    "awaited",
    metadata,
    Column("event", String(32), primary_key=True),
    Column("annotator", Text, primary_key=True),
)

# planned: named before it is sent; published: at the destination; leaving: to be deleted, with erased events in it.
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
