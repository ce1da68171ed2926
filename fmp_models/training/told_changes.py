"""Changes of pose with the texts that tell them, and no pictures: what a space of both is trained on.

They come from questions of a dataset, from the simulator's drawn poses, and from what people wrote of poses that nobody
has: their words are given to simulated changes that bear out every clause of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.splits import retrieval_split
from fmp_models.data.uids import parse_uid
from fmp_models.errors import BadInputError
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.training.recombining import told_pairs
from fmp_models.training.samples import Samples, read_dataset

Texts = Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True)
class ToldChanges:
    """``joints`` (n, 2, 20, 3) metres of current and target poses, and the texts of each by language, maybe none."""

    joints: NDArray[np.float32]
    texts: Texts

    def __len__(self) -> int:
        """How many there are."""
        return len(self.joints)

    def joined(self, others: ToldChanges) -> ToldChanges:
        """These and the others."""
        texts = {code: (*self.texts[code], *others.texts[code]) for code in LANGUAGES}
        return ToldChanges(np.concatenate([self.joints, others.joints]), texts)


def of_questions(samples: Samples) -> ToldChanges:
    """From the current pose to the answer of every question (or to the target of every pair) that has both joints."""
    rows = np.arange(len(samples))
    answers = 1 + np.maximum(samples.answers, 0)
    kept = samples.known[:, 0] & samples.known[rows, answers]
    joints = np.stack([samples.joints[rows, 0], samples.joints[rows, answers]], axis=1)[kept]
    texts = {
        code: tuple(said for said, keep in zip(samples.texts[code], kept, strict=True) if keep) for code in LANGUAGES
    }
    return ToldChanges(joints, texts)


def of_drawn_poses(count: int, seed: int, cache: Path, recordings: Sequence[Path] = ()) -> ToldChanges:
    """``count`` changes between drawn poses, told in every language; the texts are kept in ``cache``.

    Raises :class:`BadInputError` (``folder_unusable``, ``simulator_missing``, and what reading ``recordings`` does).
    """
    try:
        # What the simulator stands on is installed for development only.
        from fmp_models.sim.poses.views import seen_pairs  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise BadInputError("simulator_missing", library=str(missing.name)) from None
    joints = seen_pairs([seed, count], count, recordings).joints
    texts = told_pairs(joints, seed, cache)
    return ToldChanges(joints, {code: tuple((text,) for text in texts[code]) for code in LANGUAGES})


def of_wide_pairs(folder: Path) -> ToldChanges:
    """The pairs that a dataset has for training alone, and those of its training split, of movements trained on.

    Raises what ``read_dataset`` does.
    """
    samples = read_dataset(folder, "captioning", ("train",), wide=True).splits["train"]
    kept = [row for row, uid in enumerate(samples.uids) if retrieval_split(parse_uid(uid)) == "train"]
    return of_questions(samples.taken(kept))
