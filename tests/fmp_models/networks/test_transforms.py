"""Joints in the body frame, and mirrored joints, places and pictures."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from fmp_models.networks.transforms import FRAMES, in_frames, mirrored_joints, mirrored_pixels, mirrored_places
from fmp_models.pose import INDEX, JOINTS, PosePair
from fmp_models.pose import mirror as mirrored_pose
from fmp_models.preprocessing import PersonCrop
from tests.bodies import Arm, Body, bodies, pairs

FLOATS = st.floats(-2, 2, width=32, allow_subnormal=False)
TWO_POSES = arrays(np.float32, (2, 20, 3), elements=FLOATS)
TURN = st.floats(-180, 180)


def posed(body: Body) -> Tensor:
    return torch.from_numpy(body.pose().joints).float()


def about_vertical(joints: Tensor, degrees: float) -> Tensor:
    angle = np.radians(degrees)
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return joints @ torch.tensor([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def lying(joints: Tensor, degrees: float) -> Tensor:
    """Tipped over sideways by so much."""
    angle = np.radians(degrees)
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return joints @ torch.tensor([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def from_body(joints: Tensor, facing: Tensor | None = None) -> Tensor:
    return in_frames(joints, "body", joints if facing is None else facing)


@given(TWO_POSES)
def test_mirrored_joints_have_mirrored_coordinates_exactly(values: np.ndarray) -> None:
    joints = torch.from_numpy(values)
    straight, mirrored = from_body(joints, joints[:1]), from_body(mirrored_joints(joints), mirrored_joints(joints[:1]))
    assert torch.equal(mirrored_joints(straight), mirrored)


@given(bodies, TURN)
def test_who_is_turned_has_the_same_coordinates(body: Body, degrees: float) -> None:
    joints = posed(body)
    torch.testing.assert_close(from_body(about_vertical(joints, degrees)), from_body(joints), atol=1e-4, rtol=0.0)


@given(TURN, st.sampled_from([-90.0, -70.0, 70.0, 90.0]))
def test_who_lies_on_the_side_is_turned_by_the_line_to_the_head(degrees: float, tipped: float) -> None:
    joints = lying(posed(Body(left_arm=Arm(lift=60))), tipped)
    turned_joints = from_body(about_vertical(joints, degrees))
    torch.testing.assert_close(turned_joints, from_body(joints), atol=1e-4, rtol=0.0)
    along = turned_joints[INDEX["head"]] - turned_joints[INDEX["hip"]]
    assert along[2] > 0.4
    assert abs(along[0]) < 1e-4


def test_who_faces_the_camera_is_not_turned_and_who_faces_away_half_round() -> None:
    joints = posed(Body())
    torch.testing.assert_close(from_body(joints), joints, atol=1e-5, rtol=0.0)
    away = about_vertical(joints, 180)
    torch.testing.assert_close(from_body(away), joints, atol=1e-5, rtol=0.0)


@given(bodies, TURN, st.floats(-60, 60))
def test_a_turn_between_two_poses_is_seen_from_every_camera(body: Body, camera: float, turn: float) -> None:
    current, target = posed(body), about_vertical(posed(body), turn)
    seen = from_body(target, current)
    elsewhere = from_body(about_vertical(target, camera), about_vertical(current, camera))
    torch.testing.assert_close(seen, elsewhere, atol=1e-4, rtol=0.0)
    torch.testing.assert_close(seen, about_vertical(from_body(current), turn), atol=1e-4, rtol=0.0)


def test_hips_above_each_other_give_way_to_the_shoulders() -> None:
    joints = posed(Body())
    for side, height in (("left", -0.2), ("right", 0.2)):
        joints[INDEX[f"{side}_hip"]] = torch.tensor([0.0, height, 0.0])
    turned = from_body(about_vertical(joints, 40))
    across = turned[INDEX["left_shoulder"]] - turned[INDEX["right_shoulder"]]
    assert across[0] > 0.1
    assert abs(across[2]) < 1e-5


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_joints_that_give_no_direction_are_not_turned(value: float) -> None:
    facing, joints = torch.full((20, 3), value), torch.randn(20, 3)
    assert torch.equal(from_body(joints, facing), joints)


@pytest.mark.parametrize("frames", FRAMES)
def test_frames_have_as_many_coordinates_as_they_say(frames: str) -> None:
    joints = torch.randn(4, 11, 20, 3)
    in_every_frame = in_frames(joints, frames, joints[:, :1])  # type: ignore[arg-type]
    assert in_every_frame.shape == (4, 11, 20, FRAMES[frames])


@pytest.mark.parametrize("frames", ["camera", "both"])
def test_coordinates_of_the_camera_are_the_joints_own_and_come_first(frames: str) -> None:
    joints = torch.randn(4, 11, 20, 3)
    assert torch.equal(in_frames(joints, frames, joints[:, :1])[..., :3], joints)  # type: ignore[arg-type]


def test_heights_stay_and_so_do_distances() -> None:
    joints = torch.randn(3, 20, 3)
    turned_joints = from_body(joints)
    assert torch.equal(turned_joints[..., 1], joints[..., 1])
    torch.testing.assert_close(turned_joints.norm(dim=-1), joints.norm(dim=-1))


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
