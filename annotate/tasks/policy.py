"""The assignment policy: fewest voices first, nobody twice, nobody their own, gold items in between, in which order.

What has its voices only with idle people who hold it is asked all the same, once nothing else is left.

All of it is a pure function of what is known and of a key, so that it comes out the same after a restart and in every
process, and yet nobody outside can foresee it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from annotate.campaigns.campaign import CampaignText
from annotate.campaigns.questions import Place, Question, alike
from annotate.identity import keyed
from annotate.records.api import Kind, Task
from annotate.storage.queries import Hold

GOLD_EVERY = 10  # one gold item among as many questions of one kind


@dataclass(frozen=True)
class TaskScope:
    """The asker of a question: an annotator, in a kind and language."""

    annotator: str
    kind: Kind
    language: str


@dataclass(frozen=True)
class Standing:
    """The standing of one kind and language: how many ``people`` answered or hold each place.

    ``mine`` are the places that the annotator answered or holds, ``passed`` those that were skipped, ``known`` those
    whose answer this person may have seen. ``holds`` tells how those people hold a place who did not answer yet.
    """

    people: Mapping[Place, int] = field(default_factory=dict)
    mine: frozenset[Place] = frozenset()
    passed: frozenset[Place] = frozenset()
    known: frozenset[Place] = frozenset()
    holds: Mapping[Place, Hold] = field(default_factory=dict)

    def has_room(self, question: Question) -> bool:
        """Whether fewer people answered or hold a question than it wants."""
        return self.people.get(question.place, 0) < question.voices

    def may_be_shared(self, question: Question) -> bool:
        """Return whether a question has room if its idle holders do not count."""
        return self.people.get(question.place, 0) - self.hold(question).idle < question.voices

    def hold(self, question: Question) -> Hold:
        """Return how people hold a question."""
        return self.holds.get(question.place, Hold())


def open_to(scope: TaskScope, questions: Iterable[Question], standing: Standing) -> list[Question]:
    """The questions with fewer answers than they want that this person may be given."""
    people, barred = standing.people, standing.mine | standing.passed | standing.known
    return [
        question
        for question in questions
        if question.place not in barred
        and question.author != scope.annotator
        and people.get(question.place, 0) - standing.hold(question).people < question.voices
    ]


def in_order(scope: TaskScope, questions: Iterable[Question], standing: Standing, key: bytes) -> Iterator[Question]:
    """The questions that this person may be given, the best first: those with the fewest voices.

    Between questions with as many voices the order is each annotator's own, so that people who begin together do not
    meet at the same question. Where others hold all that is left it is what idle people hold: what the fewest hold
    beyond the voices it wants, and of that what is held longest, counted from when its holder was last heard of.
    """
    open_questions = open_to(scope, questions, standing)
    with_room = [question for question in open_questions if standing.has_room(question)]
    if not with_room:
        shared = filter(standing.may_be_shared, open_questions)
        yield from sorted(shared, key=lambda question: _shared_rank(question, standing))
        return

    def people(question: Question) -> int:
        return standing.people.get(question.place, 0)

    def turn(question: Question) -> str:
        return keyed(key, "turn", scope.annotator, scope.kind, scope.language, *question.place)

    # Mostly the first ones alone are looked at, and what an order costs is the key of each question in it.
    for _, alike_many in groupby(sorted(with_room, key=people), people):
        yield from sorted(alike_many, key=turn)


def _shared_rank(question: Question, standing: Standing) -> tuple[int, float]:
    return standing.people.get(question.place, 0) - question.voices, standing.hold(question).until


def gold_is_due(scope: TaskScope, number: int, key: bytes) -> bool:
    """Whether question ``number`` (from 0) of this person is to be a gold one: one of each ten, nobody knows which."""
    block = keyed(key, "gold", scope.annotator, scope.kind, scope.language, str(number // GOLD_EVERY))
    return number % GOLD_EVERY == int(block, 16) % GOLD_EVERY


def golds_ahead(scope: TaskScope, number: int, questions: int, golds: int, key: bytes) -> int:
    """The number of gold items, ``golds`` at most, from question ``number`` on, between so many ``questions``."""
    due = 0
    while questions:
        if due < golds and gold_is_due(scope, number, key):
            due += 1
        else:
            questions -= 1
        number += 1
    return due


def will_be_offered(
    scope: TaskScope, number: int, questions: Iterable[Question], golds: Iterable[Question], key: bytes
) -> int:
    """The number that come from question ``number`` on, of ``questions`` and gold items that this person may be given.

    A target to find comes once, whatever modes and items ask for it: after that it is known.
    """
    if scope.kind != "find":
        ahead, known = len(list(questions)), len(list(golds))
    else:
        targets = {question.item.target for question in questions}
        ahead, known = len(targets), len({gold.item.target for gold in golds} - targets)
    return ahead + golds_ahead(scope, number, ahead, known, key)


@dataclass(frozen=True)
class QuestionView:
    """A question as one annotator sees it: what order its texts and candidates stand in."""

    question: Question
    annotator: str
    key: bytes = field(repr=False)

    @property
    def texts(self) -> list[tuple[CampaignText, ...]]:
        """The texts in the order shown, those that read alike as one."""
        return sorted(alike(self.question.texts), key=lambda group: self._rank(group[0].id))

    @property
    def candidates(self) -> list[int]:
        """The candidates' numbers in the order shown."""
        return sorted(range(len(self.question.item.candidates)), key=lambda number: self._rank(str(number)))

    def task(self, token: str, picture: Callable[[str], bytes], answer: Mapping[str, Any] | None) -> Task:
        """The task: all that the page may see; ``picture`` opens one by name, ``answer`` is what an undo took back."""
        question = self.question
        item, mode = question.item, question.mode
        candidates = self.candidates if question.kind == "find" else ()
        return Task(
            token=token,
            kind=question.kind,
            language=question.language,
            current=None if mode == "language" else picture(item.current),
            target=None if question.kind == "find" else picture(item.target),
            texts=() if mode == "picture" else tuple(group[0].text for group in self.texts),
            candidates=tuple(picture(item.candidates[number]) for number in candidates),
            mode=mode,
            answer=answer,
        )

    def _rank(self, name: str) -> str:
        question = self.question
        return keyed(self.key, "order", self.annotator, question.kind, question.item.uid, question.language, name)
