"""Poses of yoga and exercises: a figure asked for one holds it on its side, and who stands, sits or lies holds none."""

import numpy as np
import pytest

from fmp_models.geometry.asanas import ASANAS
from fmp_models.geometry.execution import executed_steps
from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.parsed_shapes import EVERYDAY, FURTHER
from fmp_models.geometry.shape import NamedShape, Shape, held_among
from fmp_models.geometry.shapes import SHAPES
from fmp_models.pose import JOINTS, Array, Pose, mirror
from tests.everyday.starts import STARTS

READ_ALONE = (*ASANAS, *EVERYDAY)
STANDING = STARTS["standing"]
# These are held by whoever sits, is upright, or squats with arms ahead.
OF_MANY_BODIES = {"sitting", "sitting_low", "chest_up", "hands_lap", "arm_ahead", "elbows_knees"}


def asked(shape: Shape, start: Array = STANDING) -> Pose:
    (joints,) = executed_steps(
        [NamedShape(shape, Side.LEFT if shape.sided else Side.BOTH)], Pose(start, np.ones(len(JOINTS)))
    )
    assert joints is not None
    return Pose(joints, np.ones(len(JOINTS)))


def sides_held(shape: Shape, pose: Pose) -> set[Side]:
    return {held.side for held in held_among((shape,), pose)}


@pytest.mark.parametrize("shape", READ_ALONE, ids=lambda shape: shape.name)
def test_a_figure_that_is_asked_for_a_pose_holds_it_on_its_side(shape: Shape) -> None:
    assert sides_held(shape, asked(shape)) == ({Side.LEFT} if shape.sided else {Side.BOTH})


@pytest.mark.parametrize("shape", [shape for shape in READ_ALONE if shape.sided], ids=lambda shape: shape.name)
def test_a_mirrored_figure_holds_it_on_the_other_side(shape: Shape) -> None:
    assert sides_held(shape, mirror(asked(shape))) == {Side.RIGHT}


@pytest.mark.parametrize("start", ["standing", "standing, arms out", "kneeling", "lying on the back", "squatting"])
def test_who_only_stands_kneels_or_lies_holds_none(start: str) -> None:
    held = held_among(READ_ALONE, Pose(STARTS[start], np.ones(len(JOINTS))))
    assert {shape.shape.name for shape in held} <= OF_MANY_BODIES


def test_what_is_said_does_not_grow_with_what_is_read() -> None:
    names = [shape.name for shape in (*SHAPES, *FURTHER, *READ_ALONE)]
    assert len(names) == len(set(names))
    assert len(SHAPES) == 41


def test_a_fold_is_done_from_where_the_body_rests() -> None:
    fold = next(shape for shape in SHAPES if shape.name == "forward_fold")
    seated_fold = next(shape for shape in FURTHER if shape.name == "seated_fold")
    assert sides_held(seated_fold, asked(fold, STARTS["sitting on the floor"])) == {Side.BOTH}
    assert sides_held(fold, asked(fold)) == {Side.BOTH}
