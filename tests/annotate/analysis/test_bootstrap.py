from __future__ import annotations

import numpy as np
import pytest

from annotate.analysis.bootstrap import RESAMPLES, estimates, resampled, share_estimates
from tests.thoroughness import one_of


def covered(people: int, times: int, seed: int) -> float:
    """How often the interval of a share holds the truth, for people who each differ and answer twenty times."""
    rng, truth, hits = np.random.default_rng(seed), 0.4, 0
    for _ in range(times):
        inclined = rng.beta(4 * truth, 4 * (1 - truth), size=people)  # each has a leaning of their own
        totals = np.stack([rng.binomial(20, inclined), np.full(people, 20)], axis=1).astype(np.float64)
        drawn = resampled(totals, seed=int(rng.integers(2**31)))
        table = estimates(totals[:, :1].sum(axis=0) / totals[:, 1].sum(), drawn[:, :1] / drawn[:, 1:], people)
        hits += int(table["low"].item() <= truth <= table["high"].item())
    return hits / times


@pytest.mark.parametrize("people", one_of([8, 40]))
def test_intervals_hold_the_truth_as_often_as_they_say(people: int) -> None:
    # Of 400 simulations 95 % give 380; the standard deviation of that is 4.4.
    assert 0.92 <= covered(people, times=400, seed=7) <= 0.98


def test_answers_of_one_person_are_not_taken_for_many() -> None:
    of_many = np.tile([[10.0, 20.0], [0.0, 20.0]], (20, 1))  # forty people of two leanings
    of_few = np.array([[200.0, 400.0], [0.0, 400.0]])  # the same answers by two
    widths = []
    for totals in (of_many, of_few):
        drawn = resampled(totals)
        table = estimates(np.array([0.25]), drawn[:, :1] / drawn[:, 1:], len(totals))
        widths.append(table["high"].item() - table["low"].item())
    assert widths[1] > 2 * widths[0]


def test_one_person_has_no_interval() -> None:
    totals = np.array([[3.0, 4.0]])
    table = estimates(np.array([0.75]), resampled(totals)[:, :1] / 4, 1)
    assert table["value"].tolist() == [0.75]
    assert table[["low", "high"]].isna().all(axis=None)


def test_people_who_all_agree_may_still_be_followed_by_others_who_do_not() -> None:
    drawn = np.tile([0.0, 1.0, 0.5], (RESAMPLES, 1))
    none, everyone, half = share_estimates(np.array([0.0, 1.0, 0.5]), drawn, 10)[["low", "high"]].to_numpy()
    # Of ten people none: the exact bound is 1 - 0.025 ** (1 / 10).
    assert none == pytest.approx((0, 0.3085), abs=1e-4)
    assert everyone == pytest.approx((0.6915, 1), abs=1e-4)
    assert np.isnan(half).all()
    assert estimates(np.array([0.0]), drawn[:, :1], 10)["low"].isna().all()
    assert share_estimates(np.array([0.0]), drawn[:, :1], 1)["low"].isna().all()


def test_the_same_seed_draws_the_same_people() -> None:
    totals = np.random.default_rng(0).random((7, 3, 2))
    assert resampled(totals, 5).shape == (RESAMPLES, 3, 2)
    assert np.array_equal(resampled(totals, 5), resampled(totals, 5))
    assert not np.array_equal(resampled(totals, 5), resampled(totals, 6))


def test_many_people_are_drawn_in_parts() -> None:
    totals = np.ones((5000, 1))  # more draws than are held at a time
    assert np.array_equal(resampled(totals), np.full((RESAMPLES, 1), 5000.0))
