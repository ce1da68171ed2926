"""Participants of payment services, encrypted among the published events, for a Space that loses its disk.

The copy of a person's row is an event of theirs, so that it is published, read back and deleted like their answers.
It can be decrypted only with the pseudonym key, and only as that person's.
"""

from __future__ import annotations

import json

from sqlalchemy import Connection, insert, select

from annotate.identity import decrypt, encrypt
from annotate.records import ParticipantId, new_event
from annotate.storage import events_table, participants_table, read_events, save


def keep_participants(connection: Connection, key: bytes, writer: str = "") -> int:
    """Restore participants from their encrypted copies, and return the number that ``key`` does not decrypt.

    With ``writer``, the name of the store, also save the copies that are missing or differ.
    """
    known = {row.annotator: row._asdict() for row in connection.execute(select(participants_table))}
    columns = events_table.c
    of_person = (columns[name] == "" for name in ("campaign", "item", "language"))
    live_copies = read_events(connection, columns.kind == ParticipantId.kind, columns.live_key.is_not(None), *of_person)
    copies = {event.annotator: event for event in live_copies}
    kept = {
        annotator: json.loads(text)
        for annotator, event in copies.items()
        if isinstance(event.payload, ParticipantId)
        and (text := decrypt(key, event.payload.encrypted, annotator)) is not None
    }
    for annotator in kept.keys() - known.keys():
        values = {name: value for name, value in kept[annotator].items() if name in participants_table.c}
        connection.execute(insert(participants_table).values(values))
    for annotator, row in known.items() if writer else ():
        full = {**kept.get(annotator, {}), **row}
        if full != kept.get(annotator):
            copy = ParticipantId(encrypt(key, json.dumps(full), annotator))
            old = copies.get(annotator)
            save(connection, new_event(copy, annotator=annotator, supersedes=None if old is None else old.id), writer)
    return len(copies.keys() - kept.keys())
