import numpy as np
import pytest
from hypothesis import assume, given

from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.verdicts.clause_verdicts import agrees, confidence
from fmp_models.pose import INDEX, Pose, PosePair
from tests.bodies import Arm, Body, Leg, pairs
from tests.thoroughness import examples

LIFT = PosePair(Body().pose(), Body(left_arm=Arm(lift=90, bend=0)).pose())


@given(pairs)
def test_our_own_clauses_agree_with_the_poses_they_came_from(pair: PosePair) -> None:
    for clause in make_plan(pair):
        assert agrees(clause, pair) is True
        assert 0 <= confidence(clause, pair) <= 1


@given(pairs)
def test_the_reverse_of_a_true_movement_is_false(pair: PosePair) -> None:
    movements = [clause for clause in make_plan(pair) if clause.direction is not Direction.KEEP]
    assume(movements)
    for clause in movements:
        assert agrees(Clause(clause.side, clause.part, clause.direction.reverse), pair) is False


def test_the_other_side_is_false() -> None:
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.UP), LIFT) is True
    assert agrees(Clause(Side.RIGHT, Part.ARM, Direction.UP), LIFT) is False
    assert agrees(Clause(Side.BOTH, Part.ARM, Direction.UP), LIFT) is False


def test_a_relation_must_hold_in_the_target() -> None:
    up = Clause(Side.LEFT, Part.ARM, Direction.UP, Degree.PLAIN, (Relation.SHOULDER_HEIGHT,))
    assert agrees(up, LIFT) is True
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.UP, Degree.PLAIN, (Relation.OVERHEAD,)), LIFT) is False


def test_where_a_part_is_can_be_said_without_a_direction() -> None:
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.REACH, Degree.PLAIN, (Relation.SHOULDER_HEIGHT,)), LIFT) is True
    assert (
        agrees(Clause(Side.RIGHT, Part.ARM, Direction.REACH, Degree.PLAIN, (Relation.SHOULDER_HEIGHT,)), LIFT) is False
    )


@pytest.mark.parametrize(
    "clause",
    [
        Clause(Side.NONE, Part.HEAD, Direction.TURN_LEFT),  # joints cannot tell where a head looks
        Clause(Side.LEFT, Part.HAND, Direction.TURN_LEFT),  # nor which way a palm faces
        Clause(Side.NONE, Part.ELBOW, Direction.BEND),  # which elbow?
        Clause(Side.NONE, Part.BODY, Direction.FORWARD),  # a step, between poses without a common room
    ],
)
def test_what_joints_cannot_tell_is_neither_true_nor_false(clause: Clause) -> None:
    assert agrees(clause, LIFT) is None
    assert 0 <= confidence(clause, LIFT) <= 1


def test_a_hidden_limb_is_neither_true_nor_false() -> None:
    visibility = np.ones(20)
    visibility[INDEX["left_elbow"]] = 0.2
    hidden = PosePair(LIFT.current, Pose(LIFT.target.joints, visibility))
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.UP), hidden) is None


def test_keeping_still_is_judged_too() -> None:
    assert agrees(Clause(Side.BOTH, Part.LEG, Direction.KEEP), LIFT) is True
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.KEEP), LIFT) is False
    assert agrees(Clause(Side.RIGHT, Part.ARM, Direction.KEEP), LIFT) is True


def test_both_hands_to_the_left_means_out_for_one_and_in_for_the_other() -> None:
    arms = {"left_arm": Arm(lift=80, swing=80, bend=0), "right_arm": Arm(lift=80, swing=80, bend=0)}
    swung = {"left_arm": Arm(lift=80, swing=30, bend=0), "right_arm": Arm(lift=80, swing=130, bend=0)}
    pair = PosePair(Body(**arms).pose(), Body(**swung).pose())
    assert agrees(Clause(Side.BOTH, Part.HAND, Direction.LEFT), pair) is True
    assert agrees(Clause(Side.BOTH, Part.HAND, Direction.RIGHT), pair) is False


def test_straightening_the_back_is_true_whichever_way_it_leaned() -> None:
    straighten = Clause(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN)
    for bowed in (Body(pitch=40), Body(lean=30), Body(lean=-30)):
        assert agrees(straighten, PosePair(bowed.pose(), Body().pose())) is True
        assert agrees(straighten, PosePair(Body().pose(), bowed.pose())) is False


@examples(30)
@given(pairs)
def test_confidence_falls_with_visibility(pair: PosePair) -> None:
    dim = PosePair(pair.current, Pose(pair.target.joints, np.full(20, 0.7)))
    for clause in make_plan(pair):
        assert confidence(clause, dim) <= confidence(clause, pair)


def test_a_larger_change_is_surer() -> None:
    bend = Clause(Side.LEFT, Part.KNEE, Direction.BEND)
    little, much = (PosePair(Body().pose(), Body(left_leg=Leg(bend=b)).pose()) for b in (22, 80))
    assert confidence(bend, little) < confidence(bend, much)


def test_a_part_that_goes_or_turns_somewhere_must_change() -> None:
    assert agrees(Clause(Side.LEFT, Part.ARM, Direction.MOVE), LIFT) is True
    assert agrees(Clause(Side.RIGHT, Part.ARM, Direction.MOVE), LIFT) is False
    assert agrees(Clause(Side.BOTH, Part.ARM, Direction.MOVE), LIFT) is False
    assert agrees(Clause(Side.NONE, Part.BODY, Direction.TURN), LIFT) is False
    assert agrees(Clause(Side.NONE, Part.HEAD, Direction.TURN), LIFT) is None
    moved, kept = (confidence(Clause(side, Part.ARM, Direction.MOVE), LIFT) for side in (Side.LEFT, Side.RIGHT))
    assert moved > 0.9
    assert kept < 0.5
