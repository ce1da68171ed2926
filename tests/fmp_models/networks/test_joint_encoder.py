import math

import pytest
import torch

from fmp_models.networks.joint_encoder import JointEncoder, positional_encoding


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
