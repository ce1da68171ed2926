"""Pose changes with texts and without pictures: the training data of the joint embedding space.

They come from the queries of a dataset, from the simulator's drawn poses, and from human texts about poses that are
not available: those texts are assigned to simulated changes that agree with all of their clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from fmp_models.data.splits import retrieval_split
from fmp_models.data.uids import parse_uid
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.vocabulary import tokenise
from fmp_models.training.samples.augmentation import JointNoise, noisy
from fmp_models.training.samples.dataset_samples import Samples, read_dataset
from fmp_models.training.samples.estimated_joints import EstimatedJoints, read_estimated_joints
from fmp_models.training.texts.augmentation import Texts
from fmp_models.training.texts.drawn_poses import described_drawn_pairs, described_shape_pairs
from fmp_models.training.texts.shape_texts import NAMED


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
