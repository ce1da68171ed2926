"""A text is done on a body: bones, floor and limits hold, a limb moves alone, and every shape is reached."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import Phase, given

from fmp_models.geometry.attitudes import is_kneeling, is_sitting, is_standing
from fmp_models.geometry.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.geometry.execution.joint_limits import LIMITS, angles, ranges
from fmp_models.geometry.execution.progress import progress_towards
from fmp_models.geometry.execution.solver import execute, executed_goals, executed_steps
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.geometry.pose_values import elbow_angle, elevation, foot_lift, is_lying, knee_angle, trunk_tilt
from fmp_models.geometry.shapes.shape import NamedShape, Region, near
from fmp_models.geometry.shapes.table import BY_NAME, SHAPES
from fmp_models.geometry.verdicts.clause_verdicts import agrees
from fmp_models.pose import BONES, INDEX, MIRROR, Array, Pose, PosePair, mirror, pose_pair
from tests.bodies import Arm, Body, Leg, bodies, distance_left, pairs, random_pairs
from tests.plans import plans
from tests.thoroughness import examples, thorough

RIGHT_ANGLE = Clause(Side.LEFT, Part.ELBOW, Direction.BEND, Degree.PLAIN, (Relation.RIGHT_ANGLE,))
UNSHRUNK = (Phase.explicit, Phase.reuse, Phase.generate)  # an example takes a second
ARM_UP, ARMS_UP = (Clause(side, Part.ARM, Direction.UP) for side in (Side.LEFT, Side.BOTH))
KNEES = Clause(Side.BOTH, Part.KNEE, Direction.BEND)
STANDING = Body().pose()
LEFT_ARM = {INDEX[f"left_{name}"] for name in ("elbow", "wrist", "hand")}


def named(shape: str, side: Side = Side.NONE) -> NamedShape:
    return NamedShape(BY_NAME[shape], side if BY_NAME[shape].sided else Side.BOTH)


def lengths(joints: Array) -> Array:
    return np.array([np.linalg.norm(joints[a] - joints[b]) for a, b in BONES])


def lowest(joints: Array) -> float:
    return float(joints[:, 1].max())


def one_step(goal: Clause | NamedShape, start: Pose = STANDING) -> Array:
    (after,) = executed_steps([goal], start)
    assert after is not None
    return after


def test_a_side_that_is_left_open_is_done_on_either() -> None:
    arm, tree = Clause(Side.NONE, Part.ARM, Direction.UP), named("tree")

    done = executed_goals([arm, tree], STANDING)

    assert done.goals == (arm, tree)
    assert [float(foot_lift(body, "left") - foot_lift(body, "right")) > 0 for body in done.bodies] == [True, False]
    np.testing.assert_allclose(done.bodies[0], execute([ARM_UP, named("tree", Side.LEFT)], STANDING).joints)
    np.testing.assert_allclose(done.bodies[1], execute([ARM_UP.mirrored, named("tree", Side.RIGHT)], STANDING).joints)
    np.testing.assert_allclose(executed_goals([ARM_UP, ARM_UP], STANDING).bodies, [execute([ARM_UP], STANDING).joints])


def test_what_cannot_be_done_is_not_among_what_was_done() -> None:
    impossible = Clause(Side.BOTH, Part.HAND, Direction.MOVE)

    done = executed_goals([impossible, ARMS_UP], STANDING)

    assert done.goals == (ARMS_UP,)
    np.testing.assert_array_equal(executed_goals([impossible], STANDING).bodies, STANDING.joints[None])


def test_an_empty_plan_changes_nothing() -> None:
    assert execute((), STANDING) is STANDING


@pytest.mark.parametrize("shape", [*BY_NAME])
@pytest.mark.parametrize("side", [Side.LEFT, Side.RIGHT])
def test_every_shape_is_reached_from_standing(shape: str, side: Side) -> None:
    start = Body(yaw=30).pose()
    goal = named(shape, side)
    after = one_step(goal, start)
    assert near(goal.shape.ranges, after, goal.side)
    assert lengths(after) == pytest.approx(lengths(start.joints), abs=1e-9)
    assert lowest(after) == pytest.approx(lowest(start.joints), abs=1e-9)


@thorough
def test_every_shape_is_reached_from_every_other_one() -> None:
    of_bodies = [shape.name for shape in SHAPES if shape.regions != {Region.ARMS}]
    ends = {(a, b): executed_steps([named(a), named(b)], STANDING)[1] for a in of_bodies for b in of_bodies if a != b}
    missed = [names for names, end in ends.items() if end is None]
    print(f"\nnot reached of {len(ends)}: {missed}")  # noqa: T201
    assert len(missed) < 10


def test_arms_are_raised_by_one_who_lies_and_not_by_one_who_stands_on_them() -> None:
    lying, raised = executed_steps([named("lying_back"), named("arms_overhead")], STANDING)
    assert lying is not None
    assert raised is not None
    along = raised[INDEX["left_wrist"]] - raised[INDEX["left_shoulder"]]
    trunk = raised[INDEX["neck"]] - raised[INDEX["hip"]]
    assert along @ trunk > 0.9 * np.linalg.norm(along) * np.linalg.norm(trunk)
    assert executed_steps([named("plank"), named("arms_overhead")], STANDING)[1] is None


def test_of_two_sides_the_nearer_one_is_taken_and_else_the_right() -> None:
    lifted = Body(left_leg=Leg(lift=60, bend=70)).pose()
    assert near(BY_NAME["tree"].ranges, one_step(named("tree"), lifted), Side.LEFT)
    assert near(BY_NAME["tree"].ranges, one_step(named("tree")), Side.RIGHT)


def test_arms_that_a_shape_says_nothing_of_stay_raised() -> None:
    raised, squat = executed_steps([ARMS_UP, named("squat")], STANDING)
    assert raised is not None
    assert squat is not None
    assert squat[INDEX["left_wrist"], 1] < squat[INDEX["head"], 1] - 0.1
    assert squat[0, 1] > raised[0, 1] + 0.3  # y points down


@pytest.mark.parametrize(
    ("clause", "measured", "low", "high"),
    [
        (ARMS_UP, lambda joints: elevation(joints, "left_shoulder", "left_wrist"), 155, 180),
        (Clause(Side.RIGHT, Part.ELBOW, Direction.BEND), lambda joints: elbow_angle(joints, "right"), 80, 100),
        (KNEES, lambda joints: knee_angle(joints, "left"), 90, 130),
        (
            Clause(Side.NONE, Part.BODY, Direction.DOWN),
            lambda joints: elevation(joints, "left_hip", "left_knee"),
            70,
            100,
        ),
        (Clause(Side.LEFT, Part.LEG, Direction.UP), lambda joints: elevation(joints, "left_hip", "left_knee"), 75, 100),
        (Clause(Side.NONE, Part.TRUNK, Direction.FORWARD), trunk_tilt, 25, 60),
        (Clause(Side.NONE, Part.TRUNK, Direction.FORWARD, Degree.FAR), trunk_tilt, 60, 100),
        (Clause(Side.NONE, Part.TRUNK, Direction.FORWARD, Degree.SLIGHT), trunk_tilt, 10, 25),
    ],
)
def test_without_an_amount_a_word_means_what_people_do(
    clause: Clause, measured: Callable[[Array], Array], low: float, high: float
) -> None:
    assert low < float(measured(one_step(clause))) < high


def test_towards_a_target_a_word_without_an_amount_means_what_measures_say() -> None:
    after = execute([ARM_UP], STANDING, corrects=True)
    assert 30 < float(elevation(after.joints, "left_shoulder", "left_elbow")) < 80


@pytest.mark.parametrize(
    ("clause", "start", "moving"),
    [
        (ARM_UP, STANDING, LEFT_ARM),
        (RIGHT_ANGLE, STANDING, LEFT_ARM),
        (Clause(Side.LEFT, Part.HAND, Direction.REACH, relations=(Relation.NEAR_HIP,)), STANDING, LEFT_ARM),
        (Clause(Side.NONE, Part.HEAD, Direction.FORWARD), STANDING, {INDEX["head"]}),
        (Clause(Side.RIGHT, Part.ARM, Direction.OUT), Body(pitch=30).pose(), {MIRROR[joint] for joint in LEFT_ARM}),
    ],
)
def test_a_limb_moves_alone(clause: Clause, start: Pose, moving: set[int]) -> None:
    moved = np.linalg.norm(one_step(clause, start) - start.joints, axis=-1)
    assert {*np.flatnonzero(moved > 0.01)} <= moving
    assert moved[list(moving)].max() > 0.05


def test_a_leg_that_is_lifted_moves_neither_arms_nor_head_against_the_hips() -> None:
    after = one_step(Clause(Side.LEFT, Part.LEG, Direction.UP))
    against_hips = np.linalg.norm((after - after[0]) - (STANDING.joints - STANDING.joints[0]), axis=-1)
    upper = [INDEX[name] for name in INDEX if not name.endswith(("knee", "ankle", "foot", "hip"))]
    assert against_hips[upper].max() < 0.02
    right_foot = [INDEX["right_ankle"], INDEX["right_foot"]]
    assert np.abs(after - STANDING.joints)[right_foot].max() < 0.02
    assert foot_lift(after, "left") > 0.2


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (ARMS_UP, KNEES),
        (ARMS_UP, Clause(Side.NONE, Part.HEAD, Direction.FORWARD)),
        (KNEES, ARMS_UP),
        (Clause(Side.BOTH, Part.FOOT, Direction.APART, relations=(Relation.WIDE,)), KNEES),
        (named("arms_t"), named("goddess")),
        (named("tree"), named("palms_overhead")),
        (named("lunge"), ARMS_UP),
        (Clause(Side.LEFT, Part.ELBOW, Direction.BEND), Clause(Side.RIGHT, Part.ARM, Direction.UP)),
    ],
)
def test_a_later_step_undoes_no_earlier_one(earlier: Clause | NamedShape, later: Clause | NamedShape) -> None:
    steps = executed_steps([earlier, later], STANDING)
    first, last = (step for step in steps if step is not None)
    assert np.abs(last - first).max() > 0.05
    if isinstance(earlier, Clause):
        assert agrees(earlier, pose_pair(STANDING.joints, last))
    else:
        assert any(near(earlier.shape.ranges, last, side) for side in earlier.sides)


@examples(12, 4, phases=UNSHRUNK)
@given(bodies, plans)
def test_whatever_is_said_bones_limits_and_floor_hold(body: Body, plan: tuple[Clause, ...]) -> None:
    start = body.pose()
    before = start.joints.copy()
    low, high = ranges(start.joints)
    steps = [after for after in executed_steps(plan, start) if after is not None]
    bodies_after = np.array([start.joints, *steps])
    assert np.array([lengths(after) for after in bodies_after]) == pytest.approx(
        np.tile(lengths(before), (len(bodies_after), 1)), abs=1e-9
    )
    degrees = angles(bodies_after)
    beyond = np.maximum(low - degrees, degrees - high).max(axis=0)
    assert beyond.max() <= 8.0, LIMITS[int(beyond.argmax())].name
    assert bodies_after[:, :, 1].max(axis=1) == pytest.approx(lowest(before), abs=1e-9)  # neither sinks nor hovers
    assert (start.joints == before).all()


MIRRORED = [[ARM_UP], [RIGHT_ANGLE, KNEES], [named("warrior_two", Side.LEFT)], [named("tree", Side.RIGHT), ARMS_UP]]
MIRRORED += [
    [Clause(Side.NONE, Part.TRUNK, Direction.LEFT)],
    [Clause(Side.LEFT, Part.FOOT, Direction.OUT)],
    [named("plank")],
]


@pytest.mark.parametrize("goals", MIRRORED)
def test_a_mirrored_body_ends_mirrored(goals: list[Clause | NamedShape]) -> None:
    start = Body(yaw=20, left_arm=Arm(lift=30)).pose()
    mirrored_goals = [
        goal.mirrored if isinstance(goal, Clause) else NamedShape(goal.shape, goal.side.mirrored) for goal in goals
    ]
    after, other = execute(goals, start), execute(mirrored_goals, mirror(start))
    assert np.abs(mirror(other).joints - after.joints).max() < 0.02
    assert np.abs(after.joints - start.joints).max() > 0.05


@thorough
@examples(8, 3, phases=UNSHRUNK)
@given(pairs)
def test_the_mirrored_plan_on_the_mirrored_body_gives_the_mirrored_poses(pair: PosePair) -> None:
    plan = make_plan(pair)
    steps = executed_steps(plan, pair.current, corrects=True)
    mirrored = executed_steps([clause.mirrored for clause in plan], mirror(pair.current), corrects=True)
    back = [None if step is None else mirror(Pose(step, np.ones(20))).joints for step in mirrored]
    assert [step is None for step in steps] == [step is None for step in back]
    apart = [np.abs(a - b).max() for a, b in zip(steps, back, strict=True) if a is not None and b is not None]
    assert max(apart, default=0.0) < 0.05


@thorough
def test_what_is_carried_out_is_true_and_nearly_everything_of_a_plan_is_carried_out() -> None:
    planned, carried, true = 0, 0, 0
    for pair in random_pairs(30, seed=3):
        plan = make_plan(pair)
        steps = executed_steps(plan, pair.current, corrects=True)
        done = [joints for joints in steps if joints is not None]
        after = pose_pair(pair.current.joints, done[-1])
        verdicts = [agrees(c, after) for c, joints in zip(plan, steps, strict=True) if joints is not None]
        planned, carried, true = planned + len(plan), carried + len(done), true + sum(v is True for v in verdicts)
    print(f"\n{planned} clauses: {carried / planned:.1%} carried out, {true / carried:.1%} of them true in the end")  # noqa: T201
    assert carried / planned > 0.95
    assert true / carried > 0.95


@thorough
def test_doing_what_is_said_comes_closer_to_the_target_on_nearly_all_pairs() -> None:
    left = [distance_left(pair) for pair in random_pairs(60, seed=11)]
    closer = np.mean(np.array(left) < 1)
    print(f"\nrandom pairs: {closer:.1%} of {len(left)} closer, {np.mean(left):.2f} of it left")  # noqa: T201
    assert closer >= 0.95


def test_a_later_step_may_undo_an_earlier_one() -> None:
    up, down = executed_steps([ARM_UP, Clause(Side.LEFT, Part.ARM, Direction.DOWN)], Body(left_arm=Arm(lift=60)).pose())
    high, low = (float(elevation(joints, "left_shoulder", "left_elbow")) for joints in (up, down))
    assert high > 150
    assert low < 20


def test_a_part_that_is_to_stay_stays_from_the_beginning() -> None:
    plan = [Clause(Side.NONE, Part.TRUNK, Direction.LEFT), Clause(Side.BOTH, Part.FOOT, Direction.KEEP)]
    leant, kept = executed_steps(plan, STANDING)
    assert leant is not None
    assert kept is leant


@pytest.mark.parametrize(
    ("clause", "body"),
    [
        (Clause(Side.LEFT, Part.LEG, Direction.UNSEEN), Body()),
        (Clause(Side.LEFT, Part.HAND, Direction.MOVE), Body()),  # which way?
        (Clause(Side.LEFT, Part.ELBOW, Direction.BEND, Degree.FAR), Body(left_arm=Arm(bend=149))),
        (Clause(Side.LEFT, Part.KNEE, Direction.STRAIGHTEN), Body(left_leg=Leg(bend=0))),
        (Clause(Side.BOTH, Part.LEG, Direction.UP, Degree.FAR), Body()),  # nobody hovers
    ],
)
def test_what_cannot_be_done_moves_nothing(clause: Clause, body: Body) -> None:
    after, arm = executed_steps([clause, ARM_UP], body.pose())
    assert after is None
    assert arm is not None


def test_of_a_limb_whose_side_is_left_open_the_right_one_moves() -> None:
    after = one_step(Clause(Side.NONE, Part.HAND, Direction.UP))
    assert after[INDEX["right_wrist"], 1] < after[INDEX["head"], 1]
    assert after[INDEX["left_wrist"]] == pytest.approx(STANDING.joints[INDEX["left_wrist"]], abs=0.01)


def test_a_foot_below_the_other_can_be_lifted() -> None:
    start = Body(left_leg=Leg(bend=0, lift=0)).pose()  # its ankle is a centimetre lower
    (after,) = executed_steps([Clause(Side.LEFT, Part.LEG, Direction.UP)], start)
    assert foot_lift(start.joints, "left") == 0
    assert foot_lift(after, "left") > 0.2


def test_both_knees_bend_by_lowering_the_hips_and_the_feet_stay() -> None:
    start = Body().pose().joints
    (after,) = executed_steps([Clause(Side.BOTH, Part.KNEE, Direction.BEND)], Body().pose())
    assert after[0, 1] > start[0, 1] + 0.05  # y points down
    feet = [INDEX[f"{side}_{name}"] for side in ("left", "right") for name in ("ankle", "foot")]
    assert np.abs(after - start)[feet].max() < 0.02
    for side in ("left", "right"):
        assert knee_angle(after, side) < knee_angle(start, side) - 20


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=thorough)])
def test_a_plan_leads_towards_its_target(count: int) -> None:
    ways = []
    for pair in random_pairs(count, seed=12):
        after = execute(make_plan(pair), pair.current, corrects=True)
        ways.append(progress_towards(pair.current, after.joints, pair.target))
    print(f"\nway of {len(ways)} plans: {np.mean(ways):.2f}, {np.mean(np.array(ways) > 0):.0%} nearer")  # noqa: T201
    assert np.mean(ways) > 0.25


@thorough
@examples(5, 3, phases=UNSHRUNK)
@given(pairs)
def test_poses_do_not_depend_on_where_the_body_stands(pair: PosePair) -> None:
    plan = make_plan(pair)[:3]
    away = np.array([0.5, 0.2, 2.0])
    moved = Pose(pair.current.joints + away, pair.current.visibility)
    for step, other in zip(*(executed_steps(plan, pose, corrects=True) for pose in (pair.current, moved)), strict=True):
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
    (after,) = executed_steps([Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(relation,))], body.pose())
    assert after is not None
    assert rests(after)
    assert lowest(after) == pytest.approx(lowest(body.pose().joints))


def test_who_sat_down_may_stretch_the_knees_and_stand_up_again() -> None:
    plan = [
        Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(Relation.SITTING,)),
        Clause(Side.BOTH, Part.KNEE, Direction.STRAIGHTEN),
        Clause(Side.NONE, Part.BODY, Direction.REACH, relations=(Relation.STANDING,)),
    ]
    sat, stretched, stood = executed_steps(plan, Body().pose())
    assert is_sitting(sat)
    assert stretched[0] == pytest.approx(sat[0], abs=0.02)  # on the seat
    assert is_standing(stood)
