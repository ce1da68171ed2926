"""Parts that a person leaves out: of a wheelchair user's legs nothing is said, not even that they were not seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.description import describe
from fmp_models.errors import BadInputError
from fmp_models.estimators.pose_samples import sampled_joints
from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.left_out import PARTS, joints_left_out
from fmp_models.geometry.planning.planner import make_plan
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.pose import Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies

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


@given(bodies, bodies, st.sets(st.sampled_from(sorted(PARTS)), min_size=1))
def test_nothing_is_said_of_a_part_that_is_left_out(current: Body, target: Body, parts: set[str]) -> None:
    plan = make_plan(leaving_out(PosePair(photographed(current), photographed(target)), *parts))
    for part in parts:
        side, _, limb = part.rpartition("_")
        sides = {Side(side), Side.BOTH} if side else {Side.LEFT, Side.RIGHT, Side.BOTH, Side.NONE}
        mentioned = [
            clause for clause in plan if clause.part in SAID_OF[limb.removesuffix("s")] and clause.side in sides
        ]
        assert mentioned == []
        if "leg" in part:
            heights = {Direction.UP, Direction.DOWN}
            assert not [clause for clause in plan if clause.part is Part.BODY and clause.direction in heights]


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
