"""Every part and direction has its facts, few tables repeat them elsewhere, and parts can be excluded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.descriptions import describe
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import sampled_joints
from fmp_models.evaluation import judgement as slots
from fmp_models.geometry import lexicon
from fmp_models.geometry.lexicon import EXCLUDABLE_PARTS, Direction, Frame, Part, Side, joints_left_out
from fmp_models.geometry.planner import make_plan
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import JOINTS, Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies
from tests.body_tables import body_tables
from tests.nonempty import nonempty

_ROOT = Path(__file__).parents[3]
_MAX_TABLES = 43


@pytest.mark.parametrize(
    ("table", "members"), [(lexicon._PARTS, Part), (lexicon._DIRECTIONS, Direction), (slots._HIDES, Part)]
)
def test_every_part_and_direction_has_a_row(table: dict[str, object], members: type[Part | Direction]) -> None:
    assert table.keys() == {*members}


@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("side", Side)
def test_joints_of_a_part_are_joints_of_the_body(part: Part, side: Side) -> None:
    assert part.joints(side)
    assert {*part.joints(side)} <= {*JOINTS}


def test_joints_of_one_side_are_half_of_those_of_both() -> None:
    assert Part.LEG.joints(Side.BOTH) == (*Part.LEG.joints(Side.LEFT), *Part.LEG.joints(Side.RIGHT))
    assert Part.HIPS.joints(Side.NONE) == ("hip", "left_hip", "right_hip")


def test_limbs_bend_at_their_hinge_and_end_at_their_end() -> None:
    assert [(limb, limb.hinge, limb.end, limb.ends(Side.LEFT)) for limb in lexicon.LIMBS] == [
        (Part.ARM, Part.ELBOW, Part.HAND, ("left_elbow", "left_wrist")),
        (Part.LEG, Part.KNEE, Part.FOOT, ("left_knee", "left_ankle")),
    ]
    assert {part for part in Part if part.of_limb} == {part for parts in lexicon.LIMBS.values() for part in parts}


@pytest.mark.parametrize("direction", Direction)
def test_reversed_or_mirrored_twice_a_direction_is_itself(direction: Direction) -> None:
    assert direction.reverse.reverse is direction
    assert direction.mirrored.mirrored is direction
    assert (direction.reverse is direction) is (direction.sign == 0)


@pytest.mark.parametrize(
    ("direction", "side", "expected"),
    [
        (Direction.LEFT, Side.LEFT, Direction.OUT),
        (Direction.LEFT, Side.RIGHT, Direction.IN),
        (Direction.TURN_RIGHT, Side.RIGHT, Direction.TURN_OUT),
        (Direction.UP, Side.LEFT, Direction.UP),
        (Direction.LEFT, Side.BOTH, Direction.LEFT),
    ],
)
def test_a_direction_of_the_person_leads_a_part_out_or_in(
    direction: Direction, side: Side, expected: Direction
) -> None:
    assert direction.of_part(side) is expected
    assert expected.of_person(side) is direction


def test_frames_and_turns_keep_the_sense_of_a_direction() -> None:
    assert (Direction.OUT.within(Frame.PAIR), Direction.TOGETHER.within(Frame.PART)) == (Direction.APART, Direction.IN)
    assert (Direction.LEFT.turn, Direction.IN.turn, Direction.UP.turn) == (
        Direction.TURN_LEFT,
        Direction.TURN_IN,
        Direction.UP,
    )


def test_few_tables_name_parts_and_directions() -> None:
    modules = [path for room in ("fmp_models", "demo") for path in (_ROOT / room).rglob("*.py")]
    tables = [name for path in modules for name in body_tables(path)]
    assert 0 < len(tables) <= _MAX_TABLES


SEATED = Body(left_leg=Leg(lift=88, bend=92), right_leg=Leg(lift=88, bend=92))
SAID_OF = {
    "arm": {Part.ARM, Part.ELBOW, Part.FOREARM, Part.HAND},
    "leg": {Part.LEG, Part.KNEE, Part.FOOT, Part.HIPS},
    "trunk": {Part.TRUNK},
    "head": {Part.HEAD},
}


def photographed(body: Body) -> Pose:
    pose, everything = body.pose(), np.ones(20)
    return Pose(pose.joints, everything, pose_samples=sampled_joints(pose.joints[None], everything, everything))


def leaving_out(pair: PosePair, *parts: str) -> PosePair:
    names = joints_left_out(parts)
    return PosePair(pair.current.without(names), pair.target.without(names))


@given(bodies, bodies, st.sets(st.sampled_from(sorted(EXCLUDABLE_PARTS)), min_size=1))
def test_nothing_is_said_of_a_part_that_is_left_out(current: Body, target: Body, parts: set[str]) -> None:
    plan = make_plan(leaving_out(PosePair(photographed(current), photographed(target)), *parts))
    for part in nonempty(parts):
        side, _, limb = part.rpartition("_")
        sides = {Side(side), Side.BOTH} if side else {Side.LEFT, Side.RIGHT, Side.BOTH, Side.NONE}
        mentioned = [
            clause for clause in plan if clause.part in SAID_OF[limb.removesuffix("s")] and clause.side in sides
        ]
        heights = {Direction.UP, Direction.DOWN} if "leg" in part else set()
        mentioned += [clause for clause in plan if clause.part is Part.BODY and clause.direction in heights]
        assert mentioned == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wheelchair_user_is_told_of_the_arms_and_not_of_legs_or_standing(language: str) -> None:
    standing = Body(left_arm=Arm(lift=165), right_arm=Arm(lift=165))
    pair = PosePair(photographed(SEATED), photographed(standing))
    assert {clause.part for clause in make_plan(pair)} & {Part.KNEE, Part.BODY}
    without = leaving_out(pair, "legs")
    assert {clause.part for clause in make_plan(without)} == {Part.ARM}
    assert len(describe(without, language).steps) == len(make_plan(without))


def test_where_all_that_changes_is_left_out_nothing_is_said() -> None:
    pair = leaving_out(PosePair(photographed(Body()), photographed(SEATED)), "legs")
    assert not [clause for clause in make_plan(pair) if clause.direction is not Direction.KEEP]


def test_both_arms_and_both_legs_have_a_name_of_their_own() -> None:
    for limb in ("arm", "leg"):
        assert joints_left_out([f"{limb}s"]) == joints_left_out([f"left_{limb}", f"right_{limb}"])
    assert joints_left_out([]) == frozenset()


@pytest.mark.parametrize("part", ["tail", "left arm", "", 3, None, ["legs"]])
def test_an_unknown_part_is_refused_with_those_that_are_known(part: object) -> None:
    with pytest.raises(BadInputError) as refusal:
        joints_left_out(["legs", part])
    assert refusal.value.code == "unknown_part"
    assert "right_leg" in refusal.value.sentence
