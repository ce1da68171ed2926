import numpy as np
import pytest

from fmp_models.geometry.execution.body_tree import UNKNOWNS, moved, unknowns_of
from fmp_models.pose import BONES, INDEX, Array
from tests.bodies import Body, random_pairs


def moved_joints(names: set[str]) -> set[int]:
    joints = Body().pose().joints
    numbers = np.zeros((1, UNKNOWNS))
    numbers[:, unknowns_of(frozenset(names))] = 0.3
    return {*np.flatnonzero(np.abs(moved(joints, numbers)[0] - joints).max(axis=-1) > 1e-9)}


def indices(*names: str) -> set[int]:
    return {INDEX[name] for name in names}


def lengths(joints: Array) -> Array:
    return np.array([np.linalg.norm(joints[a] - joints[b]) for a, b in BONES])


def test_turned_bodies_keep_their_bones() -> None:
    joints = random_pairs(1, seed=1)[0].current.joints
    bodies = moved(joints, np.random.default_rng(1).normal(size=(3, UNKNOWNS)))
    assert np.array([lengths(body) for body in bodies]) == pytest.approx(np.tile(lengths(joints), (3, 1)), abs=1e-9)
    assert np.abs(bodies - joints).max() > 0.3


def test_no_turn_and_no_shift_leave_the_body_where_it_is() -> None:
    joints = random_pairs(1, seed=2)[0].current.joints
    assert moved(joints, np.zeros((1, UNKNOWNS)))[0] == pytest.approx(joints, abs=1e-12)


def test_a_turn_moves_what_hangs_on_its_pivot() -> None:
    assert moved_joints({"neck"}) == indices("head")
    assert moved_joints({"left_elbow"}) == indices("left_wrist", "left_hand")
    assert moved_joints({"right_hip"}) == indices("right_knee", "right_ankle", "right_foot")
    assert not moved_joints({"waist", "spine"}) & indices("left_knee", "right_hip", "hip")
    assert moved_joints({"shift"}) == {*range(20)}
