"""Cross attention of many candidates at once, which computes shared inputs only once.

It gives the same results as ``CrossAttention`` (Eq. 13-17) with the same parameters. A weight matrix of three parts
is applied part by part, W [x; y; z] = W_1 x + W_2 y + W_3 z. W_1 x is then computed once for all candidates that
share x, W_2 is applied to the fewer words instead of the many positions, and no long vector is concatenated.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from fmp_models.networks.attention import CrossAttention


class AttendedCandidates(NamedTuple):
    """Both fused sets, and the attention of each of ``g`` over ``f``: weights (b, k, m, n) that sum to 1."""

    f: Tensor
    g: Tensor
    looks: Tensor


class CandidateCrossAttention(CrossAttention):
    """``CrossAttention`` of k candidates; an input that all candidates share has size 1 in dimension k."""

    def forward(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> AttendedCandidates:  # type: ignore[override]
        """Fuse ``f`` (b, k or 1, n, d) and ``g`` (b, k or 1, m, d); ``padding`` (b, 1, m) marks padding in ``g``."""
        similarity = _times(f, g.transpose(2, 3))
        over_g = similarity
        if padding is not None:
            over_g = similarity.masked_fill(padding[:, :, None], torch.finfo(similarity.dtype).min)
        looks = similarity.softmax(dim=2).transpose(2, 3)
        own_weight, other_weight, product_weight = self.w_f.weight.chunk(3, dim=1)
        weights = over_g.softmax(dim=3)
        new_f = linear(f * _times(weights, g), product_weight)
        new_f += _times(weights, linear(g, other_weight))
        new_f += linear(f, own_weight, self.w_f.bias)
        own_weight, other_weight, product_weight = self.w_g.weight.chunk(3, dim=1)
        attended = _times(looks, f)
        new_g = linear(g * attended, product_weight)
        new_g += linear(attended, other_weight)
        new_g += linear(g, own_weight, self.w_g.bias)
        return AttendedCandidates(new_f, new_g, looks)


def _times(left: Tensor, right: Tensor) -> Tensor:
    """Multiply (b, k or 1, n, d) and (b, k or 1, d, m) to (b, k, n, m), without k copies of a shared right factor."""
    if right.shape[1] == 1:
        return (left.flatten(1, 2) @ right[:, 0]).reshape(*left.shape[:3], right.shape[3])
    return left @ right
