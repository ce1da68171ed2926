import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.planning.planner import MAX_CLAUSES, MIN_CLAUSES, make_plan
from fmp_models.pose import INDEX, Pose, PosePair, in_pelvis_frame, joint_distances
from tests.bodies import Arm, Body, Leg, bodies, pairs
from tests.plans import mirror_plan


def plan_of(current: Body, target: Body) -> dict[tuple[str, str], Clause]:
    plan = make_plan(PosePair(current.pose(), target.pose()))
    return {(clause.part_name, clause.direction.value): clause for clause in plan}


T_POSE = Body(left_arm=Arm(lift=90, swing=0, bend=0), right_arm=Arm(lift=90, swing=0, bend=0))


def test_arms_to_a_t_are_raised_together_to_the_sides_at_shoulder_height() -> None:
    clause = plan_of(Body(), T_POSE)["both arms", "up"]
    assert clause.relations == (Relation.SIDEWAYS, Relation.SHOULDER_HEIGHT)


def test_an_arm_to_the_front_is_raised_in_front() -> None:
    clause = plan_of(Body(), Body(right_arm=Arm(lift=90, swing=90, bend=0)))["right arm", "up"]
    assert clause.relations == (Relation.IN_FRONT, Relation.SHOULDER_HEIGHT)


def test_arms_straight_up_are_called_so() -> None:
    up = Arm(lift=172, bend=0)
    assert Relation.OVERHEAD in plan_of(Body(), Body(left_arm=up, right_arm=up))["both arms", "up"].relations


def test_arms_let_down_hang() -> None:
    assert plan_of(T_POSE, Body())["both arms", "down"].relations == (Relation.HANGING,)


def test_a_bent_elbow_is_bent_to_a_right_angle_and_a_straight_one_straightened() -> None:
    bent = Body(left_arm=Arm(bend=90))
    assert plan_of(Body(), bent)["left elbow", "bend"].relations == (Relation.RIGHT_ANGLE,)
    assert plan_of(bent, Body())["left elbow", "straighten"].relations == (Relation.STRAIGHT,)


def test_an_elbow_that_opens_but_stays_bent_is_not_straight() -> None:
    clause = plan_of(Body(left_arm=Arm(bend=130)), Body(left_arm=Arm(bend=80)))["left elbow", "straighten"]
    assert Relation.STRAIGHT not in clause.relations


def test_a_squat_bends_both_knees_and_does_not_lift_the_feet() -> None:
    deep = Leg(lift=70, bend=95)
    plan = plan_of(Body(), Body(left_leg=deep, right_leg=deep))
    assert ("both knees", "bend") in plan
    assert not any("leg" in part and way == "up" for part, way in plan)


def test_a_lifted_knee_names_its_leg_and_its_height() -> None:
    plan = plan_of(Body(), Body(right_leg=Leg(lift=90, bend=90)))
    assert plan["right leg", "up"].relations == (Relation.HIP_HEIGHT,)


def test_feet_wide_apart_are_said_together() -> None:
    wide = Leg(lift=38, swing=5)
    clause = plan_of(Body(), Body(left_leg=wide, right_leg=wide))["both feet", "apart"]
    assert clause.relations == (Relation.WIDE,)


def test_a_turn_of_the_whole_body_is_one_statement() -> None:
    plan = make_plan(PosePair(Body().pose(), Body(yaw=70).pose()))
    assert [c for c in plan if c.direction is not Direction.KEEP] == [
        Clause(Side.NONE, Part.BODY, Direction.TURN_LEFT, Degree.PLAIN)
    ]


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (Body(pitch=35), ("trunk", "forward")),
        (Body(lean=25), ("trunk", "left")),
        (Body(twist=-45), ("trunk", "turn right")),
        (Body(nod=40), ("head", "forward")),
        (Body(tip=-30), ("head", "right")),
    ],
)
def test_trunk_and_head_are_told_by_their_own_axes(target: Body, expected: tuple[str, str]) -> None:
    assert expected in plan_of(Body(), target)


def test_standing_up_straight_from_a_bow_ends_upright() -> None:
    assert plan_of(Body(pitch=40), Body())["trunk", "backward"].relations == (Relation.UPRIGHT,)


