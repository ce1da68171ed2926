from __future__ import annotations

import json

import numpy as np
import pytest

from fmp_models.inference.measured_pair import PARTS, measured, movements
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS, Pose, PosePair, joint_distances
from tests.bodies import random_pairs


def with_arm_out(pair: PosePair) -> PosePair:
    """Return the change from a pose to the same pose with the left arm some decimetres away."""
    joints = pair.current.joints.copy()
    for name, metres in (("left_elbow", 0.2), ("left_wrist", 0.4), ("left_hand", 0.5)):
        joints[INDEX[name]] += (0.0, metres, 0.0)
    return PosePair(pair.current, Pose(joints, pair.current.visibility))


def test_movements_say_what_moved_and_how_far() -> None:
    pair = with_arm_out(random_pairs(1, 0)[0])
    moved = {one.part: one.centimetres for one in movements(pair)}

    assert list(moved)[:2] == ["left_hand", "left_elbow"]
    assert moved["left_hand"] == pytest.approx(50)
    assert moved["left_elbow"] == pytest.approx(20)
    assert {one.part: one.joint for one in movements(pair)}["left_hand"] == "left_hand"  # and not the wrist
    assert all(moved[part] == pytest.approx(0) for part in moved if part not in ("left_hand", "left_elbow"))


def test_every_moving_joint_speaks_for_a_part() -> None:
    named = {name for names in PARTS.values() for name in names}

    assert set(JOINTS) - named == {"hip", "left_hip", "right_hip"}  # the poses are laid hips on hips


@pytest.mark.parametrize("pair", random_pairs(5, 1))
def test_what_was_measured_is_written_to_the_micrometre(pair: PosePair) -> None:
    answer = json.loads(json.dumps(measured(pair), allow_nan=False))

    assert answer["joints"]["names"] == list(JOINTS)
    for which, pose in (("current", pair.current), ("target", pair.target)):
        np.testing.assert_allclose(answer["joints"][which], pose.joints, atol=0.0000005)
        np.testing.assert_allclose(answer["joints"]["visibility"][which], pose.visibility, atol=0.005)
    distances = joint_distances(pair) * 100
    furthest = {part: max(distances[INDEX[name]] for name in PARTS[part]) for part in BODY_PARTS}
    assert answer["distances"] == pytest.approx(furthest, abs=0.05)
    assert list(answer["distances"]) == sorted(furthest, key=lambda part: -furthest[part])


def test_no_joint_is_a_negative_zero() -> None:
    body = Pose(np.full((20, 3), -0.0000001), np.ones(20))

    assert "-0.0" not in json.dumps(measured(PosePair(body, body)))
