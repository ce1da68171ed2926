import pytest
import torch

from fmp_models.networks.attention import CrossAttention
from fmp_models.networks.retrieving.candidate_attention import CandidateCrossAttention


@pytest.mark.parametrize(("f_shared", "g_shared"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("padded", [False, True])
def test_every_candidate_is_crossed_as_it_is_alone(f_shared: bool, g_shared: bool, padded: bool) -> None:  # noqa: FBT001
    torch.manual_seed(0)
    one_by_one = CrossAttention(8)
    together = CandidateCrossAttention(8)
    together.load_state_dict(one_by_one.state_dict())
    f, g = torch.randn(2, 1 if f_shared else 3, 5, 8), torch.randn(2, 1 if g_shared else 3, 4, 8)
    padding = torch.tensor([[False] * 4, [False, False, True, True]]) if padded else None
    crossed = together(f, g, None if padding is None else padding[:, None])
    for i in range(crossed.f.shape[1]):
        expected = one_by_one(f[:, 0 if f_shared else i], g[:, 0 if g_shared else i], padding)
        assert torch.allclose(crossed.f[:, i], expected[0], atol=1e-5)
        assert torch.allclose(crossed.g[:, i], expected[1], atol=1e-5)
    assert crossed.looks.shape == (2, crossed.f.shape[1], 4, 5)
    assert torch.allclose(crossed.looks.sum(-1), torch.ones(()))
