"""Steps of a correction whose target is known: named parts go where the target has them, and the last pose is it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.common.rotations import rotations
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.geometry.execution.progress import on_bones_of
from fmp_models.geometry.execution.to_target import ARRIVED, steps_to_target
from fmp_models.geometry.pose_values import trunk_tilt
from fmp_models.pose import INDEX, PARENTS, Array, Pose, PosePair, angle, bone_lengths, wrap_degrees, yaw
from tests.bodies import Arm, Body, Leg, bodies, pairs

WHOLE = [
    Clause(Side.NONE, Part.BODY, Direction.UP),
    Clause(Side.BOTH, Part.ARM, Direction.UP),
    Clause(Side.NONE, Part.HEAD, Direction.FORWARD),
]
PARTS = st.sampled_from(
    [
        Clause(Side.LEFT, Part.ARM, Direction.UP),
        Clause(Side.RIGHT, Part.ELBOW, Direction.BEND),
        Clause(Side.LEFT, Part.KNEE, Direction.BEND),
        Clause(Side.NONE, Part.TRUNK, Direction.FORWARD),
        Clause(Side.BOTH, Part.FOOT, Direction.APART),
        Clause(Side.NONE, Part.BODY, Direction.TURN_LEFT),
        Clause(Side.NONE, Part.BODY, Direction.LEFT),
        Clause(Side.NONE, Part.BODY, Direction.DOWN),
    ]
)

# Joints at the ends of bones that a clause about these parts moves, of PARTS.
NAMED = {
    Part.ARM: ["left_elbow", "left_wrist", "left_hand"],
    Part.ELBOW: ["right_elbow", "right_wrist", "right_hand"],
    Part.KNEE: ["left_knee", "left_ankle", "left_foot"],
    Part.TRUNK: ["spine", "neck", "left_shoulder"],
    Part.FOOT: ["left_knee", "right_knee", "right_foot"],
    Part.BODY: ["spine", "neck", "left_knee", "right_knee"],
}


def in_room(body: Body, tip: float, at: tuple[float, float], *, placed: bool) -> Pose:
    """Somebody who stands (0), lies on the back (-90) or on the front (90), somewhere in a room."""
    joints = body.pose().joints @ rotations(np.radians([[tip, 0.0, 0.0]]))[0].T
    return Pose(joints + np.array([at[0], 0.0, at[1]]), np.ones(len(joints)), placed)


# Standing, lying and turned people, who have gone somewhere else or stand in no common room.
places = st.tuples(st.floats(-1, 1), st.floats(-1, 1))
rooms = st.builds(
    lambda bodies, tips, places, placed: PosePair(
        *(in_room(*of_pose, placed=placed) for of_pose in zip(bodies, tips, places, strict=True))
    ),
    st.tuples(bodies, bodies),
    st.tuples(*[st.sampled_from([0.0, 90.0, -90.0])] * 2),
    st.tuples(places, places),
    st.booleans(),
)


def directions(joints: Array) -> Array:
    bones = joints - joints[list(PARENTS)]
    return bones / np.maximum(np.linalg.norm(bones, axis=-1, keepdims=True), 1e-9)


@given(rooms, st.lists(PARTS, max_size=5))
def test_the_last_pose_is_the_goal_and_one_more_eases_into_it_where_the_steps_leave_something(
    pair: PosePair, clauses: list[Clause]
) -> None:
    poses = steps_to_target([[clause] for clause in clauses], pair.current, pair.target)
    goal = on_bones_of(pair.current, pair.target)
    assert len(poses) - len(clauses) in {0, 1}
    end = poses[-1] if poses else pair.current.joints
    assert np.linalg.norm(end - goal, axis=-1).max() <= (0 if poses else ARRIVED)
    if len(poses) > len(clauses):
        before = [pair.current.joints, *poses][-2]
        assert np.linalg.norm(before - goal, axis=-1).max() > ARRIVED


@given(pairs)
def test_nothing_is_left_once_every_part_has_moved(pair: PosePair) -> None:
    assert len(steps_to_target([[clause] for clause in WHOLE], pair.current, pair.target)) == len(WHOLE)


@given(rooms, st.lists(PARTS, min_size=1, max_size=5))
def test_bones_keep_their_lengths_and_nothing_sinks_into_the_floor_or_leaves_it(
    pair: PosePair, clauses: list[Clause]
) -> None:
    poses = np.stack(steps_to_target([[clause] for clause in clauses], pair.current, pair.target))
    assert np.allclose([bone_lengths(joints) for joints in poses], bone_lengths(pair.current.joints), atol=1e-6)
    assert np.allclose(poses[..., 1].max(axis=1), pair.current.joints[:, 1].max(), atol=1e-6)  # y points down


@given(rooms, st.lists(PARTS, min_size=2, max_size=5))
def test_no_step_undoes_an_earlier_one(pair: PosePair, clauses: list[Clause]) -> None:
    aims = directions(on_bones_of(pair.current, pair.target))
    poses = steps_to_target([[clause] for clause in clauses], pair.current, pair.target)
    off = np.array([np.linalg.norm(directions(joints) - aims, axis=-1) for joints in [pair.current.joints, *poses]])
    named: list[int] = []
    grown = []
    for number, clause in enumerate(clauses):
        named += [INDEX[name] for name in NAMED[clause.part]]
        grown.append((off[number + 1] - off[number])[named].max())
    assert max(grown) < 1e-6


def test_an_arm_that_is_not_named_stays_until_the_end() -> None:
    target = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90))
    current = Body().pose()
    joints, eased = steps_to_target([[Clause(Side.LEFT, Part.ARM, Direction.UP)]], current, target.pose())
    moved, moved_last = (np.linalg.norm(pose - current.joints, axis=-1) for pose in (joints, eased))
    assert moved[INDEX["left_wrist"]] > 0.5
    assert moved[INDEX["right_wrist"]] < 1e-6
    assert moved_last[INDEX["right_wrist"]] > 0.5


@pytest.mark.parametrize(
    ("arm", "arm_after", "degrees"),
    [(Arm(), Arm(lift=55, swing=90), 0), (Arm(lift=170), Arm(lift=170), 50)],
    ids=["hanging", "overhead"],
)
def test_an_arm_that_hangs_goes_on_hanging_while_the_trunk_bends_and_one_overhead_goes_along(
    arm: Arm, arm_after: Arm, degrees: float
) -> None:
    current, target = Body(left_arm=arm).pose(), Body(pitch=50, left_arm=arm_after).pose()
    joints, *_ = steps_to_target([[Clause(Side.NONE, Part.TRUNK, Direction.FORWARD)]], current, target)
    before, after = (directions(pose)[INDEX["left_elbow"]] for pose in (current.joints, joints))
    assert angle(before, after) == pytest.approx(degrees, abs=5)


def test_of_two_steps_that_name_the_same_parts_the_later_one_has_something_to_do() -> None:
    squat = Body(pitch=30, left_leg=Leg(lift=80, bend=100), right_leg=Leg(lift=80, bend=100))
    steps = [[Clause(Side.NONE, Part.BODY, Direction.DOWN)], [Clause(Side.NONE, Part.TRUNK, Direction.FORWARD)]]
    current = Body().pose()
    first, second = steps_to_target(steps, current, squat.pose())
    tilts = [float(trunk_tilt(joints)) for joints in (current.joints, first, second)]
    assert np.diff(tilts) == pytest.approx([20, 10], abs=3)


def test_a_step_to_the_side_of_the_room_is_a_step_of_its_own() -> None:
    current, target = Body().pose(placed=True), Body().pose(placed=True, at=(0.5, 0.0, 0.0))
    (joints,) = steps_to_target([[Clause(Side.NONE, Part.BODY, Direction.LEFT)]], current, target)
    assert joints == pytest.approx(target.joints)


@pytest.mark.parametrize(("tip", "leg"), [(90.0, Leg(bend=60)), (-90.0, Leg(lift=60))])
def test_who_lies_keeps_the_hips_where_they_are(tip: float, leg: Leg) -> None:
    current = in_room(Body(), tip, (0.0, 0.0), placed=False)
    target = in_room(Body(left_leg=leg), tip, (0.3, 0.3), placed=False)
    poses = steps_to_target([[Clause(Side.RIGHT, Part.ARM, Direction.UP)]], current, target)
    assert len(poses) == 2
    assert np.ptp([current.joints[0], *(joints[0] for joints in poses)], axis=0)[[0, 2]] == pytest.approx(0, abs=1e-6)


def test_who_squats_keeps_the_feet_where_they_are() -> None:
    squat = Body(left_leg=Leg(lift=80, bend=100), right_leg=Leg(lift=80, bend=100))
    current = Body().pose()
    (joints,) = steps_to_target([[Clause(Side.BOTH, Part.KNEE, Direction.BEND)]], current, squat.pose())
    ankles = [INDEX["left_ankle"], INDEX["right_ankle"]]
    assert np.abs((joints - current.joints)[ankles]).max() < 0.02
    assert joints[INDEX["hip"], 1] > current.joints[INDEX["hip"], 1] + 0.2  # y points down


@given(bodies, st.floats(-150, 150))
def test_a_turn_of_the_whole_body_turns_what_is_not_named_along(body: Body, degrees: float) -> None:
    target = body.change(yaw=float(wrap_degrees(np.array(body.yaw + degrees))))
    turn = Direction.TURN_LEFT if degrees > 0 else Direction.TURN_RIGHT
    (joints,) = steps_to_target([[Clause(Side.NONE, Part.BODY, turn)]], body.pose(), target.pose())
    assert abs(float(wrap_degrees(yaw(joints) - yaw(target.pose().joints)))) < 1e-3
    assert np.allclose(directions(joints), directions(target.pose().joints), atol=1e-3)
