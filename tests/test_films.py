"""The camera films show what they promise: MediaPipe finds the person who is meant, where they are meant to be."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.geometry.planner import make_plan
from fmp_models.inference.corrector import Corrector, load_correction_model
from fmp_models.pose import INDEX, in_pelvis_frame, pose_pair
from tests import films
from tests.films import LANDSCAPE, PARTS, PORTRAIT, Film, Recording, film, recorded
from tests.thoroughness import thorough

pytestmark = pytest.mark.real

pytestmark = thorough  # what a film costs, and every test that plays one

FILMS = [pytest.param((name, PORTRAIT), id=name) for name in PARTS] + [
    pytest.param((name, LANDSCAPE), id=f"{name}-landscape") for name in PARTS
]
EDGE = 20  # pixels
DONE = {"arms": {("both arms", "up")}, "squat": {("both arms", "up"), ("both knees", "bend")}}


@pytest.fixture(params=FILMS)
def measured(request: pytest.FixtureRequest, pose_model: Path) -> tuple[Film, Recording]:
    name, size = request.param
    return film(name, size), recorded(name, pose_model, size)


def test_somebody_stands_moves_holds_and_goes_away(measured: tuple[Film, Recording]) -> None:
    true_film, _ = measured
    steps = np.linalg.norm(np.diff(true_film.joints, axis=0), axis=2).max(axis=1)
    states = [
        "gone" if not there else "moves" if step > 0.01 else "stands"
        for there, step in zip(true_film.present[1:], steps, strict=True)
    ]

    runs = [(state, len(list(run))) for state, run in groupby(states)]

    # The move begins and ends so slowly that its first and last frames stand still.
    assert [state for state, _ in runs] == ["stands", "moves", "stands", "gone"]
    seconds = [count / films.RATE for _, count in runs]
    assert seconds == pytest.approx([films.STANDS, films.MOVES, films.HOLDS, films.GONE], abs=0.5)


def test_the_whole_person_is_in_the_picture_all_the_time(measured: tuple[Film, Recording]) -> None:
    true_film, _ = measured
    spots = true_film.spots[true_film.present]

    assert spots.min() > EDGE
    assert (spots.max(axis=(0, 1)) < np.array(true_film.frames[0].size) - EDGE).all()


def test_mediapipe_sees_the_person_in_every_frame_they_are_in_and_nobody_once_they_have_gone(
    measured: tuple[Film, Recording],
) -> None:
    true_film, estimate = measured

    assert estimate.seen[true_film.present].all()
    gone = np.flatnonzero(~true_film.present)
    assert not estimate.seen[gone[films.RATE :]].any()  # it may take a second to notice


def test_joints_are_measured_where_they_are_meant_to_be_at_that_time(measured: tuple[Film, Recording]) -> None:
    true_film, estimate = measured
    there = true_film.present
    away = np.linalg.norm(in_pelvis_frame(estimate.joints[there]) - in_pelvis_frame(true_film.joints[there]), axis=2)
    pixels = np.linalg.norm(estimate.spots[there] - true_film.spots[there], axis=2)
    print(f"\n{true_film.path.stem}: {away.mean():.3f} m, {pixels.mean():.1f} pixels")  # noqa: T201 - the figures are the result

    assert away.mean() < 0.13
    assert away.mean(axis=1).max() < 0.18
    assert pixels.mean(axis=1).max() < 14


def test_the_way_to_the_target_is_measured_as_one_way(measured: tuple[Film, Recording]) -> None:
    """What moves most leads from where it was to where it shall be, within the seconds of the move."""
    _, estimate = measured
    wrist = INDEX["left_wrist"]
    way = np.linalg.norm(
        in_pelvis_frame(estimate.joints)[:, wrist] - in_pelvis_frame(estimate.joints)[0, wrist], axis=1
    )
    start, end = films.STANDS * films.RATE, (films.STANDS + films.MOVES) * films.RATE

    assert way[:start].max() < 0.1
    held = way[end + films.RATE // 2 : end + films.HOLDS * films.RATE]
    assert held.min() > 0.4
    assert np.ptp(held) < 0.1


def test_the_file_says_its_size_and_rate_and_holds_every_frame() -> None:
    true_film = film("arms")
    head, _, rest = true_film.path.read_bytes().partition(b"\n")

    assert head.split()[:4] == [b"YUV4MPEG2", b"W480", b"H640", b"F10:1"]
    assert len(rest) == len(true_film.frames) * (len(b"FRAME\n") + 480 * 640 * 3 // 2)
    assert len(true_film.frames) == films.SECONDS * films.RATE


@pytest.mark.parametrize("name", PARTS)
def test_the_still_of_the_target_asks_first_for_what_the_person_then_does_most(
    name: str, estimator: MediaPipeEstimator
) -> None:
    corrector = Corrector(estimator, [load_correction_model("geometry")])
    correction, _ = corrector.correct(film(name).current, film(name).target, language="en")
    joints = film(name).joints
    meant = make_plan(pose_pair(joints[0], joints[films.HELD]))[0]

    first = correction.clauses[0]
    assert (first.part, first.direction, first.agrees) == (meant.part_name, meant.direction.value, True)
    assert {(clause.part, clause.direction) for clause in correction.clauses if clause.agrees} >= DONE[name]
