"""The registry of kinds: of task, in the order of the start page, and of record; no other module lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, get_type_hints

from annotate.errors import RefusedError
from annotate.kinds import (
    compare,
    find_target,
    fool,
    judge,
    questions,
    real_pair,
    repair,
    translate,
    verify,
    vote,
    write,
)
from annotate.kinds.task_kind import Kind, TaskKind
from annotate.records import (
    Completion,
    Consent,
    Decision,
    Demographics,
    Flag,
    ParticipantId,
    Payload,
    Qualification,
    Skip,
    StepFeedback,
    Withdrawal,
)

_TASK_KINDS = (
    vote.VOTE,
    write.WRITE,
    verify.VERIFY,
    translate.TRANSLATE,
    find_target.FIND_TARGET,
    real_pair.REAL_PAIR,
    questions.QUESTIONS,
    repair.REPAIR,
    compare.COMPARE,
    judge.JUDGE,
    fool.FOOL,
)

TASK_KINDS: Mapping[Kind, TaskKind] = {kind.key: kind for kind in _TASK_KINDS}
BY_RECORD: Mapping[str, TaskKind] = {kind.record.kind: kind for kind in TASK_KINDS.values()}
RECORDS: Mapping[str, type[Payload]] = {
    # Published cards list ratings before descriptions.
    **{name: BY_RECORD[name].record for name in dict.fromkeys(("vote", "rating", *BY_RECORD))},
    **{payload.kind: payload for payload in (fool.FoolingAttempt, Flag, Qualification, Consent)},
    **{payload.kind: payload for payload in (Withdrawal, Skip, Completion, StepFeedback)},
    **{payload.kind: payload for payload in (ParticipantId, Demographics, Decision)},
}


@cache
def columns_of(kind: str) -> Mapping[str, Any]:
    """Return the fields of a kind in order, each with the plain type of its values, such as ``tuple[str, ...]``."""
    types = get_type_hints(RECORDS[kind])
    return {entry.name: types[entry.name] for entry in fields(RECORDS[kind])}


def known_kind(kind: str, version: int) -> type[Payload]:
    """Return the class of a kind and version.

    Raise :class:`RefusedError`: ``unknown_kind``, or ``event_version`` for a version later than this
    program's.
    """
    payload_class = RECORDS.get(kind)
    if payload_class is None:
        raise RefusedError("unknown_kind", kind=kind, known=", ".join(RECORDS))
    if version > payload_class.version:
        raise RefusedError("event_version", kind=kind, found=version, known=payload_class.version)
    return payload_class


def read_payload(kind: str, version: int, values: Mapping[str, Any]) -> Payload:
    """Return a payload made from the values in a store or file, whatever version of the program wrote them.

    Raise :class:`RefusedError` as :func:`known_kind`, ``event_malformed``, or an error of the kind itself.
    """
    payload_class = known_kind(kind, version)
    needed = {
        entry.name for entry in fields(payload_class) if entry.default is MISSING and entry.default_factory is MISSING
    }
    if not needed <= values.keys() <= columns_of(kind).keys():
        raise RefusedError("event_malformed", field=kind)
    return payload_class(**values)
