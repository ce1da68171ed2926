"""Availability: what one person may still be given in one kind and language, read of the store once for each press."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from annotate.campaigns.questions import Question
from annotate.tasks.policy import Standing, TaskScope

KnownAnswers = Callable[[Question], bool]
"""Whether somebody may know the answer to a question: a target to find that they were shown in any other way."""


@dataclass(frozen=True)
class ScopeFacts:
    """The facts of one person in one kind and language: answers ``given``, questions ``held``, next ``number``."""

    standing: Standing
    given: int
    held: list[Question]
    number: int


@dataclass(frozen=True)
class TaskFacts:
    """The facts read at once: all that is ``known`` of what was asked, and what concerns targets to find.

    ``to_be_found`` are the targets that this person has yet to find in any language, and that other work would give
    away. ``knows`` tells where they may know the answer already.
    """

    known: ScopeFacts
    to_be_found: frozenset[str]
    knows: KnownAnswers


@dataclass
class TaskFilter:
    """The availability of work for one asker: read when it is first needed, and then known for all of a press."""

    scope: TaskScope
    _ask: Callable[[TaskScope], TaskFacts] = field(repr=False)
    _available: TaskFacts | None = field(default=None, init=False, repr=False)

    def read(self) -> TaskFacts:
        """The facts as the store had them when it was first asked."""
        if self._available is None:
            self._available = self._ask(self.scope)
        return self._available

    def forget(self) -> None:
        """Let the store be asked again: what it said holds no longer."""
        self._available = None


def no_known_answers(_: Question) -> bool:
    """The test of somebody who saw no target: no question's answer is known."""
    return False
