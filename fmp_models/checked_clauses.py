"""The clauses of a text, each with the verdict of the joints and how sure it is."""

from __future__ import annotations

from collections.abc import Callable

from fmp_models.describe.clauses import Clause
from fmp_models.describe.judging import agrees
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reading import read, words_at
from fmp_models.languages.realising import sentence
from fmp_models.pipelines import CheckedClause
from fmp_models.pose import PosePair

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
