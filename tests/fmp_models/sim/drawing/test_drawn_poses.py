from __future__ import annotations

import numpy as np
import pytest

from fmp_models.pose import INDEX, Array
from fmp_models.sim.drawing.drawn_poses import NAMES, DrawnPoses, drawn_pairs, drawn_poses
from fmp_models.sim.drawing.library import library
from fmp_models.sim.poses.frames import frame
from fmp_models.sim.poses.numbers import BLOCKS, WIDTH, changed_a_little, changed_limbs, drawn
from tests.thoroughness import thorough

COUNT = 400
BODY = 5


@pytest.fixture(scope="module")
def poses() -> DrawnPoses:
    return drawn_poses(np.random.default_rng(5), COUNT, frame(BODY), library())


@pytest.fixture(scope="module")
def joints(poses: DrawnPoses) -> Array:
    return frame(BODY).joints(poses.bodies)


def bend(joints: Array, upper: str, middle: str, lower: str) -> Array:
    a, b, c = (joints[:, INDEX[name]] for name in (upper, middle, lower))
    first, second = b - a, c - b
    cosine = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


@thorough
def test_every_family_is_drawn(poses: DrawnPoses) -> None:
    assert set(poses.families.tolist()) == set(range(len(NAMES)))


def test_no_joint_is_below_the_floor_and_nobody_floats_but_in_motions(poses: DrawnPoses, joints: Array) -> None:
    assert joints[:, :, 2].min() > -0.012
    lowest = frame(BODY).lowest(poses.bodies)
    assert lowest.min() > -0.035
    assert lowest[poses.families != NAMES.index("motions")].max() < 0.055


def test_elbows_and_knees_bend_as_people_do(joints: Array) -> None:
    for side in ("left", "right"):
        assert bend(joints, f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist").max() < 152
        assert bend(joints, f"{side}_hip", f"{side}_knee", f"{side}_ankle").max() < 158


def test_bones_keep_their_lengths(joints: Array) -> None:
    for start, end in (("left_hip", "left_knee"), ("right_knee", "right_ankle"), ("left_elbow", "left_wrist")):
        length = np.linalg.norm(joints[:, INDEX[start]] - joints[:, INDEX[end]], axis=1)
        assert np.ptp(length) < 1e-6


def test_knees_never_bend_forward(poses: DrawnPoses, joints: Array) -> None:
    """Seen from its own thigh the shank folds to the back, where the calf is."""
    for side, word in (("L", "left"), ("R", "right")):
        thigh, shank = (
            joints[:, INDEX[f"{word}_{b}"]] - joints[:, INDEX[f"{word}_{a}"]]
            for a, b in (("hip", "knee"), ("knee", "ankle"))
        )
        front = -poses.bodies.of(f"thigh.{side}")[:, :, 1]
        bent = bend(joints, f"{word}_hip", f"{word}_knee", f"{word}_ankle") > 30
        across = shank - (shank * thigh).sum(axis=1, keepdims=True) / (thigh**2).sum(axis=1, keepdims=True) * thigh
        assert ((across * front).sum(axis=1)[bent] < 0).all()


def test_hands_stay_out_of_trunk_and_head(joints: Array) -> None:
    middle = (joints[:, INDEX["hip"]] + joints[:, INDEX["neck"]]) / 2
    for side in ("left", "right"):
        wrist = joints[:, INDEX[f"{side}_wrist"]]
        assert np.linalg.norm(wrist - middle, axis=1).min() > 0.07
        assert np.linalg.norm(wrist - joints[:, INDEX["head"]], axis=1).min() > 0.05


@thorough
def test_the_same_generator_gives_the_same_poses(poses: DrawnPoses) -> None:
    again = drawn_poses(np.random.default_rng(5), COUNT, frame(BODY), library())
    np.testing.assert_array_equal(again.bodies.turns, poses.bodies.turns)
    other = drawn_poses(np.random.default_rng(6), COUNT, frame(BODY), library())
    assert not np.array_equal(other.numbers, poses.numbers)


@thorough
def test_pairs_differ_as_they_say() -> None:
    body = frame(0)
    current, target, kinds = drawn_pairs(np.random.default_rng(2), COUNT, body, library())
    moved = np.linalg.norm(body.joints(target.bodies) - body.joints(current.bodies), axis=2).mean(axis=1)
    shares = {kind: float((kinds == kind).mean()) for kind in set(kinds.tolist())}
    assert shares["little"] == pytest.approx(0.5, abs=0.1)
    assert shares["limbs"] == pytest.approx(0.25, abs=0.1)
    assert np.median(moved[kinds == "little"]) < np.median(moved[kinds == "other"]) / 2
    same = current.families == target.families
    assert same[kinds == "little"].mean() > 0.95


def test_a_small_change_leaves_kinds_alone_and_limbs_anew_leave_the_rest() -> None:
    random = np.random.default_rng(0)
    rows = drawn(random, 100)
    little = changed_a_little(random, rows, 0.1)
    assert little.shape == (100, WIDTH)
    assert ((little >= 0) & (little < 1)).all()
    assert (little[:, BLOCKS["arm.L"].start] == rows[:, BLOCKS["arm.L"].start]).all()
    limbs = changed_limbs(random, rows)
    parts = [block for name, block in BLOCKS.items() if name != "whole"]
    changed = np.array([(limbs[:, block] != rows[:, block]).any(axis=1) for block in parts]).sum(axis=0)
    assert changed.min() >= 1
    assert changed.max() <= 3
