"""Movements as a trainer tells them: what belongs together is one, and what the body cannot do is not told."""

from __future__ import annotations

import numpy as np
import pytest

from fmp_models.describe.movements import Facts, Movement, movements
from fmp_models.describe.trainer_steps import speak
from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.shape import HeldShape
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.pose import Pose, PosePair
from tests.bodies import Arm, Body, Leg
from tests.fmp_models.geometry.test_pose_values import on_back, plank, rolled

SEAT = Leg(lift=88, bend=88)
SITTING = Body(left_leg=SEAT, right_leg=SEAT)
ON_RIGHT_LEG = Body(left_leg=Leg(lift=85, bend=90))
SINK = (Clause(Side.BOTH, Part.KNEE, Direction.BEND),)
DOWN = Clause(Side.NONE, Part.BODY, Direction.DOWN)
UP = Clause(Side.NONE, Part.BODY, Direction.UP)
LEAN_FORWARD = Clause(Side.NONE, Part.TRUNK, Direction.FORWARD)
LEAN_BACK = Clause(Side.NONE, Part.TRUNK, Direction.BACKWARD)


def lying(joints: np.ndarray) -> Pose:
    return Pose(joints, np.ones(20))


BACK = lying(on_back(Body()))


def told(current: Pose, target: Pose, *clauses: Clause, shapes: tuple[str, ...] = ()) -> list[Movement]:
    held = [HeldShape(SHAPES_BY_NAME[name], SHAPES_BY_NAME[name].sides[0], 1.0) for name in shapes]
    entries = movements(clauses, Facts(PosePair(current, target), held))
    assert {clause for _, said in entries for clause in said} == set(clauses)
    return [movement for movement, _ in sorted(entries, key=lambda entry: entry[0].order)]


def keys(current: Pose, target: Pose, *clauses: Clause, shapes: tuple[str, ...] = ()) -> list[str]:
    return [movement.key for movement in told(current, target, *clauses, shapes=shapes)]


@pytest.mark.parametrize("rise", [UP, Clause(Side.NONE, Part.BODY, Direction.UP, relations=(Relation.SITTING,))])
def test_sitting_up_from_the_floor_is_one_movement(rise: Clause) -> None:
    assert keys(BACK, SITTING.pose(), rise, LEAN_FORWARD, shapes=("seated",)) == ["sit_up"]


def test_who_lies_down_does_so_before_the_legs_are_lifted() -> None:
    legs = Clause(Side.BOTH, Part.LEG, Direction.UP)
    assert keys(Body().pose(), BACK, legs, DOWN, LEAN_BACK) == ["lie", "lift_leg"]


def test_hips_that_go_back_and_down_do_so_at_once() -> None:
    hips = Clause(Side.NONE, Part.HIPS, Direction.BACKWARD)
    assert keys(Body().pose(), SITTING.pose(), DOWN, hips) == ["hips_down_backward"]


@pytest.mark.parametrize(("start", "key"), [(Body(), "sink"), (Body(left_leg=SEAT, right_leg=SEAT, pitch=-30), "bend")])
def test_knees_that_bend_in_the_air_sink_no_hips(start: Body, key: str) -> None:
    assert keys(start.pose(), SITTING.pose(), *SINK) == [key]


@pytest.mark.parametrize(("legs", "key"), [(-25.0, "lean_as_one"), (3.0, "lean_forward")])
def test_a_lean_is_from_the_ankles_only_where_the_legs_lean_too(legs: float, key: str) -> None:
    leg = Leg(lift=abs(legs), swing=90.0 if legs > 0 else -90.0)
    target = Body(pitch=25, left_leg=leg, right_leg=leg)
    hips = Clause(Side.NONE, Part.HIPS, Direction.FORWARD)
    assert key in keys(Body().pose(), target.pose(), hips, LEAN_FORWARD)


@pytest.mark.parametrize(("ways", "key"), [((5, 90), "chest_to_floor"), ((90, 5), "chest_from_floor")])
def test_the_arms_of_a_push_up_are_told_by_the_chest(ways: tuple[float, float], key: str) -> None:
    current, target = (lying(plank(bend)) for bend in ways)
    bend = Direction.BEND if ways[0] < ways[1] else Direction.STRAIGHTEN
    clauses = Clause(Side.BOTH, Part.ELBOW, bend), Clause(Side.BOTH, Part.ARM, Direction.UP)
    assert keys(current, target, *clauses) == [key]


def test_elbows_that_bend_over_the_back_are_no_push_up() -> None:
    clauses = Clause(Side.BOTH, Part.ELBOW, Direction.BEND), Clause(Side.BOTH, Part.ARM, Direction.UP)
    assert keys(BACK, BACK, *clauses) == ["raise"]


def test_the_foot_that_is_put_down_sets_the_feet() -> None:
    down = Clause(Side.LEFT, Part.LEG, Direction.DOWN, relations=(Relation.ON_GROUND,))
    feet = Clause(Side.NONE, Part.FOOT, Direction.TOGETHER, relations=(Relation.CLOSE,))
    (step,) = told(ON_RIGHT_LEG.pose(), Body().pose(), down, feet)
    assert (step.key, step.ends) == ("put_down", ("close",))


