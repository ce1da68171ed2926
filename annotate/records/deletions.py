"""Deletions: each erases the records it names, and its annotator's records that were given without knowing of it.

Clocks of two writers differ, so times are not compared. A deletion of everything has a mark, the writer's
name and a number, and every record lists in ``after`` the marks of its annotator that were known when it
was given. So a record that arrives from elsewhere after the deletion, which could not name it, is erased
unless its ``after`` has the mark: then the annotator had come back. Every writer that has both makes the
same decision. Deletions from before marks existed are compared by time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from annotate.errors import RefusedError

Marks = tuple[str, ...]  # "writer:number", the highest known number of each writer, sorted

_MARK = re.compile(r"[0-9a-f]{8,32}:[1-9][0-9]{0,8}")
_MAX_MARKS = 10_000  # one for each app start in which a person deleted everything


class Erasable(Protocol):
    """The attributes of a record that determine whether a deletion erases it."""

    @property
    def id(self) -> str: ...  # noqa: D102  as in Event, and so below
    @property
    def time(self) -> datetime: ...  # noqa: D102
    @property
    def annotator(self) -> str: ...  # noqa: D102
    @property
    def after(self) -> Marks: ...  # noqa: D102


@dataclass(frozen=True)
class Deletion:
    """A deletion of ``annotator``'s records: those ``named``, and with ``marks`` all given without knowing them.

    ``until`` is set for a deletion from before marks existed: later records were given after it.
    """

    annotator: str
    named: frozenset[str]
    marks: Marks | None = None
    until: datetime | None = None

    def erases(self, record: Erasable) -> bool:
        """Return whether this deletion erases the record."""
        if record.annotator != self.annotator:
            return False
        if record.id in self.named:
            return True
        if self.marks is None or covers(record.after, self.marks):
            return False
        return self.until is None or record.time <= self.until


def together(deletions: Iterable[Deletion]) -> list[Deletion]:
    """Return fewer deletions of one annotator that erase the same records.

    Deletions with marks are merged: a record that lacks one of the merged marks lacks a mark of some deletion.
    """
    all_deletions = list(deletions)
    marked = [deletion for deletion in all_deletions if deletion.marks is not None and deletion.until is None]
    if len(marked) < 2:  # noqa: PLR2004  a merge needs two
        return all_deletions
    ids = frozenset[str]().union(*(deletion.named for deletion in marked))
    known = merged(*(deletion.marks or () for deletion in marked))
    return [
        Deletion(marked[0].annotator, ids, known),
        *(deletion for deletion in all_deletions if deletion not in marked),
    ]


def checked_marks(marks: object) -> Marks:
    """Return the marks in the stored form; raise :class:`RefusedError` for malformed ones."""
    usable = isinstance(marks, list | tuple) and len(marks) <= _MAX_MARKS
    if not usable or not all(isinstance(mark, str) and _MARK.fullmatch(mark) for mark in marks):  # type: ignore[attr-defined]
        raise RefusedError("answer_malformed", field="after")
    return merged(tuple(marks))  # type: ignore[arg-type]


def merged(*known: Marks) -> Marks:
    """Return all marks of the arguments, the highest number of each writer."""
    return _written(_highest(mark for marks in known for mark in marks))


def covers(known: Marks, marks: Marks) -> bool:
    """Return whether ``known`` includes all of ``marks``."""
    numbers = _highest(known)
    return all(numbers.get(writer, 0) >= number for writer, number in map(_read, marks))


def with_next(known: Marks, writer: str) -> Marks:
    """Return the marks of a deletion that ``writer`` makes now."""
    numbers = _highest(known)
    numbers[writer] = numbers.get(writer, 0) + 1
    return _written(numbers)


def mark_of(event_id: str) -> Marks:
    """Return the mark of a deletion made before marks existed."""
    return (f"{event_id}:1",)


def _read(mark: str) -> tuple[str, int]:
    writer, _, number = mark.partition(":")
    return writer, int(number)


def _highest(marks: Iterable[str]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for writer, number in map(_read, marks):
        numbers[writer] = max(number, numbers.get(writer, 0))
    return numbers


def _written(numbers: dict[str, int]) -> Marks:
    return tuple(f"{writer}:{number}" for writer, number in sorted(numbers.items()))
