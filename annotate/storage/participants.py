"""Participants of payment services by pseudonym: the only place with their ids at these services.

They are stored next to the events and never published. They are deleted with everything else when a person
deletes their data.
"""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from annotate.storage import schema

_known = schema.participants.c


def participant_of(connection: Connection, annotator: str) -> str:
    """Return a person's id at the payment service; empty if there is none."""
    participant = connection.execute(select(_known.participant).where(_known.annotator == annotator)).scalar()
    return str(participant or "")


def join(connection: Connection, annotator: str, participant: str) -> None:
    """Store the id of a person who has none, in a transaction of the store."""
    if not participant_of(connection, annotator):
        connection.execute(insert(schema.participants).values(annotator=annotator, participant=participant))


def every_participant(connection: Connection) -> dict[str, str]:
    """Return all ids by pseudonym."""
    return {row.annotator: row.participant for row in connection.execute(select(schema.participants))}
