"""Clause reward for self-critical training: how well the clauses of a text match those of its references.

For CIDEr a left instead of a right is one wrong word among forty, but a person who follows the text moves the wrong
arm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.lexicon import UNCHANGED, Clause, Direction, Part, Side
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from fmp_models.languages.vocabulary import Vocabulary
from fmp_models.pose import Array
from fmp_models.training.texts.encoded_texts import Numbers

Movement = tuple[Side, Part, Direction]  # a movement of one side of the body


class ClauseReward:
    """The reward of texts in one language; ``references`` (n) are each pair's texts, with or without end marks."""

    def __init__(self, references: Sequence[Sequence[Numbers]], vocabulary: Vocabulary) -> None:
        self._references, self._vocabulary = references, vocabulary
        self._grammar = grammar(vocabulary.language)
        self._meant: dict[int, frozenset[Movement]] = {}  # movements of the references, parsed on first use

    def scores(self, texts: Sequence[Sequence[int]], instances: Sequence[int]) -> Array:
        """Return the reward of each text (n,) of the pairs ``instances``, from -1 to 1.

        It is the F1 of the text's movements minus the share of its movements in the opposite direction. Clauses
        without change are not movements. If neither side has a movement, the F1 is 1.
        """
        return np.array([self._score(text, instance) for text, instance in zip(texts, instances, strict=True)])

    def _score(self, text: Sequence[int], instance: int) -> float:
        movements, reference_movements = self._movements(text), self._meant_by(instance)
        if not movements or not reference_movements:
            return float(not movements and not reference_movements)
        right = len(movements & reference_movements)
        opposite = sum(
            (side, part, way.reverse) in reference_movements and (side, part, way) not in reference_movements
            for side, part, way in movements
        )
        return 2 * right / (len(movements) + len(reference_movements)) - opposite / len(movements)

    def _meant_by(self, instance: int) -> frozenset[Movement]:
        if instance not in self._meant:
            text_movements = (self._movements(text) for text in self._references[instance])
            self._meant[instance] = frozenset[Movement]().union(*text_movements)
        return self._meant[instance]

    def _movements(self, text: Sequence[int]) -> frozenset[Movement]:
        plan = read_plan(self._vocabulary.decode(text), self._grammar)
        return frozenset(movement for clause in plan for movement in _movements(clause))


def _movements(clause: Clause) -> list[Movement]:
    if clause.direction in UNCHANGED:
        return []
    return [(side, clause.part, clause.direction) for side in clause.side.each]
