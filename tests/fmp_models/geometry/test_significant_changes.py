"""Only certain changes of photographed poses are said."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given

from fmp_models.describe.descriptions import describe
from fmp_models.estimators.base import sampled_joints
from fmp_models.geometry.lexicon import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.geometry.verdicts import agrees, axes_of, confidence, contradictions
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import INDEX, Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies, pairs
from tests.nonempty import nonempty
from tests.plans import mirror_plan

ARM = ("elbow", "wrist", "hand")


def photographed(pose: Pose, *, hidden: Sequence[str] = (), outside: Sequence[str] = ()) -> Pose:
    """Return the pose as one photograph gives it."""
    visibility, inside = np.ones(20), np.ones(20, dtype=bool)
    visibility[[INDEX[name] for name in hidden]] = 0.05
    visibility[[INDEX[name] for name in outside]] = 0.0
    inside[[INDEX[name] for name in outside]] = False
    return replace(pose, visibility=visibility, pose_samples=sampled_joints(pose.joints[None], visibility, inside))


def seen(pair: PosePair) -> PosePair:
    return PosePair(photographed(pair.current), photographed(pair.target))


def of(current: Body, target: Body) -> PosePair:
    return seen(PosePair(current.pose(), target.pose()))


def movements(plan: Plan) -> set[tuple[str, str]]:
    return {(clause.part_name, clause.direction.value) for clause in plan}


photographs = pairs.map(seen)


@given(photographs)
def test_the_mirrored_pair_has_the_mirrored_plan(pair: PosePair) -> None:
    assert make_plan(pair.mirrored) == mirror_plan(make_plan(pair))


@given(photographs)
def test_the_way_back_reverses_every_direction(pair: PosePair) -> None:
    def moves(plan: Plan) -> set[tuple[Side, Part, Direction]]:
        return {(c.side, c.part, c.direction) for c in plan if c.direction is not Direction.KEEP}

    assert {(side, part, way.reverse) for side, part, way in moves(make_plan(pair.swapped))} == moves(make_plan(pair))


@given(photographs.filter(make_plan))
def test_all_that_is_said_is_borne_out_by_most_plausible_bodies(pair: PosePair) -> None:
    for clause in nonempty(clause for clause in make_plan(pair) if clause.direction is not Direction.UNSEEN):
        assert agrees(clause, pair) is not False
        assert confidence(clause, pair) > 0.5


@given(photographs)
def test_confidence_is_the_share_of_plausible_bodies_as_they_were_drawn(pair: PosePair) -> None:
    movements = [clause for clause in make_plan(pair) if clause.direction not in {Direction.KEEP, Direction.UNSEEN}]
    assume(movements)
    for clause in nonempty(movements):
        every = [
            sign * m.change_of(pair)(*pair.of_one_build.pose_samples) > m.thresholds[0] / 3
            for m, sign in axes_of(clause)
        ]
        assert confidence(clause, pair) == min(float(share.mean()) for share in every)


@given(photographs)
def test_no_plan_contradicts_itself(pair: PosePair) -> None:
    assert contradictions(make_plan(pair)) == ()


@given(photographs)
def test_no_arm_goes_up_while_its_hand_goes_down(pair: PosePair) -> None:
    ways = {(side, clause.part): clause.direction for clause in make_plan(pair) for side in clause.side.each}
    for side in (Side.LEFT, Side.RIGHT):
        directions = {ways.get((side, part)) for part in (Part.ARM, Part.FOREARM, Part.HAND)}
        assert not {Direction.UP, Direction.DOWN} <= directions


def test_what_is_likely_is_said_where_nothing_is_sure_and_all_was_seen() -> None:
    slight = make_plan(of(Body(), Body(lean=16)))
    assert ("trunk", "left") in movements(slight)


@given(photographs)
def test_texts_read_back_as_their_plan_in_every_language(pair: PosePair) -> None:
    plan = make_plan(pair)
    for code in nonempty(LANGUAGES):
        assert read_plan(describe(pair, code).text, grammar(code)) == plan


@given(bodies)
def test_one_picture_twice_is_the_target_pose(body: Body) -> None:
    pose = photographed(body.pose(), outside=["left_ankle", "left_foot"])
    assert make_plan(PosePair(pose, pose)) == ()


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_arm_outside_the_picture_is_said_to_be_unseen_and_nothing_else_of_it(side: str) -> None:
    arm = [f"{side}_{name}" for name in ARM]
    current, target = Body().pose(), Body(left_leg=Leg(lift=80, bend=90)).pose()
    plan = make_plan(PosePair(photographed(current), photographed(target, outside=arm)))
    assert Clause(Side(side), Part.ARM, Direction.UNSEEN) in plan
    assert ("left leg", "up") in movements(plan)
    assert not [
        c for c in plan if c.side is Side(side) and c.part is not Part.ARM and c.part.value in {"hand", "elbow"}
    ]


def test_an_occluded_arm_that_plainly_moved_is_said_all_the_same() -> None:
    raised = photographed(Body(right_arm=Arm(lift=165)).pose(), hidden=[f"right_{name}" for name in ARM])
    assert ("right arm", "up") in movements(make_plan(PosePair(photographed(Body().pose()), raised)))


def test_nobody_is_told_that_all_is_well_where_a_limb_was_not_seen() -> None:
    leg = ["left_knee", "left_ankle", "left_foot"]
    pair = PosePair(photographed(Body().pose()), photographed(Body(nod=1).pose(), outside=leg))
    for code in nonempty(LANGUAGES):
        text = describe(pair, code).text
        words = grammar(code)
        assert words.unchanged not in text
        assert text.endswith(words.unchanged_elsewhere)
        assert read_plan(text, words) == (Clause(Side.LEFT, Part.LEG, Direction.UNSEEN),)


def test_a_step_forward_is_surer_from_the_side_than_from_the_front_where_depth_alone_shows_it() -> None:
    forward = Clause(Side.LEFT, Part.FOOT, Direction.FORWARD)
    step = {"left_leg": Leg(lift=22, swing=90)}
    front, side = (confidence(forward, of(Body(yaw=yaw), Body(yaw=yaw, **step))) for yaw in (0, 85))
    assert front < side - 0.05


def test_a_raised_arm_says_where_it_goes_when_its_end_does_not() -> None:
    plan = movements(make_plan(of(Body(), Body(left_arm=Arm(lift=40, swing=90), right_arm=Arm(lift=40, swing=90)))))
    assert ("both arms", "forward") in plan


def test_sitting_down_and_getting_up_are_called_so() -> None:
    sitting = Body(left_leg=Leg(lift=88, bend=92), right_leg=Leg(lift=88, bend=92))
    down = {c.part: c for c in make_plan(of(Body(), sitting))}
    up = {c.part: c for c in make_plan(of(sitting, Body()))}
    assert (down[Part.BODY].direction, down[Part.BODY].relations) == (Direction.DOWN, (Relation.SITTING,))
    assert (up[Part.BODY].direction, up[Part.BODY].relations) == (Direction.UP, (Relation.STANDING,))


def test_a_squat_that_sinks_far_says_so_beside_its_knees() -> None:
    squat = Body(pitch=40, left_leg=Leg(lift=100, bend=130), right_leg=Leg(lift=100, bend=130))
    assert {("both knees", "bend"), ("body", "down")} <= movements(make_plan(of(Body(), squat)))


def test_feet_that_step_apart_forward_and_back_are_both_told() -> None:
    lunge = Body(yaw=60, left_leg=Leg(lift=40, swing=90, bend=40), right_leg=Leg(lift=30, swing=-90, bend=10))
    told = movements(make_plan(of(Body(yaw=60), lunge)))
    assert {("left foot", "forward"), ("right foot", "backward")} <= told


def test_a_balanced_squat_is_no_sitting() -> None:
    squat = Body(pitch=40, left_leg=Leg(lift=75, bend=100), right_leg=Leg(lift=75, bend=100))
    assert not [c for c in make_plan(of(Body(), squat)) if Relation.SITTING in c.relations]


def test_a_foot_against_the_other_leg_is_named() -> None:
    standing = Body().pose()
    joints = standing.joints.copy()
    knee = joints[INDEX["right_knee"]]
    joints[INDEX["left_knee"]] = np.add(knee, (0.4, -0.05, 0.0))
    joints[INDEX["left_ankle"]] = np.add(knee, (0.08, -0.05, 0.0))
    joints[INDEX["left_foot"]] = np.add(knee, (0.05, 0.1, 0.0))
    plan = make_plan(seen(PosePair(standing, Pose(joints, standing.visibility))))
    (clause,) = [c for c in plan if (c.part, c.direction) == (Part.LEG, Direction.UP)]
    assert Relation.AGAINST_LEG in clause.relations


@pytest.mark.parametrize("lean", [-35, 35])
def test_a_hand_that_the_trunk_carries_down_is_not_told_to_go_there(lean: float) -> None:
    leaning = Body(lean=lean, left_arm=Arm(lift=5 + lean), right_arm=Arm(lift=5 - lean))
    plan = make_plan(of(Body(), leaning))
    assert any(part == "trunk" for part, _ in movements(plan))
    assert not any(part.endswith(("hand", "hands")) and way in {"up", "down"} for part, way in movements(plan))


@pytest.mark.parametrize(
    ("target", "movement"),
    [
        pytest.param(Arm(70, 80, 100), "in", id="its forearm goes up while it goes down a little"),
        pytest.param(Arm(55, 80), "in", id="it goes further in than down"),
        pytest.param(Arm(80, 45), "forward", id="it goes as far forward as in"),
    ],
)
def test_the_way_an_arm_goes_is_not_lost_beside_what_else_is_said_of_it(target: Arm, movement: str) -> None:
    plan = make_plan(of(Body(right_arm=Arm(90)), Body(right_arm=target)))

    assert {("right arm", "in"), ("right arm", movement)} <= movements(plan)


def test_an_arm_raised_far_out_to_the_side_is_said_once() -> None:
    plan = make_plan(of(Body(left_arm=Arm(30)), Body(left_arm=Arm(90))))

    assert {way for part, way in movements(plan) if part == "left arm"} == {"up"}


def test_who_leans_forward_and_aside_is_told_both() -> None:
    told = movements(make_plan(of(Body(), Body(pitch=35, lean=30))))
    assert {("trunk", "forward"), ("trunk", "left")} <= told


def _foot_turns(pair: PosePair) -> list[Clause]:
    return [clause for clause in make_plan(pair) if clause.part is Part.FOOT and "turn" in clause.direction]


@pytest.mark.parametrize("turned", [60.0, 80.0, 120.0])
def test_a_foot_is_told_to_turn_only_where_it_is_clearly_seen_and_most_sure(turned: float) -> None:
    before, after = Body(), Body(left_leg=Leg(toes=10.0 + turned))
    for clause in _foot_turns(of(before, after)):
        assert confidence(clause, of(before, after)) > 0.9
    faint = photographed(after.pose(), hidden=["left_foot"])
    assert not _foot_turns(PosePair(photographed(before.pose()), faint))


def test_a_foot_that_surely_turned_is_told_so() -> None:
    looks = [Body(left_leg=Leg(toes=toes)).pose() for toes in (0.0, 90.0)]
    near = [replace(pose, pose_samples=np.stack([pose.joints, pose.joints + 1e-3])) for pose in looks]
    assert [(c.side, c.direction) for c in _foot_turns(PosePair(*near))] == [(Side.LEFT, Direction.TURN_OUT)]


def test_a_foot_that_steps_aside_alone_is_said_to() -> None:
    plan = make_plan(of(Body(), Body(left_leg=Leg(lift=35, swing=0))))
    assert ("left foot", "out") in movements(plan)
    assert ("right foot", "out") not in movements(plan)


def test_hips_that_sink_a_little_with_both_knees_are_said_to() -> None:
    legs = Leg(lift=40, bend=80)
    pair = of(Body(), Body(left_leg=legs, right_leg=legs))
    assert {("body", "down"), ("both knees", "bend")} <= movements(make_plan(pair))
    assert {("body", "up"), ("both knees", "straighten")} <= movements(make_plan(pair.swapped))
