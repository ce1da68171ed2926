"""Retold samples: seen in a mirror, the other way round, or in other words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from fmp_models.describe.scenes import describe_in_scene
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.languages.mirroring import mirrored_text
from fmp_models.pose import pose_pair
from fmp_models.training.samples.dataset_samples import Samples

Texts = Mapping[str, tuple[tuple[str, ...], ...]]  # by language, several of each sample


class HasTexts(Protocol):
    """The protocol of what has texts, by language several of each."""

    @property
    def texts(self) -> Texts:
        """The texts as ``Samples`` has them."""
        ...


def mirrored_texts(samples: HasTexts) -> Mapping[str, tuple[tuple[str | None, ...], ...]]:
    """Every text as it is of the mirrored pictures and joints; None for one that words cannot mirror."""
    return {
        code: tuple(tuple(mirrored_text(text, code) for text in of_sample) for of_sample in texts)
        for code, texts in samples.texts.items()
    }


def paraphrase(joints: NDArray[np.float32], seed: int, *, placed: bool = True) -> dict[str, str]:
    """A text of the pair with joints (2, 20, 3) by language, from the geometry alone; the same for the same seed.

    The joints are ``placed`` in one room or have each an origin of their own; objects of the room are not named, since
    a sample does not hold them.
    """
    texts = describe_in_scene(pose_pair(*joints, placed=placed), (), seed)
    return {code: texts[code].text for code in LANGUAGES}


def paraphrases(
    joints: NDArray[np.float32], seed: int, rows: Sequence[int], placed: Sequence[bool]
) -> dict[str, list[str]]:
    """As :func:`paraphrase`, of many pairs (n, 2, 20, 3); what is told of one hangs on the seed and its row alone."""
    texts = [
        paraphrase(pair, int(np.random.default_rng([seed, row]).integers(2**31)), placed=together)
        for row, together, pair in zip(
            rows,
            placed,
            tqdm(joints, desc="texts of pairs", unit=" rows"),
            strict=True,
        )
    ]
    return {code: [of_pair[code] for of_pair in texts] for code in LANGUAGES}


def one_of_each(texts: Mapping[str, Sequence[str]]) -> Texts:
    """A text of every sample by language, as ``Samples`` have them."""
    return {code: tuple((text,) for text in of_language) for code, of_language in texts.items()}


def swapped(samples: Samples, seed: int) -> Samples:
    """The way back of every pair (k = 2) whose joints are known: target first, with one text described anew."""
    rows = np.flatnonzero(samples.known.all(axis=1))
    pairs = samples.subset(rows)
    joints = pairs.joints[:, ::-1].copy()
    texts = paraphrases(joints, seed, rows.tolist(), pairs.placed.tolist())
    return replace(
        pairs,
        pictures=pairs.pictures[:, ::-1].copy(),
        joints=joints,
        known=pairs.known[:, ::-1].copy(),
        texts=one_of_each(texts),
    )
