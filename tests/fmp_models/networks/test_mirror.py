"""What stands before a mirror is seen in it, joints, places and pixels alike."""

import pytest
import torch
from hypothesis import given

from fmp_models.networks.mirror import mirrored_joints, mirrored_pixels, mirrored_places
from fmp_models.pose import INDEX, JOINTS, PosePair
from fmp_models.pose import mirror as mirrored_pose
from fmp_models.preprocessing.person_crop import PersonCrop
from tests.bodies import pairs


def drawn(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@given(pairs)
def test_mirrored_joints_are_those_of_the_mirrored_pose(pair: PosePair) -> None:
    mirrored = mirrored_joints(torch.tensor(pair.current.joints))
    assert mirrored.numpy() == pytest.approx(mirrored_pose(pair.current).joints)
    assert torch.equal(mirrored_joints(mirrored), torch.tensor(pair.current.joints))


def test_mirrored_places_are_where_the_mirrored_picture_shows_them() -> None:
    pixels = torch.zeros(8, 8, 3, dtype=torch.uint8)
    pixels[5, 1] = 9
    places = torch.rand(len(JOINTS), 2, generator=drawn())
    places[INDEX["left_hand"]] = torch.tensor([1.5 / 8, 5.5 / 8])
    x, y = (mirrored_places(places)[INDEX["right_hand"]] * 8).int().tolist()
    assert mirrored_pixels(pixels)[y, x].tolist() == [9, 9, 9]
    assert torch.allclose(mirrored_places(mirrored_places(places)), places)


def test_a_mirrored_body_projects_to_mirrored_places() -> None:
    joints = torch.rand(len(JOINTS), 3, generator=drawn()) + torch.tensor([-0.5, -0.5, 4.0])
    square = PersonCrop(-1, -1, 2)
    places = torch.from_numpy(square.places((joints[:, :2] / joints[:, 2:]).numpy()))
    mirrored = mirrored_joints(joints)
    expected = torch.from_numpy(square.places((mirrored[:, :2] / mirrored[:, 2:]).numpy()))
    assert torch.allclose(mirrored_places(places), expected, atol=1e-6)
