"""The live coach before recorded movements of real people (motion capture): steady, whatever they do."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fmp_models.coach.coaching import Coach, Tolerance
from fmp_models.coach.instruction_choice import HELD, TURNING, are_opposites, ways_of
from fmp_models.estimators.landmarks import TrackedPerson
from fmp_models.geometry.measured_changes import changes
from fmp_models.geometry.planner import clauses_beyond
from fmp_models.pose import JOINTS, Pose, PosePair, joint_distances
from fmp_models.sim.capture import dressed
from fmp_models.sim.light import Camera, to_camera
from fmp_models.sim.motion_capture import read_bvh
from fmp_models.sim.motions import FRAMES_PER_SECOND
from tests.exercises import NOISE, RATE, tracked
from tests.fmp_models.coach.test_instruction_choice import shown
from tests.thoroughness import some, thorough

TAKES = ("13_01", "13_10", "13_18", "13_26", "13_30", "13_31", "14_07", "14_12", "14_27", "14_30")
MAX_SECONDS = 20  # seconds of a take
CAMERA = Camera((0.0, -6.0, 1.25), (0.0, 0.0, 0.95), 2.6, (480, 640))


def frames_of(path: Path, seed: int) -> list[TrackedPerson]:
    """Return a recording as a tracker reports it, with noise from frame to frame."""
    take, body, dice = read_bvh(path), dressed(4), np.random.default_rng(seed)
    count = min(int(take.frames / FRAMES_PER_SECOND), MAX_SECONDS) * RATE
    people = []
    for number in range(count):
        joints = to_camera(body.place(take.pose(number * FRAMES_PER_SECOND / RATE), (0.0, 0.0)).joints, CAMERA)
        joints = joints - joints[0] + dice.normal(0, 0.6, joints.shape) * NOISE
        people.append(tracked(Pose(joints, np.ones(len(JOINTS)))))
    return people


@pytest.mark.parametrize(("name", "tolerance"), some([(name, one) for name in TAKES for one in Tolerance], 3))
@thorough
def test_nobody_who_moves_as_people_do_is_told_hastily_or_the_opposite(
    shared: Path, name: str, tolerance: Tolerance
) -> None:
    people = frames_of(shared / "data" / "bvh" / f"{name}.bvh", seed=3)
    start = people[0].pose
    goal = max((one.pose for one in people), key=lambda pose: joint_distances(PosePair(start, pose)).mean())
    coach = Coach([goal])
    advices = [(number / RATE, coach.update(number / RATE, one, tolerance)) for number, one in enumerate(people)]

    instructions = shown(advices)
    assert instructions
    following = list(pairwise(instructions))
    assert [then - began for (began, _, _), (then, _, _) in following if then - began < HELD - 1e-9] == []
    opposites = [
        (clause, people[round(began * RATE) : round(then * RATE) + 1])
        for (began, ended, clause), (then, _, other) in following
        if then - ended < TURNING - 1e-9 and are_opposites(clause, other)
    ]
    # Between opposites they went too far: the part had arrived.
    assert [
        clause
        for clause, passed in opposites
        if all(ways_of(clause) & still_off(one.pose, goal, tolerance) for one in passed)
    ] == []


def still_off(pose: Pose, goal: Pose, tolerance: Tolerance) -> set[object]:
    """Return the errors of a pose that exceed the tolerance."""
    pair = PosePair(pose, goal)
    return {way for clause, _ in clauses_beyond(changes(pair), tolerance.share, pair) for way in ways_of(clause)}
