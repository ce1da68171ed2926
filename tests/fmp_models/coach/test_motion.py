"""A movement is told pose by pose: slow changes add up, trembling is silent, and nothing is told back and forth."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.coach.instruction_choice import TURNING, are_opposites
from fmp_models.coach.motion import MotionStep, describe_motion
from fmp_models.geometry.lexicon import Direction
from fmp_models.pose import JOINTS, Pose
from tests.bodies import Arm, Body, Leg, between

EVERY = 0.5
SQUAT = Body(
    left_leg=Leg(lift=70, bend=90), right_leg=Leg(lift=70, bend=90), left_arm=Arm(lift=90), right_arm=Arm(lift=90)
)


def timed(bodies: Sequence[Body], noise: float = 0.0, seed: int = 0) -> list[tuple[float, Pose]]:
    """Return the poses of bodies, one each ``EVERY`` seconds, with trembling of so many metres."""
    dice = np.random.default_rng(seed)
    return [
        (number * EVERY, Pose(body.pose().joints + dice.normal(0, noise, (len(JOINTS), 3)), np.ones(len(JOINTS))))
        for number, body in enumerate(bodies)
    ]


def on_the_way(start: Body, end: Body, count: int) -> list[Body]:
    return [between(start, end, share) for share in np.linspace(0, 1, count).tolist()]


def opposites(steps: Sequence[MotionStep]) -> list[tuple[MotionStep, MotionStep]]:
    """Return successive steps of which one asks for the opposite of the other."""
    return [
        (before, after)
        for before, after in pairwise(steps)
        if after.end - before.end < TURNING
        and any(are_opposites(one, other) for one in before.clauses for other in after.clauses)
    ]


@given(st.integers(0, 10_000), st.integers(5, 20))
def test_a_movement_in_one_direction_is_never_told_back_and_forth(seed: int, count: int) -> None:
    steps = list(describe_motion(timed(on_the_way(Body(), SQUAT, count), noise=0.008, seed=seed), "en"))
    said = {(clause.part_name, clause.direction) for step in steps for clause in step.clauses}
    assert {f"{side} {part}" for side in ("both", "left") for part in ("arm", "arms", "hand", "hands")} & {
        part for part, direction in said if direction is Direction.UP
    }
    assert opposites(steps) == []
    assert [step.start for step in steps[1:]] >= [step.end for step in steps[:-1]]


@given(st.integers(0, 10_000))
def test_somebody_who_stands_and_trembles_is_told_nothing(seed: int) -> None:
    assert list(describe_motion(timed([Body()] * 12, noise=0.005, seed=seed), "en")) == []


def test_what_is_too_slow_for_two_poses_is_told_once_it_is_clear() -> None:
    slow = on_the_way(Body(), Body(left_arm=Arm(lift=60)), 25)
    assert list(describe_motion(timed(slow[:2]), "en")) == []
    steps = list(describe_motion(timed(slow), "en"))
    assert steps[0].start < steps[0].end - EVERY
    assert {str(clause.part_name) for step in steps for clause in step.clauses} == {"left arm"}


@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_limb_that_clearly_goes_back_is_told_so(language: str) -> None:
    raised = Body(left_arm=Arm(lift=90))
    steps = list(describe_motion(timed([Body(), raised, Body(), raised]), language))
    assert [[(clause.part_name, clause.direction) for clause in step.clauses] for step in steps] == [
        [("left arm", Direction.UP)],
        [("left arm", Direction.DOWN)],
        [("left arm", Direction.UP)],
    ]
    assert len({step.text for step in steps}) == 2


def test_nothing_is_told_without_a_second_pose() -> None:
    assert list(describe_motion([], "en")) == list(describe_motion(timed([SQUAT]), "en")) == []
