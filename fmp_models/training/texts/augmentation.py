"""Generated variants of samples: mirrored, reversed or described again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.languages.mirroring import mirrored_text
from fmp_models.pose import pose_pair
from fmp_models.training.samples.dataset_samples import Samples

Texts = Mapping[str, tuple[tuple[str, ...], ...]]  # by language, several per sample


class HasTexts(Protocol):
    """The protocol of data with texts: by language, several per sample."""

    @property
    def texts(self) -> Texts:
        """The texts, as in ``Samples``."""
        ...


def mirrored_texts(samples: HasTexts) -> Mapping[str, tuple[tuple[str | None, ...], ...]]:
    """Return every text for the mirrored pictures and joints; None for a text that cannot be mirrored."""
    return {
        code: tuple(tuple(mirrored_text(text, code) for text in of_sample) for of_sample in texts)
        for code, texts in samples.texts.items()
    }


def paraphrase(joints: NDArray[np.float32], seed: int, *, placed: bool = True) -> dict[str, str]:
    """Return a text of the pair with joints (2, 20, 3) by language, from the geometry alone; reproducible by ``seed``.

    The joints are ``placed`` in one room, or each pose has its own origin. Objects of the room are not named, because
    samples do not contain them.
    """
    texts = describe_in_scene(pose_pair(*joints, placed=placed), (), seed)
    return {code: texts[code].text for code in LANGUAGES}


def paraphrases(
    joints: NDArray[np.float32], seed: int, rows: Sequence[int], placed: Sequence[bool]
) -> dict[str, list[str]]:
    """Apply :func:`paraphrase` to many pairs (n, 2, 20, 3); randomness depends only on the seed and a pair's row."""
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
    """Return one text per sample by language, in the format of ``Samples``."""
    return {code: tuple((text,) for text in of_language) for code, of_language in texts.items()}


def swapped(samples: Samples, seed: int) -> Samples:
    """Return the reverse of every pair (k = 2) with known joints: target first, with one newly generated text."""
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
