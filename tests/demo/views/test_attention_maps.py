from __future__ import annotations

import re

import numpy as np
import pytest

from demo.views.attention_maps import AROUND, NOWHERE, WordLook, place, word_looks
from demo.views.figures import skeletons
from demo.views.uncertain_joints import uncertain_joints
from fmp_models.inference.corrector import AttentionMap, MeasuredPhotographs
from fmp_models.pose import INDEX, Array
from fmp_models.preprocessing.person_crop import PersonCrop
from tests.demo.views.test_figures import arm_out, seen, seen_at, standing

GRID = 7
WHOLE = PersonCrop(0, 0, 700)


def pair(*looks: AttentionMap, square: PersonCrop = WHOLE) -> MeasuredPhotographs:
    """Someone at 100 pixels a metre in the middle of 700 pixels, then with the left arm out."""
    estimates = [seen_at(joints, (700, 700), 300, (350, 350)) for joints in (standing(), arm_out())]
    both = seen(estimates[0], estimates[1])
    return MeasuredPhotographs(both.photographs, both.estimates, looks, (square, square))


def grid_at(name: str, joints: Array) -> Array:
    """All of the weight on the cell in which a joint lies."""
    across, down = (joints[INDEX[name], :2] * 300 + 350) / 700 * GRID
    grid = np.zeros((GRID, GRID))
    grid[int(down), int(across)] = 1
    return grid


def at_joint(name: str) -> Array:
    weights = np.zeros(20)
    weights[INDEX[name]] = 1
    return weights


def only(look: AttentionMap) -> WordLook:
    (look_of_word,) = word_looks(pair(look))
    return look_of_word


def test_levels_are_where_the_weights_are() -> None:
    grid = grid_at("left_hand", arm_out())

    look = only(AttentionMap(grid, None, at_joint("left_hand"), None))

    assert look.current == "".join("z" if weight else "0" for weight in grid.ravel())
    assert look.target == ""
    assert look.joints == "".join("z" if number == INDEX["left_hand"] else "0" for number in range(20))


def test_a_word_that_looks_nowhere_in_particular_says_so() -> None:
    even = np.full((GRID, GRID), 1 / GRID**2)

    look = only(AttentionMap(even, even, np.full(20, 1 / 20), np.full(20, 1 / 20)))

    assert set(look.current + look.target + look.joints) == {"0"}
    assert look.at_pictures == look.at_joints == (NOWHERE,)


def test_a_slight_preference_is_drawn_faintly() -> None:
    grid = np.full((GRID, GRID), 1.0)
    grid[3, 3] = 1.2

    (strongest,) = sorted(set(only(AttentionMap(grid / grid.sum(), None, None, None)).current))[1:]

    assert "0" < strongest < "5"


def test_what_lies_where_the_photograph_is_looked_at_is_named() -> None:
    look = only(AttentionMap(None, grid_at("left_hand", arm_out()), None, None))

    assert look.at_pictures[0] == "parts.left_hand"
    assert not any("right" in part for part in look.at_pictures)
    assert look.at_joints == ()


def test_a_look_beside_the_body_says_so() -> None:
    corner = np.zeros((GRID, GRID))
    corner[0, 0] = 1

    assert only(AttentionMap(corner, corner, None, None)).at_pictures == (AROUND,)


@pytest.mark.parametrize(
    ("joint", "part"), [("hip", "trunk"), ("left_hip", "trunk"), ("neck", "trunk"), ("right_ankle", "right_foot")]
)
def test_every_joint_speaks_for_a_part(joint: str, part: str) -> None:
    assert only(AttentionMap(None, None, at_joint(joint), None)).at_joints == (f"parts.{part}",)


def test_joints_and_their_differences_count_alike() -> None:
    look = only(AttentionMap(None, None, at_joint("head"), at_joint("left_foot")))

    assert set(look.at_joints) == {"parts.head", "parts.left_foot"}
    assert look.joints[INDEX["head"]] == look.joints[INDEX["left_foot"]] != "0"


def test_a_model_without_eyes_has_no_looks() -> None:
    assert word_looks(pair()) == ()
    assert word_looks(pair(AttentionMap(None, None, None, None))) == ()


def test_the_square_lies_over_the_figure_as_over_the_photograph() -> None:
    measured_pair = pair()
    skeleton, _ = skeletons(measured_pair, uncertain_joints(measured_pair.pair, ()))
    square = PersonCrop(200, 100, 300)

    left, top, width, height = (float(share) / 100 for share in re.findall(r"([-\d.]+)%", place(square, skeleton)))

    hip = measured_pair.estimates[0].image_joints[INDEX["hip"]]
    dot = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', skeleton.drawing)[INDEX["hip"]]
    inside = (hip - (square.left, square.top)) / square.side
    drawn = np.array([float(value) for value in dot]) / skeleton.size
    assert np.allclose((left, top) + inside * (width, height), drawn, atol=2e-3)
