"""Shapes that are only read are held by bodies that hold them and by none that stand, sit or lie otherwise."""

import numpy as np
import pytest

from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.parsed_shapes import FURTHER
from fmp_models.geometry.shape import held_among
from fmp_models.geometry.shapes import SHAPES, SHAPES_BY_NAME
from fmp_models.pose import JOINTS, Pose, mirror
from tests.bodies import Body, Leg
from tests.fmp_models.geometry.test_shapes import BODIES, PLACED, placed

HIP_ARM = {"elbow": (0.24, 0.3, -0.05), "wrist": (0.12, 0.1, 0.1)}
FOLDED_LEGS = {"knee": (0.12, -0.02, 0.4), "ankle": (0.1, -0.04, 0.02), "foot": (0.1, -0.06, -0.12)}
FLAT_LEGS = {"knee": (0.1, -0.02, 0.42), "ankle": (0.1, -0.03, 0.84), "foot": (0.1, 0.1, 0.9)}
BEHIND_LEGS = {"knee": (0.1, 0.0, -0.42), "ankle": (0.1, 0.0, -0.84), "foot": (0.1, -0.02, -0.98)}
LYING_TRUNK = (0, 0.03, -0.5)


def joints_of(body: Body) -> np.ndarray:
    return body.pose().joints


HELD = {
    "warrior": joints_of(BODIES["warrior_one"]),
    "warrior_three": placed(
        (0, 0.05, 0.5), left={"knee": (0.1, 0.02, -0.42), "ankle": (0.1, 0.04, -0.84), "foot": (0.1, -0.02, -0.98)}
    ),
    "one_leg": joints_of(Body(left_leg=Leg(lift=60, bend=70))),
    "knee_to_chest": joints_of(Body(left_leg=Leg(lift=128, bend=130))),
    "knees_to_chest": placed((0, 0.05, -0.5), knee=(0.1, 0.3, -0.28), ankle=(0.1, 0.05, 0.02), foot=(0.1, 0.05, 0.15)),
    "dancer": placed(
        (0, 0.42, 0.27), left={"knee": (0.1, -0.15, -0.4), "ankle": (0.1, 0.2, -0.62), "foot": (0.1, 0.33, -0.6)}
    ),
    "thighs_level": joints_of(BODIES["seated"]),
    "back_level": joints_of(BODIES["half_fold"]),
    "side_bend": joints_of(Body(lean=35)),
    "standing": joints_of(Body()),
    "mountain": joints_of(Body()),
    "standing_reach": joints_of(BODIES["arms_overhead"]),
    "sphinx": placed((0, 0.27, 0.42), elbow=(0.2, 0.02, 0.42), wrist=(0.18, 0.02, 0.66), **BEHIND_LEGS),
    "seated_fold": placed((0, 0.18, 0.46), **FLAT_LEGS),
    "floor_sitting": PLACED["cross_legged"],
    "heel_sitting": placed(**FOLDED_LEGS),
    "camel": placed((0, 0.36, -0.34), knee=(0.1, -0.42, 0.02), ankle=(0.1, -0.43, -0.4), foot=(0.1, -0.45, -0.54)),
    "lying": placed(LYING_TRUNK, **FLAT_LEGS),
    "legs_up": placed(LYING_TRUNK, knee=(0.1, 0.42, 0.02), ankle=(0.1, 0.84, 0.05), foot=(0.1, 0.95, -0.05)),
    "locust": placed((0, 0.16, 0.47), knee=(0.1, 0.1, -0.4), ankle=(0.1, 0.2, -0.8), foot=(0.1, 0.22, -0.95)),
    "upside_down": placed((0, -0.5, 0), knee=(0.1, 0.42, 0), ankle=(0.1, 0.84, 0), foot=(0.1, 0.98, 0)),
    "splits": placed(
        left={"knee": (0.1, -0.05, 0.42), "ankle": (0.1, -0.06, 0.84), "foot": (0.1, 0.05, 0.9)},
        right={"knee": (0.1, -0.05, -0.42), "ankle": (0.1, -0.06, -0.84), "foot": (0.1, -0.1, -0.98)},
    ),
    "hanging": placed(elbow=(0.24, 0.77, 0), wrist=(0.26, 1.02, 0), foot=(0.1, -1.0, 0.05)),
    "hands_up": joints_of(BODIES["arms_goalpost"]),
    "hands_overhead": joints_of(BODIES["arms_v"]),
    "hand_head": placed(left={"elbow": (0.4, 0.62, 0.1), "wrist": (0.18, 0.72, 0.08), "hand": (0.1, 0.73, 0.06)}),
    "hand_shoulder": placed(left={"elbow": (0.4, 0.35, 0.15), "wrist": (0.24, 0.48, 0.1), "hand": (0.2, 0.52, 0.06)}),
    "hand_other_shoulder": placed(
        left={"elbow": (0.2, 0.3, 0.22), "wrist": (-0.05, 0.42, 0.2), "hand": (-0.13, 0.46, 0.14)}
    ),
    "hand_heart": placed(left={"elbow": (0.26, 0.28, 0.1), "wrist": (0.08, 0.38, 0.18), "hand": (0.02, 0.4, 0.18)}),
    "hands_behind": placed(elbow=(0.26, 0.24, -0.14), wrist=(0.06, 0.1, -0.2), hand=(0.0, 0.08, -0.2)),
}


def names_held(joints: np.ndarray) -> dict[str, set[Side]]:
    held = held_among(FURTHER, Pose(joints, np.ones(len(JOINTS))))
    return {shape.shape.name: {other.side for other in held if other.shape is shape.shape} for shape in held}


@pytest.mark.parametrize("name", [shape.name for shape in FURTHER])
def test_a_further_shape_is_held_by_a_body_that_holds_it_on_its_side(name: str) -> None:
    side = {Side.LEFT} if SHAPES_BY_NAME[name].sided else {Side.BOTH}
    assert names_held(HELD[name])[name] == side


@pytest.mark.parametrize("name", [shape.name for shape in FURTHER if shape.sided])
def test_a_mirrored_body_holds_it_on_the_other_side(name: str) -> None:
    assert names_held(mirror(Pose(HELD[name], np.ones(len(JOINTS)))).joints)[name] == {Side.RIGHT}


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        (joints_of(Body()), {"standing", "mountain"}),
        (joints_of(BODIES["lunge"]), set()),
        (joints_of(BODIES["squat"]), {"thighs_level"}),
        (joints_of(BODIES["arms_t"]), {"standing"}),
        (joints_of(BODIES["star"]), set()),
        (PLACED["kneeling"], set()),
        (PLACED["half_kneeling"], set()),
        (PLACED["childs_pose"], {"back_level", "thighs_level"}),
        (PLACED["long_sitting"], {"floor_sitting", "thighs_level"}),
    ],
)
def test_other_bodies_hold_no_more_than_is_true_of_them(joints: np.ndarray, expected: set[str]) -> None:
    assert names_held(joints).keys() == expected


def test_what_is_said_does_not_grow_with_what_is_read() -> None:
    assert len(SHAPES) == 41
    assert not {shape.name for shape in SHAPES} & {shape.name for shape in FURTHER}
