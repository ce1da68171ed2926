"""Bradley-Terry strengths of the models from all comparisons at once, with ties as half wins.

A vote for the best of several texts means that it beat each of the others, and nothing about the others among
themselves. As a prior, every model also won half a comparison and lost half a comparison against an average
one, so that a model that was never beaten, or never compared, has a finite strength. Comparisons from one
vote are not independent; the intervals are over annotators.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from annotate.analysis.bootstrap import Array, estimates, resampled
from annotate.analysis.votes import Question, of_people

PRIOR = 0.5  # comparisons with the average model that each model won, and as many that it lost
_STEPS = 100
_MAX_STEP = 1.0  # a longer Newton step may overshoot
_TOLERANCE = 1e-10


def strengths(votes: pd.DataFrame, question: Question, seed: int = 0) -> pd.DataFrame:
    """Return each model's strength from the votes of one language; strengths sum to 1, and their ratios are odds.

    Columns: ``model``, ``value``, ``low``, ``high``, with intervals over annotators. There must be a vote.
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
    """Return the logarithms of the most likely strengths, (..., n) with mean 0, by Newton's method.

    ``wins`` (..., n, n) counts how often the row beat the column. Without ``prior``, a model that always won or
    lost has no finite strength.
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
        # Without the prior all strengths may shift together; this keeps their sum and changes nothing else.
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
