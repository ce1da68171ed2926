"""Steps of a correction whose target is known: named parts go where the target has them, and nothing is undone."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.geometry.execution.to_target import steps_to_target
from fmp_models.geometry.execution.way import way_led
from fmp_models.pose import INDEX, PARENTS, Array, PosePair, bone_lengths, wrap_degrees, yaw
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
    ]
)


def directions(joints: Array) -> Array:
    bones = joints - joints[list(PARENTS)]
    return bones / np.maximum(np.linalg.norm(bones, axis=-1, keepdims=True), 1e-9)


@given(pairs)
def test_whoever_moves_every_part_arrives(pair: PosePair) -> None:
    *_, last = steps_to_target([[clause] for clause in WHOLE], pair.current, pair.target)
    way = way_led(pair.current, last, pair.target)
    assert way is None or way > 0.999


@given(pairs, st.lists(PARTS, min_size=1, max_size=5))
def test_bones_keep_their_lengths(pair: PosePair, clauses: list[Clause]) -> None:
    poses = steps_to_target([[clause] for clause in clauses], pair.current, pair.target)
    assert len(poses) == len(clauses)
    assert np.allclose([bone_lengths(joints) for joints in poses], bone_lengths(pair.current.joints), atol=1e-6)


@given(pairs, st.lists(PARTS, min_size=2, max_size=5))
def test_no_step_undoes_an_earlier_one(pair: PosePair, clauses: list[Clause]) -> None:
    aims = directions(pair.target.joints)
    poses = steps_to_target([[clause] for clause in clauses], pair.current, pair.target)
    arrived = [np.linalg.norm(directions(joints) - aims, axis=-1) < 1e-6 for joints in poses]
    assert all((earlier <= later).all() for earlier, later in itertools.pairwise(arrived))


def test_an_arm_that_is_not_named_stays() -> None:
    target = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90))
    current = Body().pose()
    (joints,) = steps_to_target([[Clause(Side.LEFT, Part.ARM, Direction.UP)]], current, target.pose())
    moved = np.linalg.norm(joints - current.joints, axis=-1)
    assert moved[INDEX["left_wrist"]] > 0.5
    assert moved[INDEX["right_wrist"]] < 1e-6


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
