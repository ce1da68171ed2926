"""Strengths of the models by all their comparisons at once: Bradley and Terry's model, ties as half wins.

A vote for the best of several texts says that it beat each of the others, and nothing about those among themselves.
Every model also met an average one, half a time won and half a time lost, so that one that was never beaten, or never
compared, keeps a finite strength. Comparisons of one vote are not independent; the intervals are over annotators.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from annotate.analysis.bootstrap import Array, estimates, resampled
from annotate.analysis.votes import Question, of_people

PRIOR = 0.5  # times that each model beat the average one, and times that it lost
_STEPS = 100
_MAX_STEP = 1.0  # beyond, a step of Newton's may overshoot
_TOLERANCE = 1e-10


def strengths(votes: pd.DataFrame, question: Question, seed: int = 0) -> pd.DataFrame:
    """Each model's strength by the votes of one language; they add up to 1, and a to b is a's odds against b.

    Columns ``model``, ``value``, ``low``, ``high``, the ends over annotators; there must be a vote.
    """
    pairs = votes.merge(votes[["vote", "model", question]], on="vote", suffixes=("", "_other"))
    best, other_best = pairs[question] > 0, pairs[f"{question}_other"] > 0
    pairs["won"] = (best & ~other_best) + 0.5 * (best & other_best & (pairs["model"] != pairs["model_other"]))
    models = sorted(votes["model"].unique())
    wins = pairs.groupby(["annotator", "model", "model_other"])["won"].sum().unstack([1, 2], fill_value=0)  # noqa: PD010
    model_pairs = pd.MultiIndex.from_product([models, models])
    people, standing = of_people(wins.reindex(columns=model_pairs, fill_value=0), len(models))
    values = _parts(log_strengths(people.sum(axis=0) + standing))
    drawn = _parts(log_strengths(resampled(people, seed) + standing))
    table = estimates(values, drawn, len(people))
    table.insert(0, "model", models)
    return table


def log_strengths(wins: Array, prior: float = PRIOR) -> Array:
    """Logarithms of the most likely strengths, (..., n) with mean 0, by Newton's method.

    ``wins`` (..., n, n): how often row beat column. Without ``prior`` a model that always won or lost has none.
    """
    met = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1)
    count = wins.shape[-1]
    diagonal = np.arange(count)
    logarithms = np.zeros((*wins.shape[:-2], count))
    for _ in range(_STEPS):
        expected = _logistic(logarithms[..., :, None] - logarithms[..., None, :])
        against_average = _logistic(logarithms)
        slope = won - (met * expected).sum(axis=-1) + prior * (1 - 2 * against_average)
        bend = -met * expected * (1 - expected)
        on_diagonal = (
            -bend.sum(axis=-1) + bend[..., diagonal, diagonal] + 2 * prior * against_average * (1 - against_average)
        )
        bend[..., diagonal, diagonal] = on_diagonal
        # Without the average model all may move together; this keeps their sum and leaves the rest alone.
        step = np.linalg.solve(bend + (prior == 0), slope[..., None])[..., 0]
        logarithms += np.clip(step, -_MAX_STEP, _MAX_STEP)
        if np.abs(step).max(initial=0.0) < _TOLERANCE:
            break
    return np.asarray(logarithms - logarithms.mean(axis=-1, keepdims=True))


def _parts(logarithms: Array) -> Array:
    odds = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def _logistic(value: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(value / 2)))
