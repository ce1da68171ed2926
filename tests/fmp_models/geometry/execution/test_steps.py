from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given

from fmp_models.geometry.attitudes import is_kneeling, is_sitting, is_standing
from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.execution.floor import floor_level, held, supports
from fmp_models.geometry.execution.joint_limits import LIMITS, angles, ranges
from fmp_models.geometry.execution.steps import carried_steps, carry_out
from fmp_models.geometry.execution.way import way_led
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.pose_values import elbow_angle, elevation, foot_lift, is_lying, knee_angle
from fmp_models.geometry.verdicts.verdicts import agrees
from fmp_models.pose import BONES, INDEX, Array, Pose, PosePair, mirror, pose_pair
from tests.bodies import Arm, Body, Leg, bodies, distance_left, pairs, random_pairs
from tests.plans import plans
from tests.thoroughness import examples, thorough

RIGHT_ANGLE = Clause(Side.LEFT, Part.ELBOW, Direction.BEND, Degree.PLAIN, (Relation.RIGHT_ANGLE,))
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # an example takes a second
ARM_UP = Clause(Side.LEFT, Part.ARM, Direction.UP)


def lengths(joints: Array) -> Array:
    return np.array([np.linalg.norm(joints[a] - joints[b]) for a, b in BONES])


def test_an_empty_plan_changes_nothing() -> None:
    pose = Body().pose()
    assert carry_out((), pose) is pose


def test_bending_an_elbow_to_a_right_angle_does_that_and_little_else() -> None:
    before = Body().pose()
    after = carry_out((RIGHT_ANGLE,), before)
    assert elbow_angle(after.joints, "left") == pytest.approx(90, abs=15)
    moved = np.linalg.norm(after.joints - before.joints, axis=-1)
    assert moved[[INDEX["right_wrist"], INDEX["left_ankle"], INDEX["right_ankle"]]].max() < 0.05


@examples(12, 4, phases=UNSHRUNK)
@given(bodies, plans)
def test_whatever_is_said_bones_limits_and_floor_hold(body: Body, plan: tuple[Clause, ...]) -> None:
    start = body.pose()
    low, high = ranges(start.joints)
    floor = floor_level(start.joints)
    before = start.joints
    for clause, after in zip(plan, carried_steps(plan, start), strict=True):
        if after is None:
            continue
        assert lengths(after) == pytest.approx(lengths(start.joints), abs=1e-9)
        degrees = angles(after)
        beyond = np.maximum(low - degrees, degrees - high)
        assert beyond.max() <= 1.0, LIMITS[int(beyond.argmax())].name
        assert floor_level(after) == pytest.approx(floor, abs=1e-9)  # neither sinks nor hovers
        standing = [joint for one in held(supports(before, floor), clause) if not one.slides for joint in one.joints]
        assert np.abs((after - before)[standing][:, [0, 2]]).max(initial=0.0) <= 0.02
        before = after


@thorough
@examples(8, 3, phases=UNSHRUNK)
@given(pairs)
def test_the_mirrored_plan_on_the_mirrored_body_gives_the_mirrored_poses(pair: PosePair) -> None:
    plan = make_plan(pair)
    steps = carried_steps(plan, pair.current)
    mirrored = carried_steps([clause.mirrored for clause in plan], mirror(pair.current))
    for step, other in zip(steps, mirrored, strict=True):
        assert (step is None) == (other is None)
        if step is not None and other is not None:
            back = mirror(Pose(other, np.ones(20))).joints
            assert np.abs(back - step).max() < 0.02


@thorough
def test_what_is_carried_out_is_true_and_nearly_everything_of_a_plan_is_carried_out() -> None:
    planned, carried, true = 0, 0, 0
    for pair in random_pairs(30, seed=3):
        plan = make_plan(pair)
        steps = carried_steps(plan, pair.current)
        done = [joints for joints in steps if joints is not None]
        after = pose_pair(pair.current.joints, done[-1])
        verdicts = [agrees(c, after) for c, joints in zip(plan, steps, strict=True) if joints is not None]
        planned, carried, true = planned + len(plan), carried + len(done), true + sum(v is True for v in verdicts)
    print(f"\n{planned} clauses: {carried / planned:.1%} carried out, {true / carried:.1%} of them true in the end")  # noqa: T201
    assert carried / planned > 0.95
    assert true / carried > 0.97


@thorough
def test_doing_what_is_said_comes_closer_to_the_target_on_nearly_all_pairs() -> None:
    left = [distance_left(pair) for pair in random_pairs(60, seed=11)]
    closer = np.mean(np.array(left) < 1)
    print(f"\nrandom pairs: {closer:.1%} of {len(left)} closer, {np.mean(left):.2f} of it left")  # noqa: T201
    assert closer >= 0.95


def test_each_step_leads_from_one_pose_to_the_next_and_later_ones_keep_what_was_reached() -> None:
    plan = [RIGHT_ANGLE, ARM_UP, Clause(Side.NONE, Part.TRUNK, Direction.FORWARD)]
    bent, raised, leant = carried_steps(plan, Body().pose())
    arms = [float(elevation(joints, "left_shoulder", "left_elbow")) for joints in (bent, raised, leant)]
    assert arms[1] > arms[0] + 20
    assert arms[2] == pytest.approx(arms[1], abs=10)
    for joints in (bent, raised, leant):
        assert elbow_angle(joints, "left") == pytest.approx(90, abs=15)


