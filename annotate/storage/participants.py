"""Participants of payment services by pseudonym: the one place that has their ids as the services know them.

They stand beside the events and are never published; they go with everything else when a person deletes what they gave.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from annotate.storage import schema

_known = schema.participants.c


def participant_of(connection: Connection, annotator: str) -> str:
    """The id of this person at the service that pays them; empty where there is none."""
    participant = connection.execute(select(_known.participant).where(_known.annotator == annotator)).scalar()
    return str(participant or "")


def join(connection: Connection, annotator: str, participant: str) -> None:
    """Keep the id of a person who has none, within a write of the store."""
    if not participant_of(connection, annotator):
        connection.execute(insert(schema.participants).values(annotator=annotator, participant=participant))


def every_participant(connection: Connection) -> dict[str, str]:
    """The ids of all, by pseudonym."""
    return {row.annotator: row.participant for row in connection.execute(select(schema.participants))}
