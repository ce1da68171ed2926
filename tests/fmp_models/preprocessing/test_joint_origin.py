"""Joints keep what the networks need: steps across a room, or each body by itself."""

import numpy as np
import pytest
from hypothesis import given

from fmp_models.pose import INDEX, Pose, PosePair
from fmp_models.preprocessing.joint_origin import centred, centred_pair
from tests.bodies import pairs

HIP = INDEX["hip"]


def placed(pair: PosePair, *, moved: float = 0.0) -> PosePair:
    def at(pose: Pose) -> Pose:
        return Pose(pose.joints + moved, pose.visibility, placed=True)

    return PosePair(at(pair.current), at(pair.target))


@given(pairs)
def test_a_step_across_the_room_stays_and_the_room_does_not(pair: PosePair) -> None:
    joints = centred_pair(placed(pair))
    assert joints[0, HIP] == pytest.approx(np.zeros(3))
    step = pair.target.joints[HIP] - pair.current.joints[HIP]
    assert joints[1, HIP] == pytest.approx(step, abs=1e-5)
    assert joints == pytest.approx(centred_pair(placed(pair, moved=2.5)), abs=1e-5)


@given(pairs)
def test_bodies_of_two_photographs_have_each_its_own_hip_as_origin(pair: PosePair) -> None:
    unplaced = PosePair(*(Pose(p.joints, p.visibility, placed=False) for p in (pair.current, pair.target)))
    joints = centred_pair(unplaced)
    assert joints[:, HIP] == pytest.approx(np.zeros((2, 3)))
    assert joints.dtype == np.float32


def test_a_batch_may_hold_both_and_any_number_of_candidates() -> None:
    joints = np.random.default_rng(0).normal(size=(2, 11, 20, 3)).astype(np.float32)
    centred_joints = centred(joints, placed=np.array([True, False]))
    assert centred_joints[0] == pytest.approx(joints[0] - joints[0, 0, HIP])
    assert centred_joints[1] == pytest.approx(joints[1] - joints[1, :, None, HIP])
