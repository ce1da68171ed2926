"""People's sentences of poses that nobody has, given to simulated changes that bear out all that is read of them.

So a model hears how people speak, of poses that it can see. A model that learned so has read the descriptions, and must
not be evaluated on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.released.annotations import read_annotations
from fmp_models.errors import BadInputError
from fmp_models.geometry.changes import LIMB_OF, LIMBS
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Side
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.pose_values import is_lying
from fmp_models.geometry.verdicts.clause_evidence import OF_HEIGHT, OF_TRUNK, OF_TURN, Region, mentioned
from fmp_models.geometry.verdicts.clause_verdicts import axes_of, excess
from fmp_models.languages.grammar import LANGUAGES, Grammar, grammar
from fmp_models.languages.reader.parse import read
from fmp_models.pose import Array
from fmp_models.training.texts.described_changes import DescribedChanges

_PLAIN = 0.8  # of the first step: what a clause of people's must be borne out by
_MIN_CLAUSES = 2  # clauses: what is read of a text with fewer is too little to know what it means
_EACH = 4  # changes for each text
_NEARLY = 0.5  # of its slack: how far from the end that is named a limb may be
_SENTENCE = re.compile(r"[^.!?।|]+[.!?।|]*")
_MAX_SENTENCES = 12  # of a text: of more, only the first
_MAX_UNSAID_STEPS = 0.8  # middle steps that may change without a word
_STILL = 0.4  # of the middle step: so much may change without being worth a word
_MAX_REMARKABLE_STEPS = 2.0  # middle steps beyond which a change is no more remarkable
_REGIONS: dict[Region, tuple[Measure, ...]] = {
    **{
        (side, limb): tuple(m for m in MEASURES if m.side is side and LIMB_OF.get(m.part) is limb and m.weight > 0.5)  # noqa: PLR2004  what seldom matters
        for side in Side.BOTH.each
        for limb in LIMBS
    },
    OF_TRUNK: tuple(m for m in MEASURES if m.part is Part.TRUNK and m.weight),
    OF_HEIGHT: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.UP)),
    OF_TURN: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.TURN_LEFT)),
}


def human_paraphrases(annotations: Path, changes: DescribedChanges) -> DescribedChanges:
    """The texts of a folder of released captioning annotations, each with up to four of the ``changes``.

    A change bears out every clause that is read of its text, without much else. Of a text that none bears out as a
    whole, the longest parts of whole sentences that one does are told; what has fewer than two clauses is left out.
    Raises :class:`BadInputError` (``annotations_missing``, and what ``read_annotations`` does).
    """
    texts = _texts(annotations)
    measures = _Measured(changes.joints.astype(np.float64))
    rows: list[int] = []
    by_language: dict[str, list[tuple[str, ...]]] = {code: [] for code in LANGUAGES}
    for code, text in texts:
        for part, rows_of_part in measures.parts_borne_out(text, grammar(code)):
            rows += rows_of_part
            for language in LANGUAGES:
                by_language[language] += [(part,) if language == code else ()] * len(rows_of_part)
    return changes.with_texts(rows, {code: tuple(texts_of_code) for code, texts_of_code in by_language.items()})


def _texts(annotations: Path) -> list[tuple[str, str]]:
    entries = [entry for entry in read_annotations(annotations, lambda *_: None) if entry.candidates is None]
    texts = [(code, text) for entry in entries for code in LANGUAGES for text in entry.descriptions[code]]
    if not texts:
        raise BadInputError("annotations_missing", path=str(annotations))
    return texts


class _Measured:
    """All measures of all changes, each worked out when a clause first asks for it."""

    def __init__(self, joints: Array) -> None:
        self._current, self._target = joints[:, 0], joints[:, 1]
        self._lying = is_lying(self._current) | is_lying(self._target)
        self._changes: dict[Measure, Array] = {}
        self._regions: dict[Region, Array] = {}
        self._borne: dict[Clause, NDArray[np.bool_] | None] = {}

    def parts_borne_out(self, text: str, words: Grammar) -> Iterator[tuple[str, list[int]]]:
        """The text, or parts of it that do not overlap, each with the changes that bear it out."""
        sentences = [match.span() for match in _SENTENCE.finditer(text)][:_MAX_SENTENCES]
        entries = read(text, words)
        free = set(range(len(sentences)))
        for length in range(len(sentences), 0, -1):
            for first in range(len(sentences) - length + 1):
                places = range(first, first + length)
                start, end = sentences[first][0], sentences[places[-1]][1]
                plan = tuple(entry.clause for entry in entries if start <= entry.start < end)
                if free.issuperset(places) and (rows := self.bearing_out(plan)):
                    free.difference_update(places)
                    yield text[start:end].strip(), rows

    def bearing_out(self, plan: Plan) -> list[int]:
        """The changes that bear out every clause of a plan, those with the least unsaid."""
        clauses = tuple(dict.fromkeys(plan))
        if len(clauses) < _MIN_CLAUSES:
            return []
        borne = np.ones(len(self._current), dtype=bool)
        for clause in clauses:
            if clause not in self._borne:
                self._borne[clause] = self._true(clause)
            bears_out = self._borne[clause]
            if bears_out is None:
                return []
            borne &= bears_out
        rows = np.flatnonzero(borne)
        spoken_of = mentioned((clause.side, clause.part, clause.direction) for clause in clauses)
        unsaid = np.zeros(len(rows))
        for region in _REGIONS:
            if region not in spoken_of:
                unsaid += self._remarkable(region)[rows]
        little_unsaid = unsaid <= _MAX_UNSAID_STEPS
        return [int(row) for row in rows[little_unsaid][np.argsort(unsaid[little_unsaid], kind="stable")][:_EACH]]

    def _remarkable(self, region: Region) -> Array:
        """The plain changes in a region (n,), in middle steps."""
        if region not in self._regions:
            self._regions[region] = np.max(
                [_beyond_still(measure, self._change(measure)) for measure in _REGIONS[region]], axis=0
            )
        return self._regions[region]

    def _change(self, measure: Measure) -> Array:
        """The change of a measure (n,); nothing where it means nothing."""
        if measure not in self._changes:
            change = measure.change(self._current, self._target)
            self._changes[measure] = np.where(self._lying & measure.needs_feet, 0.0, change)
        return self._changes[measure]

    def _true(self, clause: Clause) -> NDArray[np.bool_] | None:
        """The mask of changes that bear a clause out; None for one that joints cannot tell."""
        axes = [(measure, sign) for measure, sign in axes_of(clause) if not measure.of_faces]
        beyond = [excess(clause, relation, self._target) for relation in clause.relations]
        ends = [end for end in beyond if end is not None]
        borne = np.ones(len(self._current), dtype=bool)
        if not axes and not ends:
            return borne if clause.direction is Direction.KEEP else None
        for measure, sign in axes:
            borne &= sign * self._change(measure) > _PLAIN * measure.thresholds[0]
        for end in ends:
            borne &= end <= _NEARLY
        return borne


def _beyond_still(measure: Measure, changes: Array) -> Array:
    """By how many middle steps ``changes`` (n,) of a measure go beyond what stays unremarked."""
    steps = np.abs(changes) / measure.thresholds[1] - _STILL
    return np.asarray(np.clip(steps, 0.0, _MAX_REMARKABLE_STEPS) * min(measure.weight, 1.0))