def test_a_step_in_the_room_is_told_only_when_both_poses_are_placed_in_it() -> None:
    here, there = Body().pose(placed=True), Body().pose(placed=True, at=(0.0, 0.0, -0.6))
    assert [(c.part, c.direction) for c in make_plan(PosePair(here, there)) if c.direction is not Direction.KEEP] == [
        (Part.BODY, Direction.FORWARD)
    ]
    assert make_plan(PosePair(Body().pose(), Body().pose(at=(0.0, 0.0, -0.6)))) == ()


def test_hidden_joints_are_not_spoken_of() -> None:
    visibility = np.ones(20)
    visibility[[INDEX["left_elbow"], INDEX["left_wrist"], INDEX["left_hand"]]] = 0.1
    target = Pose(T_POSE.pose().joints, visibility)
    plan = make_plan(PosePair(Body().pose(), target))
    assert {clause.part_name for clause in plan if clause.part in {Part.ARM, Part.HAND, Part.ELBOW}} == {"right arm"}


def test_what_must_stay_fills_a_short_correction() -> None:
    plan = make_plan(PosePair(Body().pose(), Body(left_arm=Arm(bend=100)).pose()))
    assert len(plan) == MIN_CLAUSES
    assert Clause(Side.BOTH, Part.LEG, Direction.KEEP) in plan


@given(bodies)
def test_nothing_is_said_when_nothing_moved(body: Body) -> None:
    assert make_plan(PosePair(body.pose(), body.pose())) == ()


@given(bodies, st.integers(0, 2**32 - 1))
def test_nothing_is_said_of_a_millimetre(body: Body, seed: int) -> None:
    pose = body.pose()
    shaken = Pose(pose.joints + np.random.default_rng(seed).normal(0, 0.001, (20, 3)), pose.visibility)
    assert make_plan(PosePair(pose, shaken)) == ()


@given(pairs)
def test_something_is_said_whenever_a_joint_moved_visibly(pair: PosePair) -> None:
    hand_or_foot = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("wrist", "ankle")]
    assume(joint_distances(pair)[hand_or_foot].max() > 0.25)
    assert make_plan(pair)


@given(pairs)
def test_a_plan_has_at_most_eight_clauses_and_repeats_none(pair: PosePair) -> None:
    plan = make_plan(pair)
    assert len(plan) <= MAX_CLAUSES
    spoken = [(clause.side, clause.part, clause.direction) for clause in plan]
    assert len(spoken) == len(set(spoken))


@given(pairs)
def test_a_large_change_has_at_least_three_clauses(pair: PosePair) -> None:
    assume(joint_distances(pair).mean() > 0.25)
    assert len(make_plan(pair)) >= MIN_CLAUSES


@given(pairs)
def test_the_mirrored_pair_has_the_mirrored_plan(pair: PosePair) -> None:
    assert make_plan(pair.mirrored) == mirror_plan(make_plan(pair))


@given(pairs)
def test_the_way_back_reverses_every_direction(pair: PosePair) -> None:
    def spoken(plan: tuple[Clause, ...]) -> set[tuple[Side, Part, Direction]]:
        return {(c.side, c.part, c.direction) for c in plan if c.direction is not Direction.KEEP}

    back = {(side, part, way.reverse) for side, part, way in spoken(make_plan(pair.swapped))}
    assert back == spoken(make_plan(pair))


def test_equal_changes_are_said_together_or_not_at_all() -> None:
    # Two feet turn by the same angle, one in and one out, and there is room for one of them.
    current = Body(right_leg=Leg(toes=21))
    target = Body(left_leg=Leg(toes=21), right_leg=Leg(bend=18))
    feet = {(c.side, c.direction) for c in make_plan(PosePair(current.pose(), target.pose())) if c.part is Part.FOOT}
    assert len(feet) in {0, 2}


@given(bodies, st.sampled_from(["left", "right"]))
def test_bending_one_elbow_never_moves_a_leg(body: Body, side: str) -> None:
    pose = body.pose()
    bent = body.change(**{f"{side}_arm": Arm(lift=20, swing=30, bend=120)}).pose()
    legs = {Part.LEG, Part.KNEE, Part.FOOT, Part.BODY, Part.HIPS}
    plan = make_plan(PosePair(pose, bent))
    assert not [c for c in plan if c.part in legs and c.direction is not Direction.KEEP]
    np.testing.assert_allclose(in_pelvis_frame(pose.joints)[12:], in_pelvis_frame(bent.joints)[12:])
