"""Clause checks: verdicts and confidences of a text's clauses, its steps, and the repair of a captioner's draft.

The repair removes a captioner's clauses that contradict the joints and adds certain clauses that it lacks. Of
several drafts, use the one that says most of the certain changes after the removal. Missing changes are taken from
other drafts, and otherwise added in the geometry's own words. The captioner and its scores are unchanged; the
repair is only part of the displayed result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from fmp_models.describe import CheckedClause, Speech, describe, describe_plan
from fmp_models.geometry import Clause, Direction, Findings, Plan, agrees, contradict, signed_axes
from fmp_models.inference.correction import Correction, CorrectionStep
from fmp_models.languages import (
    SENTENCE_ENDS,
    Draft,
    ReadClause,
    as_sentence,
    grammar,
    read_clauses,
    read_plan,
    realise,
    words_at,
)
from fmp_models.pose import PosePair

Sureness = Callable[[Clause, tuple[int, int]], float]  # arguments: a clause and its words


def checked_clauses(
    text: str, language: str, pair: PosePair | None, sureness: Sureness, by: str | None = None
) -> tuple[CheckedClause, ...]:
    """Return every clause of a text by ``by``, judged by the joints of a pair; without joints no clause is judged."""
    return judged_clauses(read_clauses(text, grammar(language)), text, language, pair, sureness, by=by)


def judged_clauses(  # noqa: PLR0913  each is needed
    clauses: Iterable[ReadClause],
    text: str,
    language: str,
    pair: PosePair | None,
    sureness: Sureness,
    *,
    by: str | None = None,
) -> tuple[CheckedClause, ...]:
    """Return the same for ``clauses`` that were already read from the text."""
    words = grammar(language)
    checked = []
    for read_clause in clauses:
        place = words_at(text, *read_clause.span)
        checked.append(
            CheckedClause(
                text=as_sentence(read_clause.text, words),
                clause=read_clause.goal,
                agrees=None if pair is None else agrees(read_clause.goal, pair),
                confidence=round(sureness(read_clause.goal, place), 3),
                words=place,
                by=by,
            )
        )
    return tuple(checked)


def spoken(correction: Correction, speech: Speech, plan: Sequence[Clause]) -> Correction:
    """Return a correction as a speech about its ``plan``: the steps, and each clause with the words of its step."""
    steps = []
    placed = [replace(clause, words=(0, 0)) for clause in correction.clauses]
    for said in speech.steps:
        words = words_at(speech.text, *said.span)
        places = tuple(number for number, clause in enumerate(plan) if clause in said.clauses)
        for number in places:
            placed[number] = replace(placed[number], words=words)
        sureness = min((placed[number].confidence for number in places), default=None)
        steps.append(CorrectionStep(said.text, said.kind.value, places, words, sureness))
    plans = tuple(said.moves for said in speech.steps)
    return replace(correction, text=speech.text, clauses=tuple(placed), steps=tuple(steps), plans=plans)


_MIN_CHANCE = 0.02  # clipping distance from 0 and 1: 64 pose samples resolve no more


class Odds(NamedTuple):
    """Logistic weights of a clause.

    Its log-odds are ``base`` plus ``joints`` times the joints' log-odds plus ``own`` times the captioner's.
    """

    base: float
    joints: float
    own: float


# Both fitted by logistic regression to clauses of the bundled captioner about simulated pictures, with joints measured
# by MediaPipe's full model and truth from the simulator. SHOWN: clauses left by the repair. ALONE: clauses from
# pictures alone, where the captioner's probability carries no information. Made by simulate DATASET --pairs 240
# --seed 7, then python -m fmp_models calibrate captioner DATASET --split train --pairs 60
SHOWN = Odds(0.109, 1.144, 0.345)
ALONE = Odds(-0.863, 0.0, 0.0)


def clause_confidence(own: float, share: float | None) -> float:
    """Return the probability (0 to 1) that a clause is true.

    ``own`` is the captioner's probability of its words; ``share`` is the joints' confidence, ``None`` without
    joints.
    """
    odds = ALONE if share is None else SHOWN
    return 1 / (1 + math.exp(-odds.base - odds.joints * log_odds(share or 0.0) - odds.own * log_odds(own)))


def log_odds(chance: float) -> float:
    """Return the log-odds of a probability (0 to 1), which is clipped away from 0 and 1."""
    clipped = min(max(chance, _MIN_CHANCE), 1 - _MIN_CHANCE)
    return math.log(clipped / (1 - clipped))


Worth = Callable[[ReadClause], float]


@dataclass(frozen=True)
class RepairedDraft:
    """The whole ``text``: first the rest of the draft (``own``), then the geometry's sentences.

    ``added`` are the geometry's clauses with their words in the whole text. ``dropped`` is the number of different
    clauses removed from the draft because they disagree with the joints or contradict other clauses.
    """

    text: str
    own: str
    added: tuple[CheckedClause, ...]
    dropped: int


class Repairer:
    """Repair of texts about one pair in one language."""

    def __init__(self, pair: PosePair, language: str) -> None:
        """Measure the pair once; raise :class:`BadInputError` (``unknown_language``)."""
        self._words = grammar(language)
        self._findings = Findings(pair)
        self._pair = pair

    def merit(self, draft: Draft) -> tuple[int, float]:
        """Return the draft's score, higher is better: minus the unsaid movements, then the share of kept clauses."""
        staying = self._borne_out(draft.plan)
        return -self._lacking(staying), len(staying) / len(draft.plan) if draft.plan else 0.0

    def missing_sentences(self, drafts: Sequence[Draft]) -> list[tuple[int, int]]:
        """Return sentences that say what the first of the ``drafts`` lacks, each as draft number and sentence index.

        All clauses of such a sentence agree with the joints, and none repeats or contradicts a clause said already.
        """
        stated = self._borne_out(drafts[0].plan)
        places = []
        for number, draft in enumerate(drafts[1:], 1):
            for place, read_sentence in enumerate(draft.sentences):
                plan = [entry.goal for entry in read_sentence.clauses]
                if not plan or read_sentence.all_clear or len(self._borne_out(plan)) < len(plan):
                    continue
                if any(contradict(new, old) or signed_axes(new) & signed_axes(old) for new in plan for old in stated):
                    continue
                if self._lacking([*stated, *plan]) < self._lacking(stated):
                    stated += plan
                    places.append((number, place))
        return places

    def repaired(self, draft: Draft, worth: Worth = lambda _: 0.0) -> RepairedDraft:
        """Return the draft as it can be shown; if no movement of it is left, the geometry's own text.

        ``worth`` decides between contradicting clauses of the draft, as in ``drafts.mend_text``.
        """
        findings = self._findings
        own_places = self._once(draft, draft.consistent(worth, findings.bears_out))
        remaining = self._remaining_plan(draft, own_places)
        movements = _movements(draft.plan)
        dropped = len(movements - _movements(remaining))
        if all(clause.direction is Direction.KEEP for clause in remaining):
            description = describe(self._pair, self._words.code)
            return RepairedDraft(
                description.text,
                "",
                description.steps,
                len(movements - _movements(step.clause for step in description.steps)),
            )
        added = self._unsaid(remaining)
        own_places = {place for place in own_places if not findings.superseded(draft.clauses[place].goal, added)}
        remaining = self._remaining_plan(draft, own_places)
        added = self._unsaid(remaining)  # a reworded sentence may have lost a clause that has no other wording
        own_text = draft.text(
            own_places, complete=not added and findings.complete(remaining), bare=True, ends=not added
        )
        if own_text and not own_text.endswith(tuple(SENTENCE_ENDS)):  # the draft ended without a mark
            own_text += self._words.stop
        unseen = [clause for clause in findings.unseen((*remaining, *added)) if self._sentence(clause) not in own_text]
        if not added and not unseen:
            return RepairedDraft(own_text, own_text, (), dropped)
        addition = describe_plan((*added, *unseen), self._pair, self._words.code)
        own_words = len(own_text.split())
        return RepairedDraft(
            f"{own_text} {addition.text}".strip(),
            own_text,
            tuple(
                replace(step, words=(step.words[0] + own_words, step.words[1] + own_words)) for step in addition.steps
            ),
            dropped,
        )

    def _borne_out(self, plan: Iterable[Clause]) -> list[Clause]:
        return [clause for clause in plan if self._findings.bears_out(clause)]

    def _lacking(self, clauses: Iterable[Clause]) -> int:
        """Return the number of unsaid movements, counting each side."""
        return sum(len(clause.side.each) for clause in self._findings.unsaid(clauses))

    def _unsaid(self, clauses: Plan) -> Plan:
        movements = self._findings.unsaid(clauses)
        return tuple(clause for clause in movements if not any(contradict(clause, stated) for stated in clauses))

    def _once(self, draft: Draft, own_places: set[int]) -> set[int]:
        """Return the indices without clauses that only repeat an earlier one."""
        places: list[int] = []
        for place in sorted(own_places):
            clause = draft.clauses[place].goal
            before = [draft.clauses[earlier_place].goal for earlier_place in places]
            again = any(
                signed_axes(clause) == signed_axes(earlier) and set(clause.relations) <= set(earlier.relations)
                for earlier in before
            )
            if not again or not signed_axes(clause):
                places.append(place)
        return set(places)

    def _remaining_plan(self, draft: Draft, own_places: set[int]) -> Plan:
        """Return the clauses read in the rest of the draft, except those about unseen parts."""
        plan = read_plan(draft.text(own_places, complete=False), self._words)
        return tuple(clause for clause in plan if clause.direction is not Direction.UNSEEN)

    def _sentence(self, clause: Clause) -> str:
        return as_sentence(realise((clause,), self._words)[0], self._words)


def repaired(text: str, language: str, pair: PosePair, *, cut: bool = False) -> RepairedDraft:
    """Return one text as it can be shown for a pair; ``cut`` if a length limit ended it."""
    return Repairer(pair, language).repaired(Draft(text, grammar(language), cut=cut))


def _movements(plan: Iterable[Clause]) -> set[tuple[object, ...]]:
    """Return the movements of a plan, without degrees."""
    moving = (clause for clause in plan if clause.direction is not Direction.UNSEEN)
    return {(clause.side, clause.part, clause.direction) for clause in moving}
