"""The attentions of the paper's Appendix D: general attention, cross attention and its stack, the self gate."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fmp_models.networks.layers import linear

_HIDDEN = -1e10  # what a padded position adds to its score


def attention_weights(states: Tensor, features: Tensor) -> Tensor:
    """How much each of ``states`` (b, q, d) looks at each of ``features`` (b, n, d): (b, q, n), rows that sum to 1.

    Eq. 18-19: an unscaled dot product, then a softmax.
    """
    return torch.softmax(states @ features.transpose(1, 2), dim=-1)


def attend(states: Tensor, features: Tensor) -> tuple[Tensor, Tensor]:
    """General attention (Eq. 18-20): what ``features`` (b, n, d) hold for each of ``states`` (b, q, d).

    Returns the weighted sums (b, q, d) and the weights (b, q, n).
    """
    weights = attention_weights(states, features)
    return weights @ features, weights


class CrossAttention(nn.Module):
    """Two sets of features, each fused with what it finds in the other (Eq. 13-17)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.w_f = linear(3 * size, size)
        self.w_g = linear(3 * size, size)

    def forward(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """``f`` (b, n, d) and ``g`` (b, m, d) to the same shapes; ``padding`` (b, m) is true where ``g`` is no word."""
        similarity = f @ g.transpose(1, 2)  # Eq. 13
        over_g = similarity if padding is None else similarity + _HIDDEN * padding[:, None]
        g_for_f = torch.softmax(over_g, dim=2) @ g
        f_for_g = torch.softmax(similarity, dim=1).transpose(1, 2) @ f
        return (
            self.w_f(torch.cat([f, g_for_f, f * g_for_f], dim=-1)),
            self.w_g(torch.cat([g, f_for_g, g * f_for_g], dim=-1)),
        )


class CrossAttentionStack(nn.Module):
    """CA-Stack (Eq. 12): four cross attentions with the same weights, the second two across current and target."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.attention = CrossAttention(size)

    def forward(
        self, f_current: Tensor, g_current: Tensor, f_target: Tensor, g_target: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Fused f (b, n, d) and g (b, m, d) of both poses; the results in the order of the arguments."""
        f_current, g_current = self.attention(f_current, g_current)
        f_target, g_target = self.attention(f_target, g_target)
        fused_current, fused_g_target = self.attention(f_current, g_target)
        fused_target, fused_g_current = self.attention(f_target, g_current)
        return fused_current, fused_g_current, fused_target, fused_g_target


class SelfGate(nn.Module):
    """A weighted sum over positions, the weights read off each position (Eq. 21-23)."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.gate = linear(size, 1)

    def forward(self, k: Tensor, padding: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """``k`` (b, n, d) to (b, d), and the weights (b, n)."""
        scores = self.gate(k).squeeze(-1)
        if padding is not None:
            scores = scores + _HIDDEN * padding
        weights = torch.softmax(scores, dim=-1)
        return torch.einsum("bn,bnd->bd", weights, k), weights


def fuse(current: Tensor, target: Tensor) -> Tensor:
    """[current; target; current ⊙ target] along the features, the argument of Eq. 2, 7 and 8."""
    return torch.cat([current, target, current * target], dim=-1)
