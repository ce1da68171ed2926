"""Description of two poses in short sentences, each with its clause and confidence: the whole geometry model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fmp_models.geometry.clauses import Clause, Direction, Plan
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.verdicts.clause_verdicts import agrees, confidence
from fmp_models.languages.grammar import grammar
from fmp_models.languages.realiser.sentences import compose, realise, sentence
from fmp_models.pose import PosePair


@dataclass(frozen=True)
class DescribedClause:
    """One step: its sentence, its clause, whether the geometry agrees, and a confidence between 0 and 1.

    ``span`` is the place of the step in the whole text: the first character and one past the last, without a
    full stop.
    """

    text: str
    clause: Clause
    agrees: bool | None
    confidence: float
    span: tuple[int, int]


@dataclass(frozen=True)
class PairDescription:
    """The whole text and its steps, most salient body part first; no steps if nothing moved."""

    text: str
    steps: tuple[DescribedClause, ...]


def describe(pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """Describe in ``language`` how to get from the current pose to the target; equal seeds give equal texts.

    Raise :class:`BadInputError` (``unknown_language``).
    """
    plan = make_plan(pair)
    description = describe_plan(plan, pair, language, seed)
    if not plan or any(clause.direction is not Direction.UNSEEN for clause in plan):
        return description
    return PairDescription(f"{description.text} {grammar(language).unchanged_elsewhere}", description.steps)


def describe_plan(plan: Plan, pair: PosePair, language: str, seed: int | None = None) -> PairDescription:
    """Describe only the clauses of a ``plan``, judged by the pair; raise as :func:`describe`."""
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
    """Yield the place of each fragment in the composed text, where its first letter may be a capital."""
    end = 0
    for fragment in fragments:
        start = text.index(fragment[1:], end) - 1
        end = start + len(fragment)
        yield start, end
