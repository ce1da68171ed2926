"""What people wrote of poses that nobody has, given to simulated changes that bear out all that is read of it.

So a model hears how people speak, of poses that it can see. A model that learned so has read the descriptions, and must
not be evaluated on them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.clause_evidence import REGIONS, mentioned, remarkable
from fmp_models.data.released_annotations import read_annotations
from fmp_models.describe.clauses import Clause, Direction, Plan
from fmp_models.describe.judging import axes_of, excess
from fmp_models.describe.measures import Measure
from fmp_models.describe.pose_values import is_lying
from fmp_models.errors import BadInputError
from fmp_models.languages.grammar import LANGUAGES, grammar
from fmp_models.languages.reading import read_plan
from fmp_models.pose import Array
from fmp_models.training.told_changes import ToldChanges

_PLAIN = 0.8  # of the first step: what a clause of people's must be borne out by
_LEAST = 2  # clauses: what is read of a text with fewer is too little to know what it means
_EACH = 4  # changes for each text
_NEARLY = 0.5  # of its slack: how far from the end that is named a limb may be
_MOST_UNSAID = 0.8  # middle steps that may change without a word


def in_peoples_words(annotations: Path, changes: ToldChanges) -> ToldChanges:
    """The texts of a folder of released captioning annotations, each with up to four of the ``changes``.

    A text is left out where fewer than two clauses are read, or no change bears out all of them without much else.
    Raises :class:`BadInputError` (``annotations_missing``, and what ``read_annotations`` does).
    """
    texts = _texts(annotations)
    measures = _Measured(changes.joints.astype(np.float64))
    rows: list[int] = []
    told: dict[str, list[tuple[str, ...]]] = {code: [] for code in LANGUAGES}
    for code, text in texts:
        chosen = measures.bearing_out(read_plan(text, grammar(code)))
        rows += chosen
        for language in LANGUAGES:
            told[language] += [(text,) if language == code else ()] * len(chosen)
    return changes.taken(rows, {code: tuple(said) for code, said in told.items()})


def _texts(annotations: Path) -> list[tuple[str, str]]:
    entries = [entry for entry in read_annotations(annotations, lambda *_: None) if entry.candidates is None]
    found = [(code, text) for entry in entries for code in LANGUAGES for text in entry.descriptions[code]]
    if not found:
        raise BadInputError("annotations_missing", path=str(annotations))
    return found


class _Measured:
    """All measures of all changes, each worked out when a clause first asks for it."""

    def __init__(self, joints: Array) -> None:
        self._current, self._target = joints[:, 0], joints[:, 1]
        self._lying = is_lying(self._current) | is_lying(self._target)
        self._changes: dict[Measure, Array] = {}

    def bearing_out(self, plan: Plan) -> list[int]:
        """The changes that bear out every clause of a plan, those with the least unsaid."""
        clauses = tuple(dict.fromkeys(plan))
        if len(clauses) < _LEAST:
            return []
        borne = np.ones(len(self._current), dtype=bool)
        for clause in clauses:
            found = self._true(clause)
            if found is None:
                return []
            borne &= found
        spoken_of = mentioned((clause.side, clause.part, clause.direction) for clause in clauses)
        unsaid = np.zeros(len(borne))
        for region, measures in REGIONS.items():
            if region not in spoken_of:
                unsaid += np.max([remarkable(measure, self._change(measure)) for measure in measures], axis=0)
        rows = np.flatnonzero(borne & (unsaid <= _MOST_UNSAID))
        return [int(row) for row in rows[np.argsort(unsaid[rows], kind="stable")][:_EACH]]

    def _change(self, measure: Measure) -> Array:
        """What a measure changes by (n,); nothing where it means nothing."""
        if measure not in self._changes:
            found = measure.change(self._current, self._target)
            self._changes[measure] = np.where(self._lying & measure.needs_feet, 0.0, found)
        return self._changes[measure]

    def _true(self, clause: Clause) -> NDArray[np.bool_] | None:
        """Which changes bear a clause out; None for one that joints cannot tell."""
        axes = axes_of(clause)
        beyond = [excess(clause, relation, self._target) for relation in clause.relations]
        ends = [one for one in beyond if one is not None]
        borne = np.ones(len(self._current), dtype=bool)
        if not axes and not ends:
            return borne if clause.direction is Direction.KEEP else None
        for measure, sign in axes:
            borne &= sign * self._change(measure) > _PLAIN * measure.steps[0]
        for one in ends:
            borne &= one <= _NEARLY
        return borne
