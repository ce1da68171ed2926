"""Tiny captioners that were taught a few sentences, whatever they see: what they say is known, and can be read back."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from fmp_models.hub.models import save_speaking
from fmp_models.languages.vocabulary import PAD, Vocabulary
from fmp_models.networks.backbone import NARROW, Backbone, BackboneConfig, VisionModel
from fmp_models.networks.captioner import Captioner, CaptionerConfig, PairBatch
from fmp_models.preprocessing import PicturesConfig

PICTURES = PicturesConfig(64, "person")
_BACKBONE = BackboneConfig(NARROW, width=8)
_PAIRS, _STEPS = 16, 120


def vocabularies_of(texts: Mapping[str, Sequence[str]]) -> dict[str, Vocabulary]:
    """Return every word of the texts, by language."""
    return {
        language: Vocabulary.of(texts_of_language, language, least=1) for language, texts_of_language in texts.items()
    }


def taught(
    texts: Mapping[str, Sequence[str]], seed: int = 0, **switches: bool
) -> tuple[VisionModel[Captioner], dict[str, Vocabulary]]:
    """Return a captioner that says each text of a language with about the same probability, for nearly any pair."""
    known = tuple((language, tuple(texts_of_language)) for language, texts_of_language in texts.items())
    model, vocabularies = deepcopy(_taught(known, seed, **switches))
    torch.manual_seed(seed)  # what draws next draws the same, whether this captioner was taught before or now
    return model, vocabularies


@functools.cache
def _taught(
    known_texts: tuple[tuple[str, tuple[str, ...]], ...], seed: int, **switches: bool
) -> tuple[VisionModel[Captioner], dict[str, Vocabulary]]:
    texts = dict(known_texts)
    torch.manual_seed(seed)
    vocabularies = vocabularies_of(texts)
    sees = switches.get("vision", True)
    config = CaptionerConfig(
        {language: len(vocabulary) for language, vocabulary in vocabularies.items()},
        hidden=32,
        embedding=16,
        dropout=0.0,
        image_channels=8 * _BACKBONE.width,
        backbone=_BACKBONE if sees else None,
        pictures=PICTURES,
        **switches,
    )
    model = VisionModel(Captioner(config), Backbone(_BACKBONE) if sees else None).eval()
    with torch.no_grad():
        encoded = model.network.encode(_pairs(model))
    # Only the words' layers learn: what is seen makes little difference to them.
    optimiser = torch.optim.Adam(model.network.words.parameters(), 0.01)
    spoken = {
        language: _padded(vocabularies[language], texts_of_language) for language, texts_of_language in texts.items()
    }
    for _ in range(_STEPS):
        losses = []
        for language, words in spoken.items():
            chosen = words[torch.randint(len(words), (_PAIRS,))]
            logits = model.network.logits(encoded, chosen[:, None, :-1], language)
            losses.append(cross_entropy(logits.flatten(0, 2), chosen[:, 1:].flatten(), ignore_index=PAD))
        optimiser.zero_grad()
        torch.stack(losses).sum().backward()
        optimiser.step()
    return model, vocabularies


def _pairs(model: VisionModel[Captioner]) -> PairBatch:
    """Pairs of plain and of noisy pictures, with bodies of noise; some without joints, where that may be."""
    config = model.network.config
    pictures: tuple[torch.Tensor | None, torch.Tensor | None] = (None, None)
    if config.vision:
        colours, noise = torch.rand(2 * _PAIRS, 3, 1, 1), torch.rand(2 * _PAIRS, 3, PICTURES.size, PICTURES.size)
        pictures = model.positions(colours + 0.3 * noise * torch.rand(2 * _PAIRS, 1, 1, 1)).chunk(2)
    joints = 0.4 * torch.randn(2, _PAIRS, 20, 3)
    known = torch.arange(_PAIRS) % 4 > 0 if config.missing else None
    return PairBatch(*pictures, *joints, joints_known=known)


def save_taught(folder: Path, texts: Mapping[str, Sequence[str]], seed: int = 0, **switches: bool) -> Path:
    """Save the same captioner as a model folder."""
    model, vocabularies = taught(texts, seed, **switches)
    save_speaking(folder, model, vocabularies, "A captioner for tests.\n")
    return folder


def _padded(vocabulary: Vocabulary, texts: Sequence[str]) -> torch.Tensor:
    numbers = [vocabulary.encode(text) for text in texts]
    longest = max(map(len, numbers))
    return torch.tensor([[*words, *[PAD] * (longest - len(words))] for words in numbers])
