"""Judgement of one answer to a real pair: a verdict for each clause, missing changes, and errors of the text."""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.evaluation.real.ends import end_states, end_verdicts, second_movements
from fmp_models.evaluation.real.pairs import LabelledPair
from fmp_models.evaluation.real.slots import Verdict, claims, contradicts_itself, spoken_slots, unseen, verdict
from fmp_models.inference.corrector import Correction
from fmp_models.languages.language_data import Grammar

_KEEP = "keep"
_ENDINGS = (".", "!", "?", "।")


@dataclass(frozen=True)
class Answer:
    """The correction of a pair, or the code of the error, and how long it would take without the cache."""

    correction: Correction | None
    refusal: str = ""
    milliseconds: float | None = None


@dataclass(frozen=True)
class Judgement:
    """An answer against the labels: a verdict for each clause, and the ``must`` slots that are mentioned or unseen."""

    pair: LabelledPair
    answer: Answer
    verdicts: tuple[Verdict | None, ...] = ()
    mentioned: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    ends: tuple[bool, ...] = ()

    @property
    def text(self) -> str:
        """The text of the correction; empty after an error."""
        return "" if self.answer.correction is None else self.answer.correction.text

    @property
    def missed(self) -> list[str]:
        """The slots of ``must`` that are neither mentioned nor reported as unseen."""
        return [slot for slot in self.pair.must if slot not in self.mentioned | self.unseen]

    @property
    def false_all_clear(self) -> bool:
        """Whether no change was named although there is one."""
        correction = self.answer.correction
        return bool(self.pair.must) and correction is not None and all(c.direction == _KEEP for c in correction.clauses)

    @property
    def contradictory(self) -> bool:
        """Whether two clauses contradict each other."""
        correction = self.answer.correction
        return correction is not None and contradicts_itself(correction.clauses)

    @property
    def broken(self) -> bool:
        """Whether the text ends in the middle of a sentence."""
        return self.answer.correction is not None and not self.text.rstrip().endswith(_ENDINGS)

    @property
    def refused(self) -> bool:
        """Whether there is no correction."""
        return self.answer.correction is None


def judge(pair: LabelledPair, answer: Answer, words: Grammar) -> Judgement:
    """Judge the answer to a pair in the language of ``words``."""
    if answer.correction is None:
        return Judgement(pair, answer)
    clauses = answer.correction.clauses
    relations = [end_states(clause, words) for clause in clauses]
    slot_changes = [
        claim
        for clause, clause_relations in zip(clauses, relations, strict=True)
        for claim in (*claims(clause.clause), *second_movements(clause, clause_relations))
    ]
    spoken_signs, hidden = spoken_slots(slot_changes, pair.truth), unseen(clauses)
    signs = {slot: pair.truth[slot] or 0 for slot in pair.must}
    mentioned = frozenset(slot for slot, sign in signs.items() if (slot, sign) in spoken_signs)
    # A text that claims the opposite does not report the slot as unseen.
    admitted = frozenset(slot for slot, sign in signs.items() if slot in hidden and (slot, -sign) not in spoken_signs)
    ends = [
        end_verdict
        for clause, clause_relations in zip(clauses, relations, strict=True)
        for end_verdict in end_verdicts(clause, clause_relations, pair.end)
    ]
    verdicts = tuple(verdict(clause, pair.truth) for clause in clauses)
    return Judgement(pair, answer, verdicts, mentioned, admitted - mentioned, tuple(ends))
