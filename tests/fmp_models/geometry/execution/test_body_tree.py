import numpy as np
import pytest

from fmp_models.geometry.execution.body_tree import UNKNOWNS, moved, slopes
from fmp_models.pose import BONES, INDEX
from tests.bodies import Body, random_pairs


def test_turned_bodies_keep_their_bones() -> None:
    joints = random_pairs(1, seed=1)[0].current.joints
    after = moved(joints, np.random.default_rng(1).normal(size=UNKNOWNS))
    for a, b in BONES:
        before = np.linalg.norm(joints[a] - joints[b])
        assert np.linalg.norm(after[a] - after[b]) == pytest.approx(before, abs=1e-9)


def test_slopes_are_how_the_joints_begin_to_move() -> None:
    joints = random_pairs(1, seed=2)[0].current.joints
    numbers = np.random.default_rng(2).normal(size=UNKNOWNS) * 1e-5
    first = np.einsum("n,njk->jk", numbers, slopes(joints))
    assert moved(joints, numbers) - joints == pytest.approx(first, abs=1e-8)


def test_a_nod_moves_the_head_alone_and_a_lean_no_leg() -> None:
    joints = Body().pose().joints
    ways = slopes(joints).reshape(-1, 3, 20, 3)
    moving = [set(np.flatnonzero(np.abs(turn).max(axis=(0, 2)) > 0)) for turn in ways]
    assert {INDEX["head"]} in moving
    legs = {INDEX[name] for name in INDEX if "knee" in name or "ankle" in name or "foot" in name}
    assert any({INDEX["neck"], INDEX["left_hand"], INDEX["right_hand"]} <= one and not one & legs for one in moving)
