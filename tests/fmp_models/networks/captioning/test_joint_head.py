import pytest
import torch
from torch import nn

from fmp_models.networks.captioning.joint_head import JointHead


def test_a_map_that_is_no_square_is_refused() -> None:
    with pytest.raises(ValueError, match="12 positions"):
        JointHead(4)(torch.rand(1, 12, 4))


def test_it_learns_where_the_one_bright_position_is() -> None:
    torch.manual_seed(0)
    head = JointHead(4)
    number = torch.arange(16)
    maps = torch.zeros(16, 16, 4)
    maps[number, number, 0] = 3.0
    truth = torch.stack([number % 4, number // 4, torch.zeros(16)], dim=-1)[:, None].expand(-1, 20, -1) / 4
    optimiser = torch.optim.Adam(head.parameters(), 0.01)
    for _ in range(300):
        optimiser.zero_grad()
        nn.functional.mse_loss(head(maps), truth).backward()
        optimiser.step()
    assert (head(maps) - truth).norm(dim=-1).mean() < 0.1
