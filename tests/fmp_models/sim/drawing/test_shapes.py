"""Poses drawn into shapes: every target holds one, and the same again for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fmp_models.geometry.lexicon import Side
from fmp_models.geometry.shape import Shape, distance_from_shape
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.sim.drawing.shapes import MAX_EXCESS
from fmp_models.sim.drawing.views import SeenPairs, seen_shape_pairs

SHAPES = [SHAPES_BY_NAME[name] for name in ("plank", "tree", "squat", "lying_back", "arms_t")]
COUNT = 30


def held_by(joints: NDArray[np.float32], shape: Shape, side: Side) -> NDArray[np.bool_]:
    # Single precision, and a place before a camera, move a value by a little.
    return np.asarray(distance_from_shape(shape.ranges, joints, side) < MAX_EXCESS + 0.01)


@pytest.fixture(scope="module")
def drawn() -> SeenPairs:
    return seen_shape_pairs(4, COUNT, SHAPES)


def test_every_target_holds_a_shape_and_all_shapes_are_met(drawn: SeenPairs) -> None:
    held = np.array([held_by(drawn.joints[:, 1], shape, side) for shape in SHAPES for side in shape.sides])
    assert held.any(axis=0).all()
    assert held.any(axis=1).all(), "a tree on the left and one on the right among them"


def test_few_current_poses_hold_the_shape_of_their_target(drawn: SeenPairs) -> None:
    current, target = (held_by(drawn.joints[:, which], SHAPES_BY_NAME["squat"], Side.BOTH) for which in (0, 1))
    assert target.sum() > 2 * (current & target).sum()


def test_the_same_seed_draws_the_same_pairs(drawn: SeenPairs) -> None:
    assert (seen_shape_pairs(4, COUNT, SHAPES).joints == drawn.joints).all()
