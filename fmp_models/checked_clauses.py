"""The clauses of a text and what joints say of them: each with its verdict, and how far all speak for a candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.describe.clauses import Clause, Plan
from fmp_models.describe.describing import DescribedClause
from fmp_models.describe.judging import agrees, confidence, holds
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reading import read, words_at
from fmp_models.languages.realising import sentence
from fmp_models.pipelines import CheckedClause
from fmp_models.pose import Array, PosePair

_LEAST, _UNTOLD = 0.02, 0.5  # chances: a clause may be meant otherwise than it was read, or concern what is hidden


class Weights(NamedTuple):
    """What adds up to the log-odds of a candidate: its ``score`` by a retriever, and two sums over the clauses.

    ``verdict`` counts those that the joints bear out less those that they deny, ``chance`` the logarithm of the chance
    that each is true, the joints' error considered.
    """

    score: float
    verdict: float
    chance: float


# The mean of the best weights of both bundled retrievers with the joints of our own estimator:
# python -m fmp_models evaluate retriever-en DATASET --split val_unseen --joints learned --json, and retriever-hi.
WEIGHTS = Weights(0.446, 0.216, 0.588)

Sureness = Callable[[Clause, tuple[int, int]], float]  # of a clause, and of the words that say it


def checked_clauses(
    text: str, language: str, pair: PosePair | None, sureness: Sureness, by: str | None = None
) -> tuple[CheckedClause, ...]:
    """Every clause that a text of ``by`` has, judged by the joints of a pair; without joints nothing can be judged."""
    words = grammar(language)
    found = []
    for one in read(text, words):
        place = words_at(text, one.start, one.start + len(one.text))
        found.append(
            CheckedClause(
                text=sentence(one.text, words),
                part=one.clause.part_name,
                direction=one.clause.direction.value,
                agrees=None if pair is None else agrees(one.clause, pair),
                confidence=round(sureness(one.clause, place), 3),
                words=place,
                by=by,
            )
        )
    return tuple(found)


def described_clauses(steps: Iterable[DescribedClause], text: str, by: str) -> tuple[CheckedClause, ...]:
    """The steps that ``by`` described, as clauses of the ``text`` in which their spans lie."""
    return tuple(
        CheckedClause(
            text=step.text,
            part=step.clause.part_name,
            direction=step.clause.direction.value,
            agrees=step.agrees,
            confidence=step.confidence,
            words=words_at(text, *step.span),
            by=by,
        )
        for step in steps
    )


def evidence(plan: Plan, pairs: Sequence[PosePair | None]) -> Array:
    """What the clauses say of each of k pairs: (k, 2), the sums that :class:`Weights` names.

    What is said twice counts once, and a clause that the joints of a pair cannot tell is an even chance. A pair of
    which somebody's pose is unknown has the mean of the others.
    """
    said = tuple(dict.fromkeys(plan))
    return _even([None if pair is None else _sums(said, pair) for pair in pairs], 2)


def weighed(scores: ArrayLike, of_clauses: Array, weights: Weights = WEIGHTS) -> Array:
    """The log-odds (..., k) of candidates by a retriever's ``scores`` (..., k) and their :func:`evidence` (k, 2)."""
    odds: Array = weights.score * np.asarray(scores, dtype=np.float64) + of_clauses @ np.array(weights[1:])
    return odds


def end_states(plan: Plan, pairs: Sequence[PosePair | None]) -> Array:
    """How many of the end states that clauses name, "at shoulder height" say, hold less those that do not (k,).

    Nobody looks at the current poses.
    """
    named = [(clause, relation) for clause in plan for relation in clause.relations]
    verdicts = [None if pair is None else [_net([holds(*one, pair.target) for one in named])] for pair in pairs]
    return _even(verdicts, 1)[:, 0]


def _sums(plan: Plan, pair: PosePair) -> list[float]:
    verdicts = [agrees(clause, pair) for clause in plan]
    chances = [
        _UNTOLD if verdict is None else max(confidence(clause, pair), _LEAST)
        for clause, verdict in zip(plan, verdicts, strict=True)
    ]
    return [_net(verdicts), math.fsum(map(math.log, chances))]


def _net(verdicts: Sequence[bool | None]) -> float:
    return float(verdicts.count(True) - verdicts.count(False))


def _even(values: Sequence[list[float] | None], columns: int) -> Array:
    """Rows of numbers, the mean of the others where there is none."""
    known = np.array([one for one in values if one is not None], dtype=np.float64).reshape(-1, columns)
    mean = known.mean(axis=0) if len(known) else np.zeros(columns)
    return np.array([mean if one is None else one for one in values]).reshape(-1, columns)
