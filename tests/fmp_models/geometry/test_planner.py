"""Plans are reversed and mirrored with their pair, and one shape that both people hold is compared finely."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.planner import MAX_CLAUSES, MIN_CLAUSES, make_plan, shared_shapes, watched_axes
from fmp_models.geometry.verdicts import agrees, confidence
from fmp_models.pose import INDEX, Pose, PosePair, in_pelvis_frame, joint_distances
from tests.bodies import Arm, Body, Leg, bodies, pairs
from tests.fmp_models.geometry.test_pose_values import SITTING, STANDING, photographed
from tests.fmp_models.geometry.test_shapes import BODIES, LEVEL
from tests.fmp_models.geometry.test_two_people import built
from tests.nonempty import nonempty
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
def test_in_one_shape_plans_mirror_and_reverse(pair: PosePair) -> None:
    plan = make_plan(pair)
    assert make_plan(pair.mirrored) == mirror_plan(plan)
    back = {(clause.side, clause.part, clause.direction.reverse) for clause in moving(pair.swapped)}
    assert back == {(clause.side, clause.part, clause.direction) for clause in moving(pair)}


@settings(max_examples=40, deadline=None)
@given(near_shapes().filter(make_plan))
def test_in_one_shape_plans_are_borne_out(pair: PosePair) -> None:
    for clause in nonempty(clause for clause in make_plan(pair) if clause.direction is not Direction.UNSEEN):
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
