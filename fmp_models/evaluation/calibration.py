"""Calibration of clause confidence on simulated pictures, whose true joints decide which clauses are true.

The captioner and the repair step get an estimator's joints, as they do for photographs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from fmp_models.data import read_rows
from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimator, estimate_if_seen, facing_alike, levelled_alike
from fmp_models.evaluation.real_scores import calibration_error
from fmp_models.geometry import Findings, agrees, confidence
from fmp_models.inference import CaptionGenerator, MeasuredPhotographs, Odds, log_odds
from fmp_models.pose import Array, PosePair, pose_pair
from fmp_models.preprocessing import Photograph, read_photograph

_HELD_BACK = 2  # one pair in this many is held out to measure the calibration error


class JudgedClause(NamedTuple):
    """A drafted clause: pair number, the captioner's probability, the joints' confidence, and whether it is true."""

    pair: int
    own: float
    share: float | None
    true: bool


class Fit(NamedTuple):
    """Fitted weights, the expected calibration error on held-out pairs, and the number of clauses."""

    odds: Odds
    error: float
    clauses: int


PicturedPair = tuple[tuple[Photograph, Photograph], PosePair]  # the two pictures and the true poses
_COLUMNS = ("current", "target", "current_joints", "target_joints")


def simulated_pairs(folder: Path, split: str, most: int) -> list[PicturedPair]:
    """Return up to ``most`` pairs of a split, the first ones whose joints are known.

    Raises :class:`BadInputError`: ``dataset_damaged``; ``dataset_without`` if there are no such pairs.
    """
    rows = (row for row in read_rows(folder, "captioning", split, _COLUMNS) if row["current_joints"] is not None)
    pictured = [
        (
            (_photograph(row["current"]), _photograph(row["target"])),
            pose_pair(np.array(row["current_joints"]), np.array(row["target_joints"])),
        )
        for row in islice(rows, most)
    ]
    if not pictured:
        raise BadInputError("dataset_without", path=str(folder), split=f"captioning/{split}")
    return pictured


def calibration_clauses(
    captioning: CaptionGenerator,
    pairs: Iterable[PicturedPair],
    estimator: PoseEstimator,
    *,
    alone: bool,
) -> Iterator[JudgedClause]:
    """Yield every clause that may be shown for the pictures, judged against the true joints.

    With ``alone`` the captioner sees the pictures without the estimated joints. Pairs in which the estimator
    finds no person are skipped.
    """
    for number, (photographs, true) in enumerate(pairs):
        first, second = (estimate_if_seen(estimator, photograph) for photograph in photographs)
        current, target = facing_alike(*levelled_alike(photographs, (first, second)))
        if current is None or target is None:
            continue
        measurements = MeasuredPhotographs(photographs, (None, None) if alone else (current, target))
        findings = None if measurements.pair is None else Findings(measurements.pair)
        for language in captioning.languages:
            for clause, chance in captioning.drafted(measurements, language):
                verdict = agrees(clause, true)
                if verdict is None or (findings is not None and not findings.bears_out(clause)):
                    continue
                yield JudgedClause(
                    number,
                    chance,
                    None if measurements.pair is None else confidence(clause, measurements.pair),
                    verdict,
                )


def fitted_odds(clauses: Sequence[JudgedClause]) -> Fit:
    """Fit the weights by maximum likelihood of the verdicts.

    Raises ValueError if there are too few pairs to fit and to hold out.
    """
    back = np.array([clause.pair % _HELD_BACK == 0 for clause in clauses], dtype=bool)
    if not back.any() or back.all():
        raise ValueError("clauses of at least two pairs are required")
    features = np.array(
        [(1.0, 0.0 if clause.share is None else log_odds(clause.share), log_odds(clause.own)) for clause in clauses]
    )
    true = np.array([clause.true for clause in clauses], dtype=np.float64)
    chances = 1 / (1 + np.exp(-features[back] @ _weights(features[~back], true[~back])))
    error = calibration_error(chances, true[back])
    return Fit(Odds(*(round(float(weight), 3) for weight in _weights(features, true))), round(error, 3), len(clauses))


def _weights(features: Array, true: Array) -> Array:
    """Fit a logistic regression with weak L2 regularization; the weights of both confidences are non-negative."""

    def surprise(weights: Array) -> tuple[float, Array]:
        odds = features @ weights
        loss = np.logaddexp(0, odds).mean() - (odds * true).mean() + 1e-4 * float(weights @ weights)
        slope = features.T @ (1 / (1 + np.exp(-odds)) - true) / len(true) + 2e-4 * weights
        return float(loss), slope

    bounds = [(None, None), (0, None), (0, None)]
    solution: Array = minimize(surprise, np.zeros(features.shape[1]), jac=True, bounds=bounds, method="L-BFGS-B").x
    return solution


def _photograph(file: dict[str, Any]) -> Photograph:
    return read_photograph(file["bytes"])
