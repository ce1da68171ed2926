from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.pose import (
    BODY_PARTS,
    BONES,
    INDEX,
    JOINTS,
    MIRROR,
    MOVING_JOINTS,
    Array,
    Pose,
    PosePair,
    in_pelvis_frame,
    joint_distances,
    mirror,
    of_bodies,
    pair_as_json,
    part_movements,
    pose_pair,
    rotations,
    support_side,
    yaw,
)
from tests.bodies import Arm, Body, Leg, bodies, pairs, random_pairs
from tests.nonempty import nonempty


def test_the_joints_come_in_the_papers_order() -> None:
    assert JOINTS[:4] == ("hip", "spine", "neck", "head")
    assert JOINTS[4:8] == tuple(f"right_{name}" for name in ("shoulder", "elbow", "wrist", "hand"))
    assert JOINTS[8:12] == tuple(f"left_{name}" for name in ("shoulder", "elbow", "wrist", "hand"))
    assert JOINTS[12:16] == tuple(f"right_{name}" for name in ("hip", "knee", "ankle", "foot"))
    assert JOINTS[16:] == tuple(f"left_{name}" for name in ("hip", "knee", "ankle", "foot"))


def test_the_bones_join_all_joints_into_one_tree() -> None:
    reached = {INDEX["hip"]}
    for parent, child in BONES:
        assert parent in reached
        reached.add(child)
    assert reached == set(range(20))


def test_the_mirror_map_exchanges_sides_and_is_its_own_inverse() -> None:
    exchanged = {"left": "right", "right": "left"}
    for i, j in enumerate(nonempty(MIRROR)):
        assert MIRROR[j] == i
        side, *name = JOINTS[i].split("_")
        assert JOINTS[j].split("_") == [exchanged.get(side, side), *name]


def test_somebody_who_faces_the_camera_has_their_left_on_the_right_of_the_picture() -> None:
    pose = Body().pose()
    assert pose.joints[INDEX["left_hip"], 0] > pose.joints[INDEX["right_hip"], 0]
    assert (
        pose.joints[INDEX["head"], 1] < pose.joints[INDEX["hip"], 1] < pose.joints[INDEX["left_foot"], 1]
    )  # y is down
    assert pose.joints[INDEX["left_foot"], 2] < pose.joints[INDEX["left_ankle"], 2]  # toes towards the camera
    assert yaw(pose.joints) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("degrees", [-120, -30, 45, 170])
def test_yaw_is_positive_to_the_persons_left(degrees: float) -> None:
    pose = Body(yaw=degrees).pose()
    assert yaw(pose.joints) == pytest.approx(degrees, abs=1e-6)


def test_who_turns_to_their_left_turns_to_the_right_of_the_picture() -> None:
    joints = Body(yaw=45).pose().joints
    toes = joints[INDEX["left_foot"]] + joints[INDEX["right_foot"]]
    assert toes[0] > 0


@given(bodies)
def test_the_pelvis_frame_forgets_where_somebody_faces_and_stands(body: Body) -> None:
    here = in_pelvis_frame(body.pose().joints)
    there = in_pelvis_frame(body.change(yaw=body.yaw + 77).pose(at=(1, 2, 3)).joints)
    np.testing.assert_allclose(here, there, atol=1e-9)
    assert here[INDEX["left_hip"], 0] > here[INDEX["right_hip"], 0]


@given(bodies)
def test_the_pelvis_frame_keeps_lengths_and_has_its_origin_at_the_hip(body: Body) -> None:
    joints = body.pose().joints
    frame = in_pelvis_frame(joints)
    for a, b in nonempty(BONES):
        assert np.linalg.norm(frame[a] - frame[b]) == pytest.approx(np.linalg.norm(joints[a] - joints[b]))
    np.testing.assert_allclose(frame[INDEX["hip"]], 0, atol=1e-12)


@given(bodies)
def test_mirroring_twice_changes_nothing(body: Body) -> None:
    pose = body.pose()
    np.testing.assert_array_equal(mirror(mirror(pose)).joints, pose.joints)


@given(pairs)
def test_distances_do_not_depend_on_the_order_or_the_mirror(pair: PosePair) -> None:
    np.testing.assert_allclose(joint_distances(pair), joint_distances(pair.swapped))
    np.testing.assert_allclose(joint_distances(pair)[list(MIRROR)], joint_distances(pair.mirrored), atol=1e-12)


def test_a_distance_is_in_metres() -> None:
    pair = PosePair(Body().pose(), Body(left_arm=Arm(lift=95, bend=5)).pose())
    moved = joint_distances(pair)
    assert moved[INDEX["left_elbow"]] == pytest.approx(0.28 * np.sqrt(2), abs=0.01)  # a quarter circle of the upper arm
    assert moved[INDEX["right_hand"]] == 0


def test_the_foot_that_stays_down_is_the_support() -> None:
    stand, lifted = Body().pose(), Body(left_leg=Leg(lift=70, bend=80)).pose()
    assert support_side(PosePair(stand, lifted)) == "right"
    assert support_side(PosePair(lifted, stand)) == "right"
    assert support_side(PosePair(stand, lifted).mirrored) == "left"


@given(pairs)
def test_the_support_does_not_depend_on_the_order(pair: PosePair) -> None:
    assert support_side(pair) == support_side(pair.swapped)