@pytest.mark.parametrize(("target", "key"), [(Body(), "foot_forward"), (ON_RIGHT_LEG, "free_foot_backward")])
def test_the_foot_that_stands_does_not_step_while_the_other_one_is_held_up(target: Body, key: str) -> None:
    feet = Clause(Side.RIGHT, Part.FOOT, Direction.FORWARD), Clause(Side.LEFT, Part.FOOT, Direction.BACKWARD)
    assert keys(Body().pose(), target.pose(), *feet) == [key]


def test_a_knee_that_goes_forward_is_no_tree() -> None:
    lift = Clause(Side.LEFT, Part.LEG, Direction.UP), Clause(Side.LEFT, Part.KNEE, Direction.BEND)
    forward = Clause(Side.LEFT, Part.FOOT, Direction.FORWARD)
    assert keys(Body().pose(), ON_RIGHT_LEG.pose(), *lift, shapes=("tree",)) == ["tree"]
    assert keys(Body().pose(), ON_RIGHT_LEG.pose(), *lift, forward, shapes=("tree",)) == ["lift_knee"]


BEND, RAISE = (Clause(Side.BOTH, p, d) for p, d in ((Part.ELBOW, Direction.BEND), (Part.ARM, Direction.UP)))
HANDS_UP = Clause(Side.BOTH, Part.HAND, Direction.UP)
HIP = Arm(lift=45, swing=0, bend=100, roll=90)


def test_hands_that_move_alike_go_to_one_place_or_to_none() -> None:
    one = Body(left_arm=HIP, right_arm=Arm(lift=20, bend=60)).pose()
    both = Body(left_arm=HIP, right_arm=HIP).pose()
    assert "hand_to" in keys(Body().pose(), one, Clause(Side.LEFT, Part.ELBOW, Direction.BEND))
    assert "hand_to" not in keys(Body().pose(), one, BEND)
    assert keys(Body().pose(), both, BEND) == ["hand_to"]


def test_a_hand_is_not_told_to_go_where_it_is() -> None:
    there = Body(left_arm=HIP, right_arm=HIP).pose()
    assert keys(there, there, BEND) == ["bend"]


@pytest.mark.parametrize(("degree", "tail"), [(Degree.SLIGHT, "elbow_bit_bent"), (Degree.PLAIN, "elbow_bent")])
def test_an_elbow_that_bends_a_little_is_not_told_to_be_bent(degree: Degree, tail: str) -> None:
    bend = Clause(Side.BOTH, Part.ELBOW, Direction.BEND, degree)
    raised = Body(left_arm=Arm(lift=90, bend=25), right_arm=Arm(lift=90, bend=25)).pose()
    (movement,) = told(Body().pose(), raised, RAISE, bend)
    assert movement.tails == (tail,)


def test_hands_that_rise_with_the_elbows_alone_are_brought_up_by_them() -> None:
    curled = Body(left_arm=Arm(lift=5, swing=90, bend=80), right_arm=Arm(lift=5, swing=90, bend=80)).pose()
    assert keys(Body().pose(), curled, BEND, HANDS_UP) == ["bend_hand_up"]


def test_who_leans_over_draws_the_elbows_up() -> None:
    bent = Arm(lift=40, swing=-20, bend=90)
    row = Body(pitch=55, left_arm=bent, right_arm=bent).pose()
    assert keys(Body(pitch=55).pose(), row, RAISE, BEND) == ["draw_up"]
    assert keys(Body().pose(), Body(left_arm=bent, right_arm=bent).pose(), RAISE, BEND) == ["raise"]


@pytest.mark.parametrize(("lean", "times"), [(0, 1), (-40, 0)])
def test_nobody_who_leans_is_advised_to_sit_tall(lean: float, times: int) -> None:
    pair = PosePair(SITTING.change(pitch=lean).pose(), SITTING.change(pitch=lean, nod=30).pose())
    text = speak((Clause(Side.NONE, Part.HEAD, Direction.DOWN),), pair, "en").text
    assert text.count("sit tall") == times


@pytest.mark.parametrize(("degree", "found"), [(Degree.SLIGHT, ["body_up"]), (Degree.PLAIN, ["stretch", "body_up"])])
def test_a_little_height_and_a_little_of_one_knee_are_one_movement(degree: Degree, found: list[str]) -> None:
    knee = Clause(Side.LEFT, Part.KNEE, Direction.STRAIGHTEN, degree)
    up = Clause(Side.NONE, Part.BODY, Direction.UP, Degree.SLIGHT)
    assert keys(SITTING.pose(), Body().pose(), knee, up) == found


@pytest.mark.parametrize(("turn", "key", "tails"), [(0, "lift_leg", ("knee_bent",)), (180, "heel_back", ())])
def test_knees_that_bend_as_legs_are_lifted_are_told(turn: float, key: str, tails: tuple[str, ...]) -> None:
    bent = Leg(bend=90) if turn else Leg(lift=60, bend=90)
    target = lying(rolled(on_back(Body(left_leg=bent, right_leg=bent)), turn))
    clauses = Clause(Side.BOTH, Part.LEG, Direction.UP), Clause(Side.BOTH, Part.KNEE, Direction.BEND)
    (movement,) = told(lying(rolled(on_back(Body()), turn)), target, *clauses)
    assert (movement.key, movement.tails) == (key, tails)
