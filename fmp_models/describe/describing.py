"""Two poses -> a text of short sentences, each with its clause and confidence: the whole of the geometry model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmp_models.geometry.clauses import Clause, Direction, Plan
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.verdicts.verdicts import agrees, confidence
from fmp_models.languages.grammar import grammar
from fmp_models.languages.realiser.realiser import compose, realise, sentence
from fmp_models.pose import PosePair


@dataclass(frozen=True)
class DescribedClause:
    """One step: its sentence, what it means, whether the geometry agrees, and how sure it is (0 to 1).

    ``span`` is where the step stands in the whole text: first and one beyond the last character, without a stop.
    """

    text: str
    clause: Clause
    agrees: bool | None
    confidence: float
    span: tuple[int, int]


@dataclass(frozen=True)
class PairDescription:
    """The text as a whole and its steps, most salient part of the body first; no steps when nothing moved."""

    text: str
    steps: tuple[DescribedClause, ...]


def describe(pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """How to get from the current pose to the target in ``language``; the same seed always gives the same text.

    Raises :class:`BadInputError` (``unknown_language``).
    """
    plan = make_plan(pair)
    description = describe_plan(plan, pair, language, seed)
    if not plan or any(clause.direction is not Direction.UNSEEN for clause in plan):
        return description
    return PairDescription(f"{description.text} {grammar(language).unchanged_elsewhere}", description.steps)


def describe_plan(plan: Plan, pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """The clauses of a ``plan`` alone, judged by the pair; raises what :func:`describe` does."""
    words = grammar(language)
    fragments = realise(plan, words, seed)
    text = compose(fragments, words, seed)
    steps = tuple(
        DescribedClause(
            sentence(fragment, words), clause, agrees(clause, pair), round(confidence(clause, pair), 3), span
        )
        for fragment, clause, span in zip(fragments, plan, _spans(fragments, text), strict=True)
    )
    return PairDescription(text, steps)


def _spans(fragments: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Where each fragment stands in the text composed of them; its first letter may be a capital there."""
    end = 0
    for fragment in fragments:
        start = text.index(fragment[1:], end) - 1
        end = start + len(fragment)
        yield start, end
