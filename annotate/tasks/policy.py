"""The assignment policy: which questions an annotator may get, and in which order.

Questions with the fewest annotators come first. An annotator gets no question twice and none about their
own text, and gold questions are mixed in. When nothing else is left, questions are given that idle
annotators hold.

The order depends only on the known answers and a secret key. So it is the same after a restart and in every
process, and outsiders cannot predict it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from sqlalchemy import Connection

from annotate.campaigns import Campaign
from annotate.identity import keyed
from annotate.kinds import FIND_TARGET, TASK_KINDS, Item, Kind, Place, Question
from annotate.storage import Hold, Sighting, read_sightings

GOLD_EVERY = 10  # one gold question in so many questions of one kind


@dataclass(frozen=True)
class TaskScope:
    """The scope of a task: an annotator, a kind and a language."""

    annotator: str
    kind: Kind
    language: str

    @property
    def record(self) -> str:
        """The kind of record that the answers become."""
        return TASK_KINDS[self.kind].record.kind


@dataclass(frozen=True)
class Standing:
    """The state of the questions of one kind and language, as it concerns one annotator.

    ``people`` counts the annotators who answered or hold each place. ``mine`` are the places that this
    annotator answered or holds, ``passed`` those that they skipped, and ``known`` those whose answer they may
    have seen. ``holds`` tells how each place is held by annotators who have not answered yet.
    """

    people: Mapping[Place, int] = field(default_factory=dict)
    mine: frozenset[Place] = frozenset()
    passed: frozenset[Place] = frozenset()
    known: frozenset[Place] = frozenset()
    holds: Mapping[Place, Hold] = field(default_factory=dict)

    def has_room(self, question: Question) -> bool:
        """Return whether fewer annotators answered or hold a question than it wants."""
        return self.people.get(question.place, 0) < question.voices

    def may_be_shared(self, question: Question) -> bool:
        """Return whether a question has room if its idle holders do not count."""
        return self.people.get(question.place, 0) - self.hold(question).idle < question.voices

    def hold(self, question: Question) -> Hold:
        """Return how people hold a question."""
        return self.holds.get(question.place, Hold())


def open_to(scope: TaskScope, questions: Iterable[Question], standing: Standing) -> list[Question]:
    """Return the questions that this annotator may get and that have fewer answers than they want."""
    people, barred = standing.people, standing.mine | standing.passed | standing.known
    return [
        question
        for question in questions
        if question.place not in barred
        and scope.annotator not in {question.author, *question.unblinded}
        and people.get(question.place, 0) - standing.hold(question).people < question.voices
    ]


def in_order(scope: TaskScope, questions: Iterable[Question], standing: Standing, key: bytes) -> Iterator[Question]:
    """Yield the questions that this annotator may get, those with the fewest annotators first.

    Ties are broken by an order of each annotator's own, so people who start together get different questions.
    If others hold all that is left, yield the questions that idle annotators hold: first those with the fewest
    annotators beyond the wanted number, then those whose holder has been inactive longest.
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

    # Sort group by group: mostly only the first questions are used, and each sort key costs an HMAC.
    for _, alike_many in groupby(sorted(with_room, key=people), people):
        yield from sorted(alike_many, key=turn)


def _shared_rank(question: Question, standing: Standing) -> tuple[int, float]:
    return standing.people.get(question.place, 0) - question.voices, standing.hold(question).until


def gold_is_due(scope: TaskScope, number: int, key: bytes) -> bool:
    """Return whether question ``number`` (from 0) is a gold one: one of every ten, at an unpredictable place."""
    block = keyed(key, "gold", scope.annotator, scope.kind, scope.language, str(number // GOLD_EVERY))
    return number % GOLD_EVERY == int(block, 16) % GOLD_EVERY


def golds_ahead(scope: TaskScope, number: int, questions: int, golds: int, key: bytes) -> int:
    """Return the number of gold questions, at most ``golds``, among ``questions`` others from ``number`` on."""
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
    """Return how many of ``questions`` and ``golds`` are offered from question ``number`` on.

    A target to find counts once for all its modes and items: afterwards its answer is known.
    """
    if not TASK_KINDS[scope.kind].hides_target:
        ahead, known = len(list(questions)), len(list(golds))
    else:
        targets = {question.item.target for question in questions}
        ahead, known = len(targets), len({gold.item.target for gold in golds} - targets)
    return ahead + golds_ahead(scope, number, ahead, known, key)


# A filter of the tasks that one annotator may get in one kind and language, read from the store once per request.

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


# Targets of finding tasks: which of them a person may know already, and pairs reserved until they are found.

_KIND = FIND_TARGET.key


class Targets:
    """The targets of one campaign; a pair is identified by its target picture, whatever items show it."""

    def __init__(self, campaign: Campaign) -> None:
        self._name = campaign.name
        self._of = {item.uid: item.target for item in campaign.items}
        items = [item for item in campaign.items if item.gold is None]
        to_find = {item.target for item in items if item.candidates and _KIND in _kinds(item)}
        also_shown = {
            item.target for item in campaign.items if item.to_describe or item.asked or _kinds(item) - {_KIND}
        }
        self._also_shown = to_find & also_shown if _KIND in campaign.kinds else set[str]()

    def is_unchanged(self, item: Item) -> bool:
        """Return whether the campaign still has this item with the same target."""
        return item.target == self._of.get(item.uid)

    def waiting(self, to_find: Iterable[Question]) -> frozenset[str]:
        """Return the targets that a person has yet to find and that other tasks show too."""
        return frozenset(question.item.target for question in to_find) & self._also_shown

    @property
    def may_wait(self) -> bool:
        """Whether any pair to find is also shown by other tasks."""
        return bool(self._also_shown)

    def known_to(self, connection: Connection, annotator: str) -> Callable[[Question], bool]:
        """Return the test for questions whose target this person was shown by any other question."""
        sightings: dict[str, set[Sighting]] = {}
        for sighting in read_sightings(connection, self._name, annotator):
            sightings.setdefault(self._of.get(sighting.item, ""), set()).add(sighting)

        def knows(question: Question) -> bool:
            itself = Sighting(question.item.uid, question.language, question.skipped_as)
            return bool(sightings.get(question.item.target, set()) - {itself})

        return knows


def _kinds(item: Item) -> set[str]:
    return {kind for text in item.texts for kind in text.kinds}
