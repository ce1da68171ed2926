"""Clause checks: the clauses of a text with the joints' verdicts and confidences, and the steps that contain them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from fmp_models.describe.descriptions import DescribedClause
from fmp_models.describe.trainer_steps import Speech
from fmp_models.geometry.lexicon import Clause
from fmp_models.geometry.verdicts import agrees
from fmp_models.inference.corrector import CheckedClause, CorrectionStep
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import ReadClause, read_clauses, words_at
from fmp_models.languages.realiser import as_sentence
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
        place = words_at(text, read_clause.start, read_clause.start + len(read_clause.text))
        checked.append(
            CheckedClause(
                text=as_sentence(read_clause.text, words),
                clause=read_clause.clause,
                agrees=None if pair is None else agrees(read_clause.clause, pair),
                confidence=round(sureness(read_clause.clause, place), 3),
                words=place,
                by=by,
            )
        )
    return tuple(checked)


def described_clauses(steps: Iterable[DescribedClause], text: str, by: str) -> tuple[CheckedClause, ...]:
    """Return the steps described by ``by`` as clauses of the ``text`` that their spans refer to."""
    return tuple(
        CheckedClause(
            text=step.text,
            clause=step.clause,
            agrees=step.agrees,
            confidence=step.confidence,
            words=words_at(text, *step.span),
            by=by,
        )
        for step in steps
    )


def spoken_steps(
    speech: Speech, plan: Sequence[Clause], clauses: Sequence[CheckedClause]
) -> tuple[tuple[CorrectionStep, ...], tuple[CheckedClause, ...]]:
    """Return the steps of a speech about a ``plan``, and its ``clauses`` with the words of the step that says each."""
    steps = []
    placed = [replace(clause, words=(0, 0)) for clause in clauses]
    for spoken in speech.steps:
        words = words_at(speech.text, *spoken.span)
        places = tuple(number for number, clause in enumerate(plan) if clause in spoken.clauses)
        for number in places:
            placed[number] = replace(placed[number], words=words)
        sureness = min((placed[number].confidence for number in places), default=None)
        steps.append(CorrectionStep(spoken.text, spoken.kind.value, places, words, sureness))
    return tuple(steps), tuple(placed)
