"""Tiny captioners of every kind, and pairs for them to look at."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch

from fmp_models.languages.vocabulary import BOS, EOS, PAD, UNK
from fmp_models.networks.captioner import Captioner, CaptionerConfig, PairBatch

CHANNELS, POSITIONS = 6, 9
SIZES = {"en": 9, "hi": 11}

VARIANTS: dict[str, dict[str, bool]] = {
    "full": {},
    "vision-only": {"previous_words": False},
    "language-only": {"vision": False, "joints": False},
    "no joints": {"joints": False},
    "joint prediction": {"joint_prediction": True},
    "missing": {"missing": True},
    "missing, joint prediction": {"missing": True, "joint_prediction": True},
    "measures": {"measures": True},
    "missing, measures": {"missing": True, "measures": True},
}


def captioner(seed: int = 0, sizes: dict[str, int] | None = None, **switches: Any) -> Captioner:  # noqa: ANN401  any of its fields
    """Return a captioner with a few hundred parameters, in evaluation mode."""
    torch.manual_seed(seed)
    config = CaptionerConfig(sizes or SIZES, hidden=8, embedding=5, image_channels=CHANNELS, **switches)
    made = Captioner(config).eval()
    if made.w_measures is not None:  # as a trained one, which minds them
        torch.nn.init.normal_(made.w_measures.weight)
    return made


def pairs(count: int, seed: int = 1) -> PairBatch:
    """Return pairs with pictures and joints."""
    torch.manual_seed(seed)
    images = torch.rand(2, count, POSITIONS, CHANNELS)
    joints = torch.randn(2, count, 20, 3)
    return PairBatch(images[0], images[1], joints[0], joints[1])


def half_known(count: int) -> PairBatch:
    """Return pairs without some pictures, some joints, or both; missing values are NaN."""
    pair = pairs(count)
    number = torch.arange(count)
    image_known, joints_known = number % 2 == 0, number % 3 == 0
    for values, known in (
        (pair.current_image, image_known),
        (pair.target_image, image_known),
        (pair.current_joints, joints_known),
        (pair.target_joints, joints_known),
    ):
        assert values is not None
        values[~known] = torch.nan
    return PairBatch(
        pair.current_image, pair.target_image, pair.current_joints, pair.target_joints, image_known, joints_known
    )


def part(pair: PairBatch, rows: list[int]) -> PairBatch:
    """Return some pairs of a batch."""
    values = {field.name: getattr(pair, field.name) for field in fields(pair)}
    return PairBatch(**{name: value if value is None else value[rows] for name, value in values.items()})


def texts(count: int, words: int, language: str = "en", seed: int = 2) -> torch.Tensor:
    """Random words (count, words), the last the end mark."""
    torch.manual_seed(seed)
    drawn = torch.randint(UNK + 1, SIZES[language], (count, words))
    drawn[:, -1] = EOS
    return drawn


def begun(words: torch.Tensor) -> torch.Tensor:
    """Return the decoder's input for predicting each of ``words`` (..., t) next."""
    return torch.cat([torch.full_like(words[..., :1], BOS), words[..., :-1]], dim=-1)


def padded(words: torch.Tensor, more: int) -> torch.Tensor:
    """Return the same words (b, t) with padding after them."""
    return torch.cat([words, torch.full((len(words), more), PAD)], dim=1)
