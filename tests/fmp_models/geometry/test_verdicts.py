"""Clauses are judged by the joints, and contradictions between them are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fmp_models.geometry.content_selection import select_clauses
from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import (
    agrees,
    confidence,
    consistent_clauses,
    contradict,
    contradictions,
    without_contradictions,
)
from fmp_models.pose import INDEX, Pose, PosePair
from tests.bodies import Arm, Body, Leg, pairs
from tests.nonempty import nonempty
from tests.plans import mirror_plan
from tests.thoroughness import examples

LIFT = PosePair(Body().pose(), Body(left_arm=Arm(lift=90, bend=0)).pose())


@given(pairs.filter(make_plan))
def test_our_own_clauses_agree_with_the_poses_they_came_from(pair: PosePair) -> None:
    for clause in nonempty(make_plan(pair)):
        assert agrees(clause, pair) is True
        assert 0 <= confidence(clause, pair) <= 1


@given(pairs)
def test_the_reverse_of_a_true_movement_is_false(pair: PosePair) -> None:
    movements = [clause for clause in make_plan(pair) if clause.direction is not Direction.KEEP]
    assume(movements)
    for clause in nonempty(movements):
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
@given(pairs.filter(make_plan))
def test_confidence_falls_with_visibility(pair: PosePair) -> None:
    dim = PosePair(pair.current, Pose(pair.target.joints, np.full(20, 0.7)))
    for clause in nonempty(make_plan(pair)):
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


L, R, B, N = Side.LEFT, Side.RIGHT, Side.BOTH, Side.NONE

sides = st.sampled_from([L, R, B])
any_clause = st.builds(
    lambda part, side, way, degree, held: Clause(side if part.sided else N, part, way, degree, tuple(sorted(held))),
    st.sampled_from(Part),
    st.sampled_from(Side),
    st.sampled_from(Direction),
    st.sampled_from(Degree),
    st.frozensets(st.sampled_from(Relation), max_size=2),
)
plans = st.lists(any_clause, max_size=8).map(tuple)
weighed_plans = plans.flatmap(
    lambda plan: st.tuples(
        st.just(plan), st.lists(st.floats(-3, 3).map(lambda x: round(x, 1)), min_size=len(plan), max_size=len(plan))
    )
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Clause(L, Part.ARM, Direction.UP), Clause(L, Part.ARM, Direction.DOWN)),
        (Clause(L, Part.ARM, Direction.UP), Clause(B, Part.ARM, Direction.DOWN, Degree.FAR)),
        (Clause(L, Part.HAND, Direction.LEFT), Clause(L, Part.HAND, Direction.IN)),
        (Clause(R, Part.HAND, Direction.LEFT), Clause(B, Part.HAND, Direction.OUT)),
        (Clause(R, Part.FOOT, Direction.IN), Clause(B, Part.FOOT, Direction.RIGHT)),
        (Clause(B, Part.FOOT, Direction.LEFT), Clause(B, Part.FOOT, Direction.RIGHT)),
        (Clause(B, Part.HAND, Direction.OUT), Clause(B, Part.HAND, Direction.TOGETHER)),
        (Clause(B, Part.KNEE, Direction.BEND), Clause(R, Part.KNEE, Direction.STRAIGHTEN)),
        (Clause(B, Part.FOOT, Direction.APART), Clause(B, Part.FOOT, Direction.TOGETHER)),
        (Clause(B, Part.FOOT, Direction.APART), Clause(L, Part.FOOT, Direction.IN)),
        (Clause(L, Part.FOOT, Direction.TURN_LEFT), Clause(L, Part.FOOT, Direction.TURN_IN)),
        (Clause(N, Part.BODY, Direction.TURN_LEFT), Clause(N, Part.BODY, Direction.TURN_RIGHT)),
        (Clause(N, Part.TRUNK, Direction.FORWARD), Clause(N, Part.TRUNK, Direction.BACKWARD)),
        (Clause(N, Part.ARM, Direction.UP), Clause(N, Part.ARM, Direction.DOWN)),
        (Clause(N, Part.ARM, Direction.UP), Clause(B, Part.ARM, Direction.DOWN)),
        (Clause(B, Part.ARM, Direction.KEEP), Clause(L, Part.HAND, Direction.UP)),
        (Clause(L, Part.HAND, Direction.KEEP), Clause(L, Part.ELBOW, Direction.BEND)),
        (Clause(B, Part.LEG, Direction.KEEP), Clause(R, Part.FOOT, Direction.TURN_OUT)),
        (Clause(B, Part.LEG, Direction.KEEP), Clause(N, Part.BODY, Direction.DOWN)),
        (Clause(N, Part.TRUNK, Direction.KEEP), Clause(N, Part.TRUNK, Direction.LEFT)),
        (Clause(N, Part.TRUNK, Direction.KEEP), Clause(N, Part.BODY, Direction.TURN_LEFT)),
        (
            Clause(L, Part.ELBOW, Direction.REACH, relations=(Relation.RIGHT_ANGLE,)),
            Clause(L, Part.ELBOW, Direction.STRAIGHTEN, relations=(Relation.STRAIGHT,)),
        ),
        (
            Clause(L, Part.ARM, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),
            Clause(B, Part.ARM, Direction.UP, relations=(Relation.OVERHEAD,)),
        ),
        (
            Clause(L, Part.ARM, Direction.REACH, relations=(Relation.HANGING,)),
            Clause(L, Part.ARM, Direction.UP),
        ),
        (
            Clause(L, Part.HAND, Direction.IN, relations=(Relation.NEAR_HIP,)),
            Clause(L, Part.HAND, Direction.UP, relations=(Relation.HEAD_HEIGHT,)),
        ),
        (
            Clause(R, Part.KNEE, Direction.BEND),
            Clause(R, Part.KNEE, Direction.REACH, relations=(Relation.STRAIGHT,)),
        ),
    ],
    ids=str,
)
def test_what_nobody_can_do_at_once_is_a_contradiction(one: Clause, other: Clause) -> None:
    assert contradict(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Clause(L, Part.ARM, Direction.UP), Clause(R, Part.ARM, Direction.DOWN)),
        (Clause(L, Part.ARM, Direction.UP), Clause(L, Part.HAND, Direction.DOWN)),  # elbow out, hand down
        (Clause(L, Part.ARM, Direction.UP), Clause(N, Part.ARM, Direction.DOWN)),  # perhaps the other one
        (Clause(L, Part.ARM, Direction.UP), Clause(L, Part.ARM, Direction.OUT)),
        (Clause(L, Part.HAND, Direction.LEFT), Clause(R, Part.HAND, Direction.RIGHT)),
        (Clause(B, Part.HAND, Direction.LEFT), Clause(L, Part.HAND, Direction.OUT)),
        (Clause(B, Part.FOOT, Direction.TOGETHER), Clause(B, Part.FOOT, Direction.LEFT)),
        (Clause(B, Part.FOOT, Direction.APART), Clause(L, Part.FOOT, Direction.OUT)),
        (Clause(B, Part.FOOT, Direction.APART), Clause(L, Part.FOOT, Direction.TURN_IN)),
        (Clause(B, Part.ARM, Direction.KEEP), Clause(B, Part.KNEE, Direction.BEND)),
        (Clause(L, Part.ARM, Direction.KEEP), Clause(R, Part.ARM, Direction.UP)),
        (Clause(B, Part.ARM, Direction.KEEP), Clause(L, Part.ARM, Direction.KEEP)),
        (Clause(B, Part.ARM, Direction.KEEP), Clause(N, Part.BODY, Direction.DOWN)),
        (Clause(N, Part.TRUNK, Direction.KEEP), Clause(N, Part.BODY, Direction.DOWN)),
        (
            Clause(L, Part.ARM, Direction.REACH, relations=(Relation.OVERHEAD,)),
            Clause(R, Part.ARM, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),
        ),
        (
            Clause(L, Part.HAND, Direction.REACH, relations=(Relation.NEAR_HEAD,)),
            Clause(L, Part.HAND, Direction.UP, relations=(Relation.HEAD_HEIGHT,)),
        ),
        (
            Clause(L, Part.HAND, Direction.UP),
            Clause(L, Part.HAND, Direction.FORWARD, relations=(Relation.NEAR_KNEE,)),
        ),
    ],
    ids=str,
)
def test_what_can_be_done_at_once_is_none(one: Clause, other: Clause) -> None:
    assert not contradict(one, other)


@given(any_clause, any_clause)
def test_contradiction_knows_no_order_and_no_mirror(one: Clause, other: Clause) -> None:
    assert contradict(one, other) == contradict(other, one) == contradict(one.mirrored, other.mirrored)


@given(any_clause)
def test_a_movement_contradicts_its_reverse(one: Clause) -> None:
    assume(one.direction.reverse is not one.direction)
    assert contradict(one, Clause(one.side, one.part, one.direction.reverse))


@given(any_clause, any_clause)
def test_no_clause_contradicts_its_like(one: Clause, other: Clause) -> None:
    assert contradictions((one, one)) == ()
    assert contradictions((one, other)) == (((0, 1),) if contradict(one, other) else ())


@given(pairs)
def test_no_plan_of_a_pair_contradicts_itself(pair: PosePair) -> None:
    plan = make_plan(pair)
    assert [(plan[i], plan[j]) for i, j in contradictions(plan)] == []
    order = select_clauses(pair, 1).order
    assert [(order[i], order[j]) for i, j in contradictions(order)] == []


@given(weighed_plans)
def test_what_is_left_has_no_contradiction_and_what_is_gone_had_one_with_something_better(
    weighed: tuple[Plan, list[float]],
) -> None:
    plan, worth = weighed
    kept = consistent_clauses(plan, worth)
    assert without_contradictions(plan, worth) == tuple(plan[place] for place in kept)
    assert contradictions([plan[place] for place in kept]) == ()
    for gone in set(range(len(plan))) - set(kept):
        better = [place for place in kept if (-worth[place], place) < (-worth[gone], gone)]
        assert any(contradict(plan[gone], plan[place]) for place in better)


@given(weighed_plans)
def test_keeping_the_better_is_done_once_and_for_all_and_alike_in_a_mirror(weighed: tuple[Plan, list[float]]) -> None:
    plan, worth = weighed
    kept = consistent_clauses(plan, worth)
    left, theirs = tuple(plan[place] for place in kept), [worth[place] for place in kept]
    assert without_contradictions(left, theirs) == left
    assert without_contradictions(mirror_plan(plan), worth) == mirror_plan(left)


def test_worth_is_asked_of_each_clause_or_given_for_each() -> None:
    up, down = Clause(L, Part.ARM, Direction.UP), Clause(L, Part.ARM, Direction.DOWN)
    assert without_contradictions((up, down), [1.0, 1.0]) == (up,)
    assert without_contradictions((up, down), [1.0, 2.0]) == (down,)
    assert without_contradictions((up, down), {up: 1.0, down: 2.0}.__getitem__) == (down,)
    with pytest.raises(ValueError, match="2 clauses need as many numbers, not 1"):
        consistent_clauses((up, down), [1.0])


def test_a_clause_that_only_a_dropped_one_contradicts_stays() -> None:
    keep, up, down = (
        Clause(B, Part.ARM, Direction.KEEP),
        Clause(L, Part.ARM, Direction.UP),
        Clause(L, Part.ARM, Direction.DOWN),
    )
    assert without_contradictions((up, keep, down), [2.0, 3.0, 1.0]) == (keep,)
    assert without_contradictions((keep, up, down), [1.0, 3.0, 2.0]) == (up,)
    legs = Clause(B, Part.LEG, Direction.KEEP)
    assert without_contradictions((legs, keep, up), [0.0, 1.0, 2.0]) == (legs, up)
