from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.networks.layers import Dropout


@given(st.floats(0, 1), st.lists(st.integers(0, 5), max_size=3), st.sampled_from([torch.float32, torch.bfloat16]))
def test_dropout_gives_the_same_shape_and_either_nothing_or_one_multiple(
    rate: float, shape: list[int], dtype: torch.dtype
) -> None:
    values = Dropout(rate)(torch.ones(shape, dtype=dtype))
    assert (values.shape, values.dtype) == (torch.Size(shape), dtype)
    assert len(set(values[values != 0].tolist())) <= 1


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5, 0.9])
def test_dropout_drops_at_its_rate_and_keeps_the_mean(rate: float) -> None:
    torch.manual_seed(0)
    values = Dropout(rate)(torch.ones(1000, 1000))
    assert (values == 0).float().mean() == pytest.approx(rate, abs=0.004)
    assert values.mean() == pytest.approx(1, abs=0.01)


def test_places_are_dropped_independently_of_their_neighbours() -> None:
    torch.manual_seed(0)
    dropped = (Dropout(0.5)(torch.ones(200_000)) == 0).float() - 0.5
    for distance in (1, 2, 7, 8, 64):
        assert (dropped[distance:] * dropped[:-distance]).mean() == pytest.approx(0, abs=0.003)


def test_dropout_follows_the_seed_its_gradient_the_mask_and_nothing_is_dropped_in_use() -> None:
    values = torch.rand(50, 7, requires_grad=True)
    layer = Dropout(0.3)
    kept = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        kept.append(layer(values))
    assert torch.equal(kept[0], kept[1])
    assert not torch.equal(kept[0], kept[2])
    (gradient,) = torch.autograd.grad(kept[0].sum(), values)
    assert torch.equal(gradient != 0, kept[0] != 0)
    assert torch.equal(layer.eval()(values), values)
