"""Layers that the networks share, the paper's attention (Appendix D) among them, and limits on network sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import torch
from torch import Tensor, nn

from fmp_models.geometry import FEATURE_SIZES, pose_changes
from fmp_models.pose import JOINTS

_BYTES = 256  # number of values of a byte


def linear(inputs: int, outputs: int, activation: Literal["linear", "tanh"] = "linear") -> nn.Linear:
    """Return a linear layer with Kaiming-uniform weights for its activation's gain (released code, ``LinearAct``)."""
    layer = nn.Linear(inputs, outputs)
    nn.init.kaiming_uniform_(layer.weight, nonlinearity=activation)
    return layer


def without_unknown(values: Tensor, known: Tensor | None) -> Tensor:
    """Return ``values`` (b, n, c) with zeros in the rows that are not ``known`` (b,), so that NaN has no effect."""
    return values if known is None else torch.where(known[:, None, None], values, torch.zeros_like(values))


class Dropout(nn.Dropout):
    """Dropout at a rate rounded to 1/256, because on a CPU a byte mask is drawn five times as fast as a float mask.

    Torch's own dropout takes a fifth of a retriever's training step.
    """

    def forward(self, values: Tensor) -> Tensor:
        """Apply dropout to ``values`` of any shape: in training set some to zero and scale the others up."""
        dropped = round(_BYTES * self.p)
        if not self.training or not 0 < dropped < _BYTES or values.device.type != "cpu":
            dropout: Tensor = super().forward(values)
            return dropout
        drawn = torch.empty(values.numel() // 8 + 1, dtype=torch.int64).random_(torch.iinfo(torch.int64).min, None)
        mask = drawn.view(torch.uint8)[: values.numel()].reshape(values.shape) >= dropped
        return values * mask.to(values.dtype).mul_(_BYTES / (_BYTES - dropped))


class MissingEmbedding(nn.Module):
    """A learned vector that replaces the features of missing inputs."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.vector = nn.Parameter(torch.randn(size) * size**-0.5)

    def forward(self, features: Tensor, known: Tensor | None) -> Tensor:
        """Return ``features`` (b, n, d) with the vector in rows that are not ``known`` (b,); None means all known."""
        return features if known is None else torch.where(known[:, None, None], features, self.vector)


_HIDDEN = -1e10  # added to the score of a padded position


def attention_weights(states: Tensor, features: Tensor) -> Tensor:
    """Return the attention weights (b, q, n) of ``states`` (b, q, d) over ``features`` (b, n, d); rows sum to 1.

    Eq. 18-19: an unscaled dot product, then a softmax.
    """
    return torch.softmax(states @ features.transpose(1, 2), dim=-1)


def attend(states: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """Apply general attention (Eq. 18-20) of ``states`` (b, q, d) over ``features`` (b, n, d).

    Return the weighted sums (b, q, d) and the weights (b, q, n).
    """
    weights = attention_weights(states, features)
    return weights @ features, weights


class CrossAttention(nn.Module):
    """Cross attention between two sets of features: each is fused with what it attends to in the other (Eq. 13-17)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.w_f = linear(3 * size, size)
        self.w_g = linear(3 * size, size)

    def forward(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Fuse ``f`` (b, n, d) and ``g`` (b, m, d); shapes stay the same.

        ``padding`` (b, m) is true where ``g`` is padding.
        """
        similarity = f @ g.transpose(1, 2)  # Eq. 13
        over_g = similarity if padding is None else similarity + _HIDDEN * padding[:, None]
        g_for_f = torch.softmax(over_g, dim=2) @ g
        f_for_g = torch.softmax(similarity, dim=1).transpose(1, 2) @ f
        return (
            self.w_f(torch.cat([f, g_for_f, f * g_for_f], dim=-1)),
            self.w_g(torch.cat([g, f_for_g, g * f_for_g], dim=-1)),
        )


class CrossAttentionStack(nn.Module):
    """CA-Stack (Eq. 12): four cross attentions with shared weights, the last two across current and target."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.attention = CrossAttention(size)

    def forward(
        self, f_current: Tensor, g_current: Tensor, f_target: Tensor, g_target: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the fused f (b, n, d) and g (b, m, d) of both poses, in the order of the arguments."""
        f_current, g_current = self.attention(f_current, g_current)
        f_target, g_target = self.attention(f_target, g_target)
        fused_current, fused_g_target = self.attention(f_current, g_target)
        fused_target, fused_g_current = self.attention(f_target, g_current)
        return fused_current, fused_g_current, fused_target, fused_g_target


class SelfGate(nn.Module):
    """A weighted sum over positions; the weight of a position is computed from its features (Eq. 21-23)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gate = linear(size, 1)

    def forward(self, k: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the weighted sum (b, d) of ``k`` (b, n, d), and the weights (b, n)."""
        scores = self.gate(k).squeeze(-1)
        if padding is not None:
            scores = scores + _HIDDEN * padding
        weights = torch.softmax(scores, dim=-1)
        return torch.einsum("bn,bnd->bd", weights, k), weights


def fuse(current: Tensor, target: Tensor) -> Tensor:
    """Concatenate [current; target; current ⊙ target] along the features: the argument of Eq. 2, 7 and 8."""
    return torch.cat([current, target, current * target], dim=-1)


class ImageEncoder(nn.Module):
    """tanh(W f + b) of a picture's positions, the released code's ``img_fc``; shared by current and target."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.channels = channels
        self.img_fc = linear(channels, size, "tanh")

    def forward(self, image: Tensor) -> Tensor:
        """Encode positions (b, n, c) as (b, n, d); stored positions can have another precision."""
        return torch.tanh(self.img_fc(image.to(self.img_fc.weight.dtype)))


_BASE = 10000.0  # base of the wavelengths (Vaswani et al. 2017; released code)


def positional_encoding(positions: int, size: int) -> Tensor:
    """Return sinusoids (positions, size): sine on even channels, cosine on odd ones; ``size`` must be even."""
    rates = _BASE ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class JointEncoder(nn.Module):
    """PE(W_j^T J); one W_j serves the current joints, the target joints and their difference."""

    places: Tensor

    def __init__(self, size: int, coordinates: int = 3) -> None:
        super().__init__()
        self.w_j = linear(coordinates, size)
        self.register_buffer("places", positional_encoding(len(JOINTS), size), persistent=False)

    def forward(self, joints: Tensor) -> Tensor:
        """Encode ``joints`` (b, 20, c), in metres or as differences, as (b, 20, d)."""
        encoded: Tensor = self.w_j(joints.to(self.w_j.weight.dtype)) + self.places
        return encoded


def measured_changes(current: Tensor, target: Tensor) -> Tensor:
    """Return ``pose_changes`` (..., n) of joints (..., 20, 3) in metres, on their device, without gradients."""
    before, after = (joints.detach().float().cpu().numpy() for joints in (current, target))
    return torch.from_numpy(pose_changes(before, after)).to(current.device)


class ChangeEncoder(nn.Module):
    """An encoder that gives one vector for each part of the body, from that part's features and the whole change."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.whole = nn.Sequential(
            nn.Linear(sum(FEATURE_SIZES.values()), 2 * size), nn.GELU(), nn.Linear(2 * size, size)
        )
        self.parts = nn.ModuleDict({part: nn.Linear(numbers, size) for part, numbers in FEATURE_SIZES.items()})
        self.dropout = Dropout(dropout)
        self.mixed = nn.ModuleDict(
            {
                part: nn.Sequential(nn.GELU(), nn.Linear(size, size), nn.GELU(), nn.Linear(size, size))
                for part in FEATURE_SIZES
            }
        )

    def forward(self, changes: Tensor) -> Tensor:
        """Encode ``pose_changes`` (..., n) as (..., parts, d)."""
        whole = self.whole(changes)
        of_parts = torch.split(changes, list(FEATURE_SIZES.values()), dim=-1)
        mixed = [
            self.mixed[part](self.dropout(self.parts[part](values) + whole))
            for part, values in zip(FEATURE_SIZES, of_parts, strict=True)
        ]
        return torch.stack(mixed, dim=-2)


# Limits, because configs can be untrusted and networks are built before weights are read.
MAX_FEATURES = 2048  # size of a state, an embedding or a position; the paper has 512, 256 and 2048
MAX_WORDS = 50_000  # of all languages together; the paper has 3554
Rule = tuple[bool, str]  # whether the rule holds, and the error message if not


def keep(rules: Iterable[Rule]) -> None:
    """Raise ValueError with the message of the first rule that does not hold."""
    for kept, flaw in rules:
        if not kept:
            raise ValueError(flaw)
