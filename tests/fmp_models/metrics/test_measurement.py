"""Intervals of a metric by bootstrap."""

import numpy as np
import pytest

from fmp_models.metrics.measurement import Measurement, confidence_interval


def test_the_interval_of_a_mean_is_near_that_of_the_normal_law() -> None:
    values = np.random.default_rng(3).normal(10, 2, 400)
    low, high = confidence_interval(Measurement.mean(values)) or (np.nan, np.nan)
    half = 1.96 * values.std() / 20
    assert low == pytest.approx(values.mean() - half, abs=0.05)
    assert high == pytest.approx(values.mean() + half, abs=0.05)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    intervals = [
        confidence_interval(Measurement.mean(rng.exponential(1, 80)), resamples=300, seed=i) for i in range(200)
    ]
    covered = sum(ends is not None and ends[0] <= 1 <= ends[1] for ends in intervals)
    assert 175 <= covered <= 199


def test_a_ratio_of_sums_is_drawn_by_its_sums_and_not_by_its_instances() -> None:
    """One instance outweighs all others, so whether it is drawn decides the value."""
    statistics = np.array([[0.0, 1.0]] * 9 + [[1000.0, 1000.0]])
    measured = Measurement(np.array([0.0] * 9 + [1.0]), statistics, lambda totals: totals[..., 0] / totals[..., 1])
    assert measured.value == pytest.approx(1000 / 1009)
    assert confidence_interval(measured) == pytest.approx((0, 1), abs=0.01)


def test_the_same_seed_gives_the_same_interval() -> None:
    measured = Measurement.mean(np.arange(50))
    assert confidence_interval(measured, seed=4) == confidence_interval(measured, seed=4)
    assert confidence_interval(measured, seed=4) != confidence_interval(measured, seed=5)


def test_one_instance_has_no_interval() -> None:
    assert confidence_interval(Measurement.mean([0.5])) is None


def test_an_instance_that_was_not_measured_moves_nothing() -> None:
    measured = Measurement.mean([1.0, np.nan, 3.0])
    assert measured.value == 2
    assert np.isnan(measured.instances[1])


def test_an_instance_that_was_not_measured_is_not_drawn() -> None:
    """Else most draws of so few would hold nothing that was measured."""
    few = np.full(500, np.nan)
    few[:3] = [1, 2, 3]
    low, high = confidence_interval(Measurement.mean(few)) or (np.nan, np.nan)
    assert 1 <= low < 2 < high <= 3
    few[1:] = np.nan
    assert confidence_interval(Measurement.mean(few)) is None
