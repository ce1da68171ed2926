import pytest
import torch

from fmp_models.networks.attention import CrossAttention, CrossAttentionStack, SelfGate, attend, fuse


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
    for ours, expected in zip(attended, (crossed[0], crossed_back[1], crossed_back[0], crossed[1]), strict=True):
        assert torch.equal(ours, expected)


@pytest.mark.parametrize("padded", [False, True])
def test_a_self_gate_s_weights_sum_to_1_and_leave_padding_out(padded: bool) -> None:  # noqa: FBT001  a parameter
    torch.manual_seed(0)
    gate, k = SelfGate(4), torch.randn(2, 5, 4)
    padding = torch.tensor([[False] * 3 + [True] * 2] * 2) if padded else None
    attended, weights = gate(k, padding)
    assert torch.allclose(weights.sum(-1), torch.ones(2))
    assert torch.allclose(attended, (weights[..., None] * k).sum(1), atol=1e-6)
    if padded:
        assert torch.equal(weights[:, 3:], torch.zeros(2, 2))


def test_fusing_puts_the_product_last() -> None:
    assert fuse(torch.tensor([2.0]), torch.tensor([3.0])).tolist() == [2, 3, 6]
