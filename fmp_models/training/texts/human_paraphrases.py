"""Human texts about poses that are not available, assigned to simulated changes that agree with all their clauses.

A model thus learns how people write, with poses whose joints are known. A model trained on these texts has read the
descriptions and must not be evaluated on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.released.annotations import read_annotations
from fmp_models.errors import BadInputError
from fmp_models.geometry.candidate_evidence import OF_HEIGHT, OF_TRUNK, OF_TURN, SidedPart, mentioned_regions
from fmp_models.geometry.lexicon import LIMBS, Clause, Direction, Part, Plan, Side
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.pose_values import is_lying
from fmp_models.geometry.verdicts import axes_of, relation_excess
from fmp_models.languages.language_data import LANGUAGES, Grammar, grammar
from fmp_models.languages.reader import read_clauses
from fmp_models.pose import Array
from fmp_models.training.texts.described_changes import DescribedChanges

_PLAIN = 0.8  # share of the first degree of change that a clause requires
_MIN_CLAUSES = 2  # minimum number of clauses; texts with fewer are too vague
_EACH = 4  # changes per text
_NEARLY = 0.5  # share of the slack by which a limb can miss the named end point
_SENTENCE = re.compile(r"[^.!?।|]+[.!?।|]*")
_MAX_SENTENCES = 12  # sentences per text; later ones are ignored
_MAX_UNSAID_STEPS = 0.8  # maximum change that the text does not mention, in middle degrees
_STILL = 0.4  # share of the middle degree that counts as no change
_MAX_REMARKABLE_STEPS = 2.0  # upper limit of a change in middle degrees
_REGIONS: dict[SidedPart, tuple[Measure, ...]] = {
    **{
        (side, limb): tuple(m for m in MEASURES if m.side is side and m.part.limb is limb and m.weight > 0.5)  # noqa: PLR2004  leaves out minor measures
        for side in Side.BOTH.each
        for limb in LIMBS
    },
    OF_TRUNK: tuple(m for m in MEASURES if m.part is Part.TRUNK and m.weight),
    OF_HEIGHT: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.UP)),
    OF_TURN: tuple(m for m in MEASURES if (m.part, m.direction) == (Part.BODY, Direction.TURN_LEFT)),
}


def human_paraphrases(annotations: Path, changes: DescribedChanges) -> DescribedChanges:
    """Return the texts of a folder of released captioning annotations, each with up to four of the ``changes``.

    A change must agree with every clause of its text and change little else. If no change agrees with a whole text,
    the longest runs of sentences that some changes agree with are used. Texts with fewer than two clauses are left
    out. Raises :class:`BadInputError` (``annotations_missing``, and the errors of ``read_annotations``).
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
    """A cache of all measures of all changes, each computed on first use."""

    def __init__(self, joints: Array) -> None:
        self._current, self._target = joints[:, 0], joints[:, 1]
        self._lying = is_lying(self._current) | is_lying(self._target)
        self._changes: dict[Measure, Array] = {}
        self._regions: dict[SidedPart, Array] = {}
        self._borne: dict[Clause, NDArray[np.bool_] | None] = {}

    def parts_borne_out(self, text: str, words: Grammar) -> Iterator[tuple[str, list[int]]]:
        """Yield the text, or non-overlapping parts of it, each with the changes that agree with it."""
        sentences = [match.span() for match in _SENTENCE.finditer(text)][:_MAX_SENTENCES]
        entries = read_clauses(text, words)
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
        """Return the changes that agree with every clause of a plan, those with the least left unmentioned first."""
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
        spoken_of = mentioned_regions((clause.side, clause.part, clause.direction) for clause in clauses)
        unsaid = np.zeros(len(rows))
        for region in _REGIONS:
            if region not in spoken_of:
                unsaid += self._remarkable(region)[rows]
        little_unsaid = unsaid <= _MAX_UNSAID_STEPS
        return [int(row) for row in rows[little_unsaid][np.argsort(unsaid[little_unsaid], kind="stable")][:_EACH]]

    def _remarkable(self, region: SidedPart) -> Array:
        """Return the noticeable change in a region (n,), in middle degrees."""
        if region not in self._regions:
            self._regions[region] = np.max(
                [_beyond_still(measure, self._change(measure)) for measure in _REGIONS[region]], axis=0
            )
        return self._regions[region]

    def _change(self, measure: Measure) -> Array:
        """Return the change of a measure (n,); 0 where the measure does not apply."""
        if measure not in self._changes:
            change = measure.change(self._current, self._target)
            self._changes[measure] = np.where(self._lying & measure.needs_feet, 0.0, change)
        return self._changes[measure]

    def _true(self, clause: Clause) -> NDArray[np.bool_] | None:
        """Return the mask of changes that agree with a clause; None if joints cannot judge the clause."""
        axes = [(measure, sign) for measure, sign in axes_of(clause) if not measure.of_faces]
        beyond = [relation_excess(clause, relation, self._target) for relation in clause.relations]
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
    """Return by how many middle degrees the ``changes`` (n,) of a measure exceed what counts as no change."""
    steps = np.abs(changes) / measure.thresholds[1] - _STILL
    return np.asarray(np.clip(steps, 0.0, _MAX_REMARKABLE_STEPS) * min(measure.weight, 1.0))
