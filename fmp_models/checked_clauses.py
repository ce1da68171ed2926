"""The clauses of a text and what joints say of them: each with its verdict, and how far all speak for a candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from fmp_models.describe.clauses import Clause, Plan
from fmp_models.describe.judging import agrees, holds
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reading import read, words_at
from fmp_models.languages.realising import sentence
from fmp_models.pipelines import CheckedClause
from fmp_models.pose import Array, PosePair

# What one clause that the joints bear out adds to a retriever's score, and one that they deny takes from it: the best
# of 0.5, 1, 2 and 4 on val-unseen with the joints of our estimator.
WEIGHT = 2.0

Sureness = Callable[[Clause, tuple[int, int]], float]  # of a clause, and of the words that say it


def checked_clauses(text: str, language: str, pair: PosePair, sureness: Sureness) -> tuple[CheckedClause, ...]:
    """Every clause that a text has, judged by the joints of a pair."""
    words = grammar(language)
    found = []
    for one in read(text, words):
        place = words_at(text, one.start, one.start + len(one.text))
        found.append(
            CheckedClause(
                text=sentence(one.text, words),
                part=one.clause.part_name,
                direction=one.clause.direction.value,
                agrees=agrees(one.clause, pair),
                confidence=round(sureness(one.clause, place), 3),
                words=place,
            )
        )
    return tuple(found)


def support(plan: Plan, pairs: Sequence[PosePair | None]) -> Array:
    """How many clauses the joints of each of k pairs bear out, less those that they deny (k,).

    A pair of which somebody's pose is unknown has the mean of the others.
    """
    return _even([None if pair is None else _net(agrees(clause, pair) for clause in plan) for pair in pairs])


def end_states(plan: Plan, pairs: Sequence[PosePair | None]) -> Array:
    """The same of what clauses say of the end alone, "at shoulder height" say: nobody looks at the current poses."""
    named = [(clause, relation) for clause in plan for relation in clause.relations]
    return _even([None if pair is None else _net(holds(*one, pair.target) for one in named) for pair in pairs])


def _net(verdicts: Iterable[bool | None]) -> int:
    return sum(0 if verdict is None else 1 if verdict else -1 for verdict in verdicts)


def _even(counts: Sequence[int | None]) -> Array:
    known = [count for count in counts if count is not None]
    mean = sum(known) / len(known) if known else 0.0
    return np.array([mean if count is None else count for count in counts], dtype=np.float64)