@pytest.mark.parametrize(
    "joints", [np.zeros((19, 3)), np.full((20, 3), np.nan), np.full((20, 3), np.inf), np.zeros(60)]
)
def test_joints_that_are_no_body_are_refused(joints: np.ndarray) -> None:
    with pytest.raises(ValueError, match="joints must be"):
        Pose(joints, np.ones(20))


def test_a_pose_cannot_be_changed_from_outside() -> None:
    mine = np.array(Body().pose().joints)
    pose = Pose(mine, np.ones(20))
    mine[0] = 9
    assert pose.joints[0, 0] != 9
    with pytest.raises(ValueError, match="read-only"):
        pose.joints[0, 0] = 1


@pytest.mark.parametrize("placed", [True, False])
def test_joints_alone_make_a_pair_that_is_wholly_visible(*, placed: bool) -> None:
    joints = np.stack([Body().pose().joints, Body(left_leg=Leg(lift=70)).pose().joints]).astype(np.float32)
    pair = pose_pair(*joints, placed=placed)
    assert np.array_equal(pair.current.joints, joints[0])
    assert np.array_equal(pair.target.joints, joints[1])
    assert (pair.visibility == 1).all()
    assert pair.placed is placed
    assert pose_pair(*joints.tolist()).placed


def test_a_pair_with_joints_of_no_body_is_refused() -> None:
    with pytest.raises(ValueError, match="joints must be"):
        pose_pair(Body().pose().joints, np.zeros((19, 3)))


def test_a_body_without_any_width_still_has_axes() -> None:
    joints = np.array(Body().pose().joints)
    joints[:, 0] = 0
    joints[:, 2] = 0
    frame = in_pelvis_frame(joints)
    assert np.isfinite(frame).all()


def test_what_is_remembered_of_a_body_is_what_is_measured_anew_and_cannot_be_written() -> None:
    measured = 0

    @of_bodies
    def spread(joints: Array) -> Array:
        nonlocal measured
        measured += 1
        return np.asarray(np.ptp(joints, axis=-2))

    body = np.random.default_rng(0).normal(size=(20, 3))
    first, again = spread(body), spread(body.copy())
    body[3] += 1.0

    assert measured == 1
    assert (first == again).all()
    assert not first.flags.writeable
    assert (spread(body) == np.ptp(body, axis=-2)).all()
    assert spread(body.astype(np.float32)).shape == (3,)
    assert spread(np.broadcast_to(body, (5, 20, 3))).shape == (5, 3)


@given(st.lists(st.tuples(*3 * [st.floats(-7, 7)]), min_size=1, max_size=5))
def test_rotations_are_those_of_scipy(vectors: list[tuple[float, float, float]]) -> None:
    np.testing.assert_allclose(rotations(np.array(vectors)), Rotation.from_rotvec(vectors).as_matrix(), atol=1e-12)


def with_arm_out(pair: PosePair) -> PosePair:
    """Return the change from a pose to the same pose with the left arm some decimetres away."""
    joints = pair.current.joints.copy()
    for name, metres in (("left_elbow", 0.2), ("left_wrist", 0.4), ("left_hand", 0.5)):
        joints[INDEX[name]] += (0.0, metres, 0.0)
    return PosePair(pair.current, Pose(joints, pair.current.visibility))


def test_movements_say_what_moved_and_how_far() -> None:
    pair = with_arm_out(random_pairs(1, 0)[0])
    moved = {one.part: one.centimetres for one in part_movements(pair)}

    assert list(moved)[:2] == ["left_hand", "left_elbow"]
    assert moved["left_hand"] == pytest.approx(50)
    assert moved["left_elbow"] == pytest.approx(20)
    assert {one.part: one.joint for one in part_movements(pair)}["left_hand"] == "left_hand"  # and not the wrist
    assert all(moved[part] == pytest.approx(0) for part in moved if part not in ("left_hand", "left_elbow"))


def test_every_moving_joint_speaks_for_a_part() -> None:
    named = {name for names in MOVING_JOINTS.values() for name in names}

    assert set(JOINTS) - named == {"hip", "left_hip", "right_hip"}  # the poses are laid hips on hips


@pytest.mark.parametrize("pair", random_pairs(5, 1))
def test_what_was_measured_is_written_to_the_micrometre(pair: PosePair) -> None:
    answer = json.loads(json.dumps(pair_as_json(pair), allow_nan=False))

    assert answer["joints"]["names"] == list(JOINTS)
    for which, pose in (("current", pair.current), ("target", pair.target)):
        np.testing.assert_allclose(answer["joints"][which], pose.joints, atol=0.0000005)
        np.testing.assert_allclose(answer["joints"]["visibility"][which], pose.visibility, atol=0.005)
    distances = joint_distances(pair) * 100
    furthest = {part: max(distances[INDEX[name]] for name in MOVING_JOINTS[part]) for part in BODY_PARTS}
    assert answer["distances"] == pytest.approx(furthest, abs=0.05)
    assert list(answer["distances"]) == sorted(furthest, key=lambda part: -furthest[part])


def test_no_joint_is_a_negative_zero() -> None:
    body = Pose(np.full((20, 3), -0.0000001), np.ones(20))

    assert "-0.0" not in json.dumps(pair_as_json(PosePair(body, body)))
