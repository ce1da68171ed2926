"""Encoded texts of samples, plain and mirrored, and a random choice among several texts per sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from fmp_models.languages.vocabulary import PAD, Vocabulary, tokenise
from fmp_models.training.texts.augmentation import HasTexts, mirrored_texts

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
