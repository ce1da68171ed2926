"""A filter of the tasks that one annotator may get in one kind and language, read from the store once per request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from annotate.kinds.task_kind import Question
from annotate.tasks.policy import Standing, TaskScope

KnownAnswers = Callable[[Question], bool]
"""Whether somebody may know the answer to a question: a target to find that they were shown in any other way."""


@dataclass(frozen=True)
class ScopeFacts:
    """The facts about one annotator in one kind and language.

    ``given`` counts their answers, ``held`` are the questions that they hold, and ``number`` is that of the
    next question.
    """

    standing: Standing
    given: int
    held: list[Question]
    number: int


@dataclass(frozen=True)
class TaskFacts:
    """The facts read together: the ``known`` ones of one scope, and those about targets to find.

    ``to_be_found`` are the targets that the annotator has yet to find in any language and that other tasks
    would show. ``knows`` tells which answers they may know already.
    """

    known: ScopeFacts
    to_be_found: frozenset[str]
    knows: KnownAnswers


@dataclass
class TaskFilter:
    """The tasks that one annotator may get in one scope: read on first use, then cached for the request."""

    scope: TaskScope
    _ask: Callable[[TaskScope], TaskFacts] = field(repr=False)
    _available: TaskFacts | None = field(default=None, init=False, repr=False)

    def read(self) -> TaskFacts:
        """Return the facts as the store had them at the first call."""
        if self._available is None:
            self._available = self._ask(self.scope)
        return self._available

    def forget(self) -> None:
        """Clear the cache, so that the store is read again."""
        self._available = None


def no_known_answers(_: Question) -> bool:
    """Return False: an annotator who saw no target knows no answer."""
    return False
