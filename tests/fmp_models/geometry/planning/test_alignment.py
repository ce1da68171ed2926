"""Two people in one shape: what a teacher looks at is compared more finely, and comes first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.geometry.clauses import Clause, Direction, Part
from fmp_models.geometry.planning.alignment import shared_shapes, watched_axes
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.verdicts.clause_verdicts import agrees, confidence
from fmp_models.pose import INDEX, PosePair
from tests.bodies import Arm, Body, Leg
from tests.fmp_models.geometry.shapes.test_table import BODIES, LEVEL
from tests.fmp_models.geometry.test_attitudes import SITTING, STANDING, photographed
from tests.fmp_models.geometry.test_two_people import built
from tests.plans import mirror_plan

_STILL = {Direction.KEEP, Direction.UNSEEN}
degrees = st.floats(-22, 22)


def of(current: Body, target: Body) -> PosePair:
    return PosePair(photographed(current.pose().joints), photographed(target.pose().joints))


def moving(pair: PosePair) -> list[Clause]:
    return [clause for clause in make_plan(pair) if clause.direction not in _STILL]


def warrior(bend: float, lift: float = 70.0) -> Body:
    """Return a warrior II over the left leg, its knee bent by so many degrees."""
    return BODIES["warrior_two"].change(left_leg=Leg(lift=lift, swing=5, bend=bend, toes=80))


def squat(bend: float) -> Body:
    """Return a squat whose shins lean forward by 25 degrees."""
    leg = Leg(lift=bend - 25, swing=88, bend=bend)
    return BODIES["squat"].change(left_leg=leg, right_leg=leg)


@st.composite
def near_shapes(draw: st.DrawFn) -> PosePair:
    """Two bodies that hold about the same shape."""
    body = BODIES[draw(st.sampled_from(sorted(BODIES)))]
    poses = []
    for _ in range(2):
        legs = [replace(leg, bend=max(leg.bend + draw(degrees), 0.0)) for leg in (body.left_leg, body.right_leg)]
        arms = [replace(arm, lift=abs(arm.lift + draw(degrees))) for arm in (body.left_arm, body.right_arm)]
        other = body.change(
            pitch=body.pitch + draw(degrees),
            yaw=draw(st.floats(-40, 40)),
            left_leg=legs[0],
            right_leg=legs[1],
            left_arm=arms[0],
            right_arm=arms[1],
        )
        poses.append(photographed(other.pose().joints))
    return PosePair(*poses)


def test_a_teacher_first_says_how_deep_a_warrior_is() -> None:
    learner = warrior(45, 50).change(left_arm=Arm(lift=75, bend=25))
    pair = of(learner, warrior(80, 75))
    assert {"warrior_two"} <= {shape.name for shape in shared_shapes(pair)}
    first = moving(pair)[0]
    assert (first.part, first.direction) in {(Part.BODY, Direction.DOWN), (Part.KNEE, Direction.BEND)}


def test_arms_of_one_shape_are_compared_more_finely_than_others() -> None:
    low, other = Arm(lift=79, bend=2), Arm(lift=40, bend=60)
    same = moving(of(Body(left_arm=low, right_arm=low), Body(left_arm=LEVEL, right_arm=LEVEL)))
    apart = moving(of(Body(left_arm=other, right_arm=other), Body(left_arm=Arm(51, 0, 60), right_arm=Arm(51, 0, 60))))
    said = {(clause.part, clause.direction) for clause in same}
    assert said & {(Part.ARM, Direction.UP), (Part.HAND, Direction.UP)}
    assert apart == []


def test_a_squat_that_is_a_little_deeper_is_said_to_be() -> None:
    said = {(clause.part, clause.direction) for clause in moving(of(squat(95), squat(112)))}
    assert said & {(Part.BODY, Direction.DOWN), (Part.KNEE, Direction.BEND)}


@pytest.mark.parametrize("name", sorted(BODIES))
def test_two_builds_in_one_shape_differ_in_nothing(name: str) -> None:
    joints = BODIES[name].pose().joints
    other = built(joints, np.linspace(0.95, 1.08, 20), 1.3)
    pair = PosePair(photographed(joints), photographed(other))
    assert name in {shape.name for shape in shared_shapes(pair)}
    assert moving(pair) == []


def test_a_learner_far_from_the_shape_does_not_share_it() -> None:
    assert "warrior_two" not in {shape.name for shape in shared_shapes(of(warrior(5, 40), warrior(75)))}


def test_no_shape_is_shared_on_other_sides() -> None:
    left, right = BODIES["lunge"], BODIES["lunge"].change(left_leg=BODIES["lunge"].right_leg)
    pair = of(left, right.change(right_leg=BODIES["lunge"].left_leg))
    assert "lunge" not in {shape.name for shape in shared_shapes(pair)}


def test_nothing_is_watched_of_legs_that_are_not_seen() -> None:
    pair = of(squat(95), squat(112))
    hidden = pair.target.visibility.copy()
    hidden[[INDEX["left_ankle"], INDEX["right_ankle"]]] = 0.0
    cut = PosePair(pair.current, replace(pair.target, visibility=hidden))
    assert watched_axes(pair)
    assert watched_axes(cut) == ()


def test_nothing_is_watched_of_joints_that_are_known() -> None:
    assert watched_axes(PosePair(squat(95).pose(), squat(112).pose())) == ()


@pytest.mark.parametrize(
    ("current", "target"), [(SITTING, STANDING), (squat(70), squat(100)), (warrior(40, 45), warrior(80, 75))]
)
def test_nobody_is_told_that_all_is_well_whose_hips_are_plainly_higher_or_lower(current: Body, target: Body) -> None:
    for pair in (of(current, target), of(target, current)):
        assert moving(pair)


@settings(max_examples=40, deadline=None)
@given(near_shapes())
def test_in_one_shape_plans_mirror_reverse_and_are_borne_out(pair: PosePair) -> None:
    plan = make_plan(pair)
    assert make_plan(pair.mirrored) == mirror_plan(plan)
    back = {(clause.side, clause.part, clause.direction.reverse) for clause in moving(pair.swapped)}
    assert back == {(clause.side, clause.part, clause.direction) for clause in moving(pair)}
    for clause in plan:
        if clause.direction is not Direction.UNSEEN:
            assert agrees(clause, pair) is not False
            assert confidence(clause, pair) >= 0.5


@settings(max_examples=40, deadline=None)
@given(near_shapes())
def test_what_is_watched_comes_first_in_a_plan(pair: PosePair) -> None:
    axes = watched_axes(pair)
    watched = [
        (clause.part, clause.direction) in axes or (clause.part, clause.direction.reverse) in axes
        for clause in moving(pair)
    ]
    assert watched == sorted(watched, reverse=True)


def test_a_lean_of_less_than_a_first_step_is_said_of_two_who_sit() -> None:
    seated = BODIES["seated"]
    said = {(clause.part, clause.direction) for clause in moving(of(seated, seated.change(pitch=13)))}
    assert (Part.TRUNK, Direction.FORWARD) in said
