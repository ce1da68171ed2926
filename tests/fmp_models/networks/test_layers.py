"""Shared layers: dropout, attention and joint encoding."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.networks.layers import (
    CrossAttention,
    CrossAttentionStack,
    Dropout,
    JointEncoder,
    SelfGate,
    attend,
    fuse,
    positional_encoding,
)


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


def test_general_attention_is_the_softmax_of_dot_products() -> None:
    features = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    attended, weights = attend(torch.tensor([[[0.0, 1.0]]]), features)
    expected = torch.softmax(torch.tensor([0.0, 2.0]), 0)
    assert torch.allclose(weights[0, 0], expected)
    assert torch.allclose(attended[0, 0], expected @ features[0])


def test_each_of_several_states_attends_as_it_does_alone() -> None:
    torch.manual_seed(0)
    states, features = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    attended, weights = attend(states, features)
    for i in range(3):
        alone = attend(states[:, i : i + 1], features)
        assert torch.allclose(attended[:, i : i + 1], alone[0], atol=1e-6)
        assert torch.allclose(weights[:, i : i + 1], alone[1], atol=1e-6)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3))


def test_cross_attention_is_the_paper_s_equations_word_for_word() -> None:
    torch.manual_seed(0)
    attention = CrossAttention(4)
    f, g = torch.randn(1, 3, 4), torch.randn(1, 5, 4)
    fused_f, fused_g = attention(f, g)
    s = torch.stack([torch.stack([f[0, i] @ g[0, j] for j in range(5)]) for i in range(3)])
    f_hat = torch.softmax(s.T, dim=-1) @ f[0]
    g_hat = torch.softmax(s, dim=-1) @ g[0]
    assert torch.allclose(fused_g[0], attention.w_g(torch.cat([g[0], f_hat, g[0] * f_hat], -1)), atol=1e-6)
    assert torch.allclose(fused_f[0], attention.w_f(torch.cat([f[0], g_hat, f[0] * g_hat], -1)), atol=1e-6)


def test_padding_is_as_if_it_were_not_there() -> None:
    torch.manual_seed(0)
    attention = CrossAttention(4)
    f, g = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    padding = torch.tensor([[False] * 4 + [True]] * 2)
    with_padding = attention(f, g, padding)
    without = attention(f, g[:, :4])
    assert torch.allclose(with_padding[0], without[0], atol=1e-6)
    assert torch.allclose(with_padding[1][:, :4], without[1], atol=1e-6)


def test_the_stack_crosses_current_and_target_the_second_time() -> None:
    torch.manual_seed(0)
    stack = CrossAttentionStack(4)
    f_current, g_current, f_target, g_target = torch.randn(4, 1, 3, 4)
    attended = stack(f_current, g_current, f_target, g_target)
    once_current, once_target = stack.attention(f_current, g_current), stack.attention(f_target, g_target)
    crossed = stack.attention(once_current[0], once_target[1])
    crossed_back = stack.attention(once_target[0], once_current[1])
    assert all(map(torch.equal, attended, (crossed[0], crossed_back[1], crossed_back[0], crossed[1])))


@pytest.mark.parametrize("padded", [False, True])
def test_a_self_gate_s_weights_sum_to_1_and_leave_padding_out(padded: bool) -> None:  # noqa: FBT001  a parameter
    torch.manual_seed(0)
    gate, k = SelfGate(4), torch.randn(2, 5, 4)
    padding = torch.tensor([[False] * 3 + [True] * 2] * 2) if padded else None
    attended, weights = gate(k, padding)
    assert torch.allclose(weights.sum(-1), torch.ones(2))
    assert torch.allclose(attended, (weights[..., None] * k).sum(1), atol=1e-6)
    assert torch.equal(weights[:, 3:] == 0, torch.full((2, 2), padded))


def test_fusing_puts_the_product_last() -> None:
    assert fuse(torch.tensor([2.0]), torch.tensor([3.0])).tolist() == [2, 3, 6]


def test_positions_are_sines_on_even_and_cosines_on_odd_channels() -> None:
    encoding = positional_encoding(20, 8)
    for position, channel in ((0, 0), (3, 2), (19, 6)):
        angle = position / 10000 ** (channel / 8)
        assert encoding[position, channel].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert encoding[position, channel + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


def test_the_same_point_is_told_apart_by_its_joint() -> None:
    encoder = JointEncoder(8)
    encoded = encoder(torch.ones(1, 20, 3))[0]
    assert torch.cdist(encoded, encoded).add(torch.eye(20)).min() > 0.01


def test_encoding_is_the_linear_layer_plus_the_position() -> None:
    encoder = JointEncoder(8)
    joints = torch.randn(2, 20, 3)
    assert torch.allclose(
        encoder(joints) - encoder.w_j(joints), positional_encoding(20, 8).expand(2, -1, -1), atol=1e-6
    )


def test_positions_are_no_weights_of_a_saved_encoder() -> None:
    assert set(JointEncoder(8).state_dict()) == {"w_j.weight", "w_j.bias"}