def test_a_later_step_may_undo_an_earlier_one() -> None:
    up, down = carried_steps([ARM_UP, Clause(Side.LEFT, Part.ARM, Direction.DOWN)], Body(left_arm=Arm(lift=60)).pose())
    high, low = (float(elevation(joints, "left_shoulder", "left_elbow")) for joints in (up, down))
    assert high > 60 + 20
    assert low < high - 20


def test_what_is_said_twice_goes_on_from_where_it_was() -> None:
    once, twice = carried_steps([ARM_UP, ARM_UP], Body().pose())
    first, second = (float(elevation(joints, "left_shoulder", "left_elbow")) for joints in (once, twice))
    assert second > first + 20


def test_a_part_that_is_to_stay_stays_from_the_beginning() -> None:
    plan = [Clause(Side.NONE, Part.TRUNK, Direction.FORWARD), Clause(Side.BOTH, Part.ARM, Direction.KEEP)]
    leant, kept = carried_steps(plan, Body().pose())
    assert leant is not None
    assert kept is leant


@pytest.mark.parametrize(
    ("clause", "body"),
    [
        (Clause(Side.LEFT, Part.LEG, Direction.UNSEEN), Body()),
        (Clause(Side.NONE, Part.ELBOW, Direction.BEND), Body()),  # which one?
        (Clause(Side.LEFT, Part.HAND, Direction.MOVE), Body()),  # which way?
        (Clause(Side.LEFT, Part.ELBOW, Direction.BEND, Degree.FAR), Body(left_arm=Arm(bend=149))),
        (Clause(Side.LEFT, Part.KNEE, Direction.STRAIGHTEN), Body(left_leg=Leg(bend=0))),
        (Clause(Side.BOTH, Part.LEG, Direction.UP, Degree.FAR), Body()),  # nobody hovers
    ],
)
def test_what_cannot_be_done_moves_nothing(clause: Clause, body: Body) -> None:
    after, arm = carried_steps([clause, ARM_UP], body.pose())
    assert after is None
    assert arm is not None


def test_a_foot_below_the_other_can_be_lifted() -> None:
    start = Body(left_leg=Leg(bend=0, lift=0)).pose()  # its ankle is a centimetre lower
    (after,) = carried_steps([Clause(Side.LEFT, Part.LEG, Direction.UP)], start)
    assert foot_lift(start.joints, "left") == 0
    assert foot_lift(after, "left") > 0.2


def test_both_knees_bend_by_lowering_the_hips_and_the_feet_stay() -> None:
    start = Body().pose().joints
    (after,) = carried_steps([Clause(Side.BOTH, Part.KNEE, Direction.BEND)], Body().pose())
    assert after[0, 1] > start[0, 1] + 0.05  # y points down
    feet = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]
    assert np.abs(after - start)[feet].max() < 0.02
    for side in ("left", "right"):
        assert knee_angle(after, side) < knee_angle(start, side) - 20


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=thorough)])
def test_a_plan_leads_towards_its_target(count: int) -> None:
    ways = []
    for pair in random_pairs(count, seed=12):
        after = carry_out(make_plan(pair), pair.current)
        ways.append(way_led(pair.current, after.joints, pair.target))
    print(f"\nway of {len(ways)} plans: {np.mean(ways):.2f}, {np.mean(np.array(ways) > 0):.0%} nearer")  # noqa: T201
    assert np.mean(ways) > 0.3


@thorough
@examples(5, 3, phases=UNSHRUNK)
@given(pairs)
def test_poses_do_not_depend_on_where_the_body_stands(pair: PosePair) -> None:
    plan = make_plan(pair)[:3]
    away = np.array([0.5, 0.2, 2.0])
    moved = Pose(pair.current.joints + away, pair.current.visibility)
    for step, other in zip(carried_steps(plan, pair.current), carried_steps(plan, moved), strict=True):
        assert (step is None) == (other is None)
        if step is not None and other is not None:
            assert np.abs(step + away - other).max() < 0.02


SEATED = Body(left_leg=Leg(lift=88, bend=88), right_leg=Leg(lift=88, bend=88))


@pytest.mark.parametrize("body", [Body(), SEATED])
@pytest.mark.parametrize(
    ("relation", "rests"),
    [
        (Relation.SITTING, is_sitting),
        (Relation.KNEELING, is_kneeling),
        (Relation.LYING, is_lying),
        (Relation.STANDING, is_standing),
    ],
)
def test_a_body_sits_kneels_lies_and_stands(body: Body, relation: Relation, rests: Callable[[Array], bool]) -> None:
    (after,) = carried_steps([Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(relation,))], body.pose())
    assert after is not None
    assert rests(after)
    assert floor_level(after) == pytest.approx(floor_level(body.pose().joints))


def test_who_sat_down_may_stretch_the_knees_and_stand_up_again() -> None:
    plan = [
        Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(Relation.SITTING,)),
        Clause(Side.BOTH, Part.KNEE, Direction.STRAIGHTEN),
        Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(Relation.STANDING,)),
    ]
    sat, stretched, stood = carried_steps(plan, Body().pose())
    assert is_sitting(sat)
    assert stretched[0] == pytest.approx(sat[0], abs=0.02)  # on the seat
    assert is_standing(stood)
