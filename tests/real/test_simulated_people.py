"""MediaPipe, which never saw our simulator, measures its pictures: a proof of the axes, the joints and the looks."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from fmp_models.errors import BadInputError
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.preprocessing import read_photograph
from fmp_models.sim.capture import RenderJob, all_units, captures_of
from tests.thoroughness import thorough

pytestmark = pytest.mark.real


def aligned_error(estimated: NDArray[np.float64], true: NDArray[np.float64]) -> tuple[float, float]:
    """Mean metres between joints after moving, turning and scaling the found ones, and the degrees of that turn."""
    a, b = estimated - estimated.mean(axis=0), true - true.mean(axis=0)
    turn, _ = Rotation.align_vectors(b, a)
    turned = turn.apply(a)
    scale = (turned * b).sum() / (a * a).sum()
    return float(np.linalg.norm(scale * turned - b, axis=1).mean()), float(np.degrees(turn.magnitude()))


@thorough
@pytest.mark.parametrize(("pictures", "rooms"), [(40, 2), pytest.param(250, 10, marks=thorough)])
def test_mediapipe_finds_the_people_of_random_pictures_where_the_simulator_put_them(
    estimator: MediaPipeEstimator, pictures: int, rooms: int
) -> None:
    random = np.random.default_rng(0)
    units = all_units()
    errors, turns, missed = [], [], 0
    # Many pictures of each unit: another one means another room to draw, and often a character to dress.
    chosen = random.choice(len(units), rooms, replace=False)
    for number in chosen:
        shoot = RenderJob(units[number])
        captures = captures_of(shoot.unit, seed=1)
        shuffled = (captures[which] for which in random.permutation(len(captures)))
        usable = (capture for capture in shuffled if shoot.take(capture, pictures=False).flaw is None)
        for capture in islice(usable, pictures // rooms):
            placed = shoot.place(capture.target)
            try:
                estimate = estimator.estimate(read_photograph(shoot.photograph(placed)))
            except BadInputError:
                missed += 1
                continue
            error, turn = aligned_error(estimate.pose.joints, shoot.joints(placed))
            errors.append(error)
            turns.append(turn)
    share_found = 1 - missed / pictures
    print(  # noqa: T201 - the figures are the result
        f"\nfound in {share_found:.1%} of {pictures} pictures; aligned error {np.mean(errors):.3f} m on average "
        f"({np.median(errors):.3f} median), turned by {np.median(turns):.0f} degrees (median)"
    )
    assert share_found >= 0.95
    assert np.mean(errors) <= 0.10
    # Alignment may turn the body. That it hardly needs to is what proves the axes.
    assert np.median(turns) < 25
