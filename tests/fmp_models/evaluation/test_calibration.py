"""Weights that make confidence true are found again, and what was held back tells how well they hold."""

from __future__ import annotations

import numpy as np
import pytest

from fmp_models.evaluation.calibration import JudgedClause, fitted_odds
from fmp_models.evaluation.real_scores import calibration_error
from fmp_models.inference.clause_check import ALONE, SHOWN, clause_confidence, log_odds


def told_by(base: float, joints: float, own: float, count: int = 6000) -> list[JudgedClause]:
    """Clauses that are true as often as these weights say."""
    generator = np.random.default_rng(0)
    chances, shares = generator.uniform(0.1, 0.95, (2, count))
    odds = base + joints * np.array([log_odds(one) for one in shares]) + own * np.array([log_odds(c) for c in chances])
    true = generator.random(count) < 1 / (1 + np.exp(-odds))
    return [JudgedClause(n // 3, *map(float, (chances[n], shares[n])), bool(true[n])) for n in range(count)]


def test_the_weights_are_found_again() -> None:
    fit = fitted_odds(told_by(0.5, 0.8, 0.6))
    assert fit.odds == pytest.approx((0.5, 0.8, 0.6), abs=0.1)
    assert fit.error < 0.05
    assert fit.clauses == 6000


def test_without_pairs_to_hold_back_nothing_is_fitted() -> None:
    with pytest.raises(ValueError, match="two pairs"):
        fitted_odds([JudgedClause(0, 0.5, 0.9, true=True)] * 5)


def test_the_error_is_the_distance_between_chances_and_how_often_they_come_true() -> None:
    assert calibration_error(np.full(10, 0.95), np.array([1.0] * 5 + [0.0] * 5)) == pytest.approx(0.45)
    assert calibration_error(np.array([1.0, 0.0]), np.array([1.0, 0.0])) == 0


@pytest.mark.parametrize("own", [0.0, 0.3, 0.99, 1.0])
def test_a_clause_is_surer_the_surer_the_joints_and_never_certain(own: float) -> None:
    surer = [clause_confidence(own, share) for share in (0.0, 0.5, 0.8, 0.95, 1.0)]
    assert surer == sorted(surer)
    assert 0 < surer[0] < surer[-1] < 1
    assert clause_confidence(own, None) <= clause_confidence(own, 1.0)


def test_both_the_joints_and_the_captioner_count_for_what_is_shown() -> None:
    assert min(SHOWN.joints, SHOWN.own) > 0


@pytest.mark.parametrize("own", [0.1, 0.5, 0.9])
def test_what_is_said_of_pictures_alone_is_unsure(own: float) -> None:
    assert clause_confidence(own, None) < 0.5
    assert ALONE.joints == 0
