"""Pose changes with texts and without pictures: the training data of the joint embedding space.

They come from the queries of a dataset, from the simulator's drawn poses, and from human texts about poses that are
not available: those texts are assigned to simulated changes that agree with all of their clauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.data import parse_uid, read_annotations, retrieval_split
from fmp_models.errors import BadInputError
from fmp_models.geometry import (
    LIMBS,
    MEASURES,
    OF_HEIGHT,
    OF_TRUNK,
    OF_TURN,
    Clause,
    Direction,
    Measure,
    Part,
    Plan,
    Side,
    SidedPart,
    axes_of,
    is_lying,
    mentioned_regions,
    relation_excess,
)
from fmp_models.languages import LANGUAGES, SENTENCE_ENDS, Grammar, grammar, read_clauses, tokenise
from fmp_models.pose import Array
from fmp_models.training.augmentation import JointNoise, noisy
from fmp_models.training.dataset_samples import Samples, read_dataset
from fmp_models.training.estimated_joints import EstimatedJoints, read_estimated_joints
from fmp_models.training.recombination import described_drawn_pairs, described_shape_pairs
from fmp_models.training.shape_texts import NAMED
from fmp_models.training.texts import Texts


def _nothing() -> NDArray[np.float32]:
    return np.zeros(0, dtype=np.float32)


def _meaning() -> NDArray[np.bool_]:
    return np.zeros((0, len(NAMED)), dtype=np.bool_)


@dataclass(frozen=True)
class DescribedChanges:
    """``joints`` (n, 2, 20, 3) in metres of current and target poses, and the texts of each by language, possibly none.

    ``measured`` (n, 2, 20, 3) are the same poses as estimated in their pictures, or with simulated errors for drawn
    poses; NaN where no person was found, and everywhere if not given. ``meant`` (n, shapes) marks the shapes that a
    text means when it is only a shape's name; none if not given.
    """

    joints: NDArray[np.float32]
    texts: Texts
    measured: NDArray[np.float32] = field(default_factory=_nothing)
    meant: NDArray[np.bool_] = field(default_factory=_meaning)

    def __post_init__(self) -> None:
        """Set missing estimates to NaN and missing meanings to false."""
        if len(self.measured) != len(self.joints):
            object.__setattr__(self, "measured", np.full_like(self.joints, np.nan))
        if len(self.meant) != len(self.joints):
            object.__setattr__(self, "meant", np.zeros((len(self.joints), len(NAMED)), dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of changes."""
        return len(self.joints)

    def joined(self, others: DescribedChanges) -> DescribedChanges:
        """Return these changes followed by ``others``."""
        texts = {code: (*self.texts[code], *others.texts[code]) for code in LANGUAGES}
        joints, measured, meant = (
            np.concatenate([getattr(changes, name) for changes in (self, others)])
            for name in ("joints", "measured", "meant")
        )
        return DescribedChanges(joints, texts, measured, meant)

    def different_words(self, language: str) -> int:
        """Return the number of distinct words in the texts of a language."""
        words = {word for of_sample in self.texts[language] for text in of_sample for word in tokenise(text, language)}
        return sum(any(map(str.isalpha, word)) for word in words)  # punctuation and numbers do not count

    def with_texts(self, rows: Sequence[int], texts: Texts) -> DescribedChanges:
        """Return the changes of these rows with other texts."""
        return DescribedChanges(self.joints[rows], texts, self.measured[rows])


def of_questions(samples: Samples, estimated: EstimatedJoints | None = None) -> DescribedChanges:
    """Return the changes from the current pose to the answer (for pairs: to the target) where both joints are known.

    ``estimated`` gives the joints estimated in their pictures.
    """
    rows = np.arange(len(samples))
    answers = 1 + np.maximum(samples.answers, 0)
    is_known = samples.known[:, 0] & samples.known[rows, answers]
    joints = np.stack([samples.joints[rows, 0], samples.joints[rows, answers]], axis=1)[is_known]
    measured = np.full_like(joints, np.nan)
    if estimated is not None:
        estimates, known = estimated.at(
            np.stack([samples.pictures[rows, 0], samples.pictures[rows, answers]], axis=1)[is_known]
        )
        measured[known.all(axis=1)] = estimates[known.all(axis=1)]
    texts = {
        code: tuple(of_sample for of_sample, keep in zip(samples.texts[code], is_known, strict=True) if keep)
        for code in LANGUAGES
    }
    return DescribedChanges(joints, texts, measured)


def of_drawn_poses(count: int, seed: int, cache: Path, recordings: Sequence[Path] = ()) -> DescribedChanges:
    """Return ``count`` changes between drawn poses, with texts in every language that mention no steps.

    A change does not contain steps. The texts are kept in ``cache``. Raises the errors of ``described_drawn_pairs``.
    """
    drawn = described_drawn_pairs(count, seed, cache, recordings)
    measured = noisy(torch.from_numpy(drawn.camera_joints), JointNoise(), torch.Generator().manual_seed(seed))
    return DescribedChanges(drawn.joints, drawn.texts, measured.numpy())


def of_shapes(count: int, seed: int, cache: Path) -> DescribedChanges:
    """Return ``count`` changes from drawn poses into shapes that most of their texts name.

    They are kept in ``cache``. Raises the errors of ``described_shape_pairs``.
    """
    drawn, meant = described_shape_pairs(count, seed, cache)
    measured = noisy(torch.from_numpy(drawn.camera_joints), JointNoise(), torch.Generator().manual_seed(seed))
    return DescribedChanges(drawn.joints, drawn.texts, measured.numpy(), meant)


def of_wide_pairs(folder: Path, measured_in: Path | None = None) -> DescribedChanges:
    """Return the changes of a dataset's wide pairs and of its training split, for training movements only.

    ``measured_in`` is the cache folder for the joints estimated in their pictures; None leaves these out. Raises the
    errors of ``read_dataset`` and ``read_estimated_joints``.
    """
    dataset = read_dataset(folder, "captioning", ("train",), wide=True)
    estimated = None if measured_in is None else read_estimated_joints(dataset, measured_in)
    samples = dataset.splits["train"]
    rows = [row for row, uid in enumerate(samples.uids) if retrieval_split(parse_uid(uid)) == "train"]
    return of_questions(samples.subset(rows), estimated)


_PLAIN = 0.8  # share of the first degree of change that a clause requires
_MIN_CLAUSES = 2  # minimum number of clauses; texts with fewer are too vague
_EACH = 4  # changes per text
_NEARLY = 0.5  # share of the slack by which a limb can miss the named end point
_SENTENCE = re.compile(rf"[^{SENTENCE_ENDS}|]+[{SENTENCE_ENDS}|]*")
_MAX_SENTENCES = 12  # sentences per text; later ones are ignored
_MAX_UNSAID_STEPS = 0.8  # maximum change that the text does not mention, in middle degrees
_STILL = 0.4  # share of the middle degree that counts as no change
_MAX_REMARKABLE_STEPS = 2.0  # upper limit of a change in middle degrees
_REGIONS: dict[SidedPart, tuple[Measure, ...]] = {  # the regions of ``mentioned_regions``
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

    A model thus learns how people write, with poses whose joints are known; it has then read the descriptions and must
    not be evaluated on them. A change must agree with every clause of its text and change little else. If no change
    agrees with a whole text, the longest runs of sentences that some changes agree with are used. Texts with fewer
    than two clauses are left out. Raises :class:`BadInputError` (``annotations_missing``, and the errors of
    ``read_annotations``).
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
                plan = tuple(entry.goal for entry in entries if start <= entry.start < end)
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
