"""Texts of samples: generated variants (mirrored, reversed, described again), and texts encoded as word numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from tqdm import tqdm

from fmp_models.describe import describe_in_scene
from fmp_models.languages import LANGUAGES, PAD, Vocabulary, mirrored_text, tokenise
from fmp_models.pose import pose_pair
from fmp_models.training.dataset_samples import Samples

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


Numbers = tuple[int, ...]


@dataclass(frozen=True)
class EncodedTexts:
    """The encoded texts of one language: ``plain[i]`` of sample ``i``, and ``mirrored[i]`` of its mirror image.

    Texts that cannot be mirrored are missing in ``mirrored``.
    """

    vocabulary: Vocabulary
    plain: tuple[tuple[Numbers, ...], ...]
    mirrored: tuple[tuple[Numbers, ...], ...]

    def first(self, rows: Sequence[int]) -> list[Numbers]:
        """Return the first text of each sample."""
        return [self.plain[row][0] for row in rows]

    def chosen(self, rows: Sequence[int], mirrored: Tensor, generator: torch.Generator) -> Tensor:
        """Choose one random text of each sample (b, t), padded; ``mirrored`` (b,) marks the mirrored samples."""
        lots = torch.rand(len(rows), generator=generator).tolist()
        texts = []
        for row, turned, lot in zip(rows, mirrored.tolist(), lots, strict=True):
            among = (self.mirrored if turned else self.plain)[row]
            texts.append(among[int(lot * len(among))])
        return padded(texts)


def spoken(
    samples: HasTexts,
    vocabularies: Mapping[str, Vocabulary],
    *,
    ends: bool,
    longest: int | None,
    as_meant: bool = False,
) -> dict[str, EncodedTexts]:
    """Encode the texts in every language of ``vocabularies``; see ``Vocabulary.encode`` for ``ends`` and ``longest``.

    With ``as_meant`` texts have no end marks, and polite forms and typing slips count as the intended words, as in a
    query.
    """
    turned = mirrored_texts(samples)
    return {
        language: EncodedTexts(
            vocabulary,
            tuple(
                _encoded(texts, vocabulary, ends=ends, longest=longest, as_meant=as_meant)
                for texts in samples.texts[language]
            ),
            tuple(
                _encoded(texts, vocabulary, ends=ends, longest=longest, as_meant=as_meant) for texts in turned[language]
            ),
        )
        for language, vocabulary in vocabularies.items()
    }


def lengths(spoken: Mapping[str, EncodedTexts]) -> list[int]:
    """Return the number of tokens in each sample's first text, the maximum over languages."""
    lengths_by_language = [[len(texts[0]) for texts in of_language.plain] for of_language in spoken.values()]
    return [max(lengths_of_sample) for lengths_of_sample in zip(*lengths_by_language, strict=True)]


def mirrorable(spoken: Mapping[str, EncodedTexts]) -> Tensor:
    """Return which samples (n,) have a mirror image in every language."""
    mirrored_by_language = [language.mirrored for language in spoken.values()]
    return torch.tensor([all(texts) for texts in zip(*mirrored_by_language, strict=True)])


def chosen_texts(
    spoken: Mapping[str, EncodedTexts], rows: Sequence[int], mirrored: Tensor, generator: torch.Generator
) -> dict[str, Tensor]:
    """Choose one text of each sample in every language, as :meth:`EncodedTexts.chosen` does."""
    return {language: texts.chosen(rows, mirrored, generator) for language, texts in spoken.items()}


def padded(texts: Sequence[Sequence[int]]) -> Tensor:
    """Return texts as a tensor (b, t) with the length of the longest, padded with :data:`PAD`."""
    longest = max(map(len, texts))
    return torch.tensor([[*text, *[PAD] * (longest - len(text))] for text in texts])


def _encoded(
    texts: Sequence[str | None], vocabulary: Vocabulary, *, ends: bool, longest: int | None, as_meant: bool
) -> tuple[Numbers, ...]:
    if as_meant:
        told = (tokenise(text, vocabulary.language)[:longest] for text in texts if text is not None)
        return tuple(tuple(vocabulary.numbers_as_meant(words)) for words in told)
    return tuple(tuple(vocabulary.encode(text, ends=ends, longest=longest)) for text in texts if text is not None)
