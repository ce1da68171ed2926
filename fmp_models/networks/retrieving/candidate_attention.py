"""Cross attention for many candidates at once, which works out only once what all of them share.

The same numbers as ``CrossAttention`` (Eq. 13-17) and the same parameters. A weight of three parts is applied part by
part, W [x; y; z] = W_1 x + W_2 y + W_3 z: then W_1 x is worked out once for all candidates where x is shared, W_2 can
go through the fewer words instead of the many positions, and nothing is copied into one long vector.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import linear

from fmp_models.networks.attention import CrossAttention


class AttendedCandidates(NamedTuple):
    """Both sets fused, and where each of ``g`` looks among ``f``: weights (b, k, m, n) that sum to 1."""

    f: Tensor
    g: Tensor
    looks: Tensor


class CandidateCrossAttention(CrossAttention):
    """``CrossAttention`` of k candidates; what is the same for all of them has 1 in the place of k."""

    def forward(self, f: Tensor, g: Tensor, padding: Tensor | None = None) -> AttendedCandidates:  # type: ignore[override]
        """``f`` (b, k or 1, n, d), ``g`` (b, k or 1, m, d); ``padding`` (b, 1, m) is true where ``g`` is no word."""
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
    """Matrix products (b, k, n, m) of (b, k or 1, n, d) and (b, k or 1, d, m), without k copies of a shared right."""
    if right.shape[1] == 1:
        return (left.flatten(1, 2) @ right[:, 0]).reshape(*left.shape[:3], right.shape[3])
    return left @ right
