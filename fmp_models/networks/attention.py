"""Attention layers of the paper's Appendix D: general attention, cross attention and its stack, the self-gate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fmp_models.networks.layers import linear

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
