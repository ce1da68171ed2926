"""How far a person was from the pose, over the time of an exercise."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fmp_models.coach.course import ROWS, Course, Nearness, distances
from fmp_models.pose import INDEX, JOINTS
from tests.bodies import Arm, Body, Leg

STANDING = Body().pose().joints
EVERYTHING = np.ones(len(STANDING), dtype=bool)


def apart(centimetres: float) -> dict[str, float]:
    return dict.fromkeys(ROWS, centimetres)


@pytest.mark.parametrize(
    ("body", "row"), [(Body(left_arm=Arm(lift=60)), "arms"), (Body(right_leg=Leg(lift=60, bend=60)), "legs")]
)
def test_a_limb_that_is_moved_is_apart_in_its_own_row(body: Body, row: str) -> None:
    by_row = distances(body.pose().joints, STANDING, EVERYTHING)
    assert set(by_row) == set(ROWS)
    assert max(by_row, key=by_row.__getitem__) == row
    assert by_row[row] > 5


def test_distances_are_centimetres_of_the_joints_of_a_row_on_mean() -> None:
    moved = STANDING.copy()
    moved[INDEX["left_wrist"], 0] += 0.4
    assert distances(moved, STANDING, EVERYTHING) == {
        "arms": 6.7,
        "legs": 0.0,
        "trunk": 0.0,
        "head": 0.0,
    }  # of six joints


def test_joints_that_are_not_wanted_make_no_distance() -> None:
    wanted = np.array([not name.startswith("left_") for name in JOINTS])
    moved = Body(left_arm=Arm(lift=90), left_leg=Leg(lift=60)).pose().joints
    assert set(distances(moved, STANDING, wanted).values()) == {0.0}
    assert distances(moved, STANDING, np.zeros(20, dtype=bool)) == dict.fromkeys(ROWS, 0.0)


def test_points_of_the_plot_are_a_quarter_of_a_second_apart_and_end_after_ten_minutes() -> None:
    course = Course()
    for frame in range(12 * 660):
        course.add(frame / 12, apart(10.0))
    assert len(course.times) == 2400
    assert np.diff(course.times).min() == pytest.approx(0.25, abs=0.011)
    assert {len(values) for values in course.rows.values()} == {len(course.times)}


def test_the_best_moment_is_nearer_than_all_before_also_between_two_points() -> None:
    course = Course()
    moments = [(0.0, 30.0), (0.1, 20.0), (0.2, 20.0), (0.3, 25.0), (0.4, 10.0)]
    assert [course.add(at, apart(centimetres)) for at, centimetres in moments] == [True, True, False, False, True]
    assert course.times == [0.0, 0.3]


def settled(away: float) -> float:
    """How near somebody counts who stands as far away in every row for a while."""
    nearness = Nearness()
    for number in range(40):
        nearness.update(number / 10, apart(away))
    return nearness.share


def test_the_nearer_the_nearer_it_is_shown() -> None:
    shares = [settled(away) for away in range(40, -1, -1)]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > 10


def test_nearness_does_not_flicker_with_what_is_measured() -> None:
    nearness, dice, shown = Nearness(), np.random.default_rng(3), []
    for number in range(120):
        nearness.update(number / 12, {row: 15 + float(dice.normal(0, 1.5)) for row in ROWS})
        shown.append(nearness.share)
    assert sum(one != other for one, other in pairwise(shown[12:])) <= 4
    assert max(shown[12:]) - min(shown[12:]) <= 0.1
