import numpy as np
import pytest

from fmp_models.geometry.clauses import Clause, Direction, Part, Relation, Side
from fmp_models.geometry.execution.floor import Support, floor_level, held, offsets, set_down, sunk, supports
from fmp_models.pose import Array
from tests.bodies import Body, Leg

STANDING = Body().pose().joints
SITTING = Body(left_leg=Leg(lift=88, bend=88), right_leg=Leg(lift=88, bend=88)).pose().joints


def resting(joints: Array) -> dict[tuple[str, str], Support]:
    return {(one.side.value, one.part.value): one for one in supports(joints, floor_level(joints))}


def test_who_stands_rests_on_both_feet_and_on_one_where_the_other_is_lifted() -> None:
    assert {*resting(STANDING)} == {("left", "foot"), ("right", "foot")}
    lifted = Body(left_leg=Leg(lift=60, bend=70)).pose().joints
    assert {*resting(lifted)} == {("right", "foot")}


def test_who_sits_rests_on_the_seat_too() -> None:
    assert {*resting(SITTING)} == {("left", "foot"), ("right", "foot"), ("none", "hips")}


def test_who_lies_rests_on_the_back() -> None:
    upright = STANDING - STANDING[0]
    lying = upright[:, [0, 2, 1]] * [1.0, 1.0, -1.0]
    assert ("none", "trunk") in resting(lying)
    assert ("none", "hips") in resting(lying)


@pytest.mark.parametrize(
    ("clause", "left", "right"),
    [
        (Clause(Side.LEFT, Part.ARM, Direction.UP), "held", "held"),
        (Clause(Side.LEFT, Part.LEG, Direction.UP), "free", "held"),
        (Clause(Side.LEFT, Part.KNEE, Direction.BEND), "free", "held"),
        (Clause(Side.BOTH, Part.KNEE, Direction.BEND), "held", "held"),
        (Clause(Side.NONE, Part.TRUNK, Direction.FORWARD), "held", "held"),
        (Clause(Side.RIGHT, Part.FOOT, Direction.OUT), "held", "slides"),
        (Clause(Side.BOTH, Part.FOOT, Direction.APART), "slides", "slides"),
        (Clause(Side.NONE, Part.BODY, Direction.TURN_LEFT), "slides", "slides"),
        (Clause(Side.NONE, Part.BODY, Direction.FORWARD), "slides", "slides"),
        (Clause(Side.NONE, Part.BODY, Direction.DOWN), "held", "held"),
        (Clause(Side.BOTH, Part.LEG, Direction.UP), "held", "held"),  # nobody hovers
    ],
)
def test_a_foot_stays_unless_the_clause_moves_it(clause: Clause, left: str, right: str) -> None:
    kept = {one.side: one for one in held(tuple(resting(STANDING).values()), clause)}
    clauses_by_side = {
        side: "free" if side not in kept else "slides" if kept[side].slides else "held"
        for side in (Side.LEFT, Side.RIGHT)
    }
    assert clauses_by_side == {Side.LEFT: left, Side.RIGHT: right}


def test_who_sits_has_feet_to_spare() -> None:
    kept = held(tuple(resting(SITTING).values()), Clause(Side.BOTH, Part.KNEE, Direction.STRAIGHTEN))
    assert {one.part for one in kept} == {Part.HIPS}


def test_who_stands_up_leaves_the_seat_and_not_the_floor() -> None:
    up = Clause(Side.NONE, Part.BODY, Direction.UP, relations=(Relation.STANDING,))
    kept = held(tuple(resting(SITTING).values()), up)
    assert {one.part for one in kept} == {Part.FOOT}


def test_offsets_are_those_of_what_rests() -> None:
    kept = held(tuple(resting(STANDING).values()), Clause(Side.LEFT, Part.ARM, Direction.UP))
    moved = STANDING.copy()
    moved[: len(moved) // 2] += 1.0  # trunk and arms
    assert np.abs(offsets(kept, STANDING, moved)).max() == 0
    assert np.abs(offsets(kept, STANDING, STANDING + np.array([0.1, 0, 0]))).max() == pytest.approx(0.1)
    sliding = held(kept, Clause(Side.NONE, Part.BODY, Direction.TURN_LEFT))
    assert np.abs(offsets(sliding, STANDING, STANDING + np.array([0.1, 0, 0]))).max() == 0


def test_a_body_is_set_down_on_the_floor() -> None:
    floor = floor_level(STANDING)
    assert sunk(STANDING, floor).max() == 0
    assert sunk(STANDING + np.array([0, 0.1, 0]), floor).max() == pytest.approx(0.1)
    assert set_down(STANDING - np.array([0, 0.3, 0]), floor) == pytest.approx(STANDING)
