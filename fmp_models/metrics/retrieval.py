"""Retrieval metrics: accuracy (section 7 of the paper), recall at k and mean rank.

Candidates of equal score are ordered at random, and the metric is the expected value. A model that gives every
candidate the same score thus scores at chance level, regardless of the position of the answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.metrics.measurement import Measurement
from fmp_models.pose import Array

RECALLS = (3, 5)


def retrieval_scores(
    scores: Sequence[Sequence[float] | Array], answers: Sequence[int], recalls: Sequence[int] = RECALLS
) -> dict[str, Measurement]:
    """Return ``accuracy``, ``recall_at_<k>`` and ``mean_rank`` (1 is best) of n instances.

    ``scores`` holds the scores of each instance's candidates, higher is better; their number can differ. ``answers``
    (n,) are the indices of the right candidates, from 0. Raises ``ValueError`` for lists that do not match, an answer
    that is not a candidate, and a score that is not finite.
    """
    if not len(scores) == len(answers) > 0:
        raise ValueError(f"{len(scores)} instances of scores with {len(answers)} answers")
    pairs = [_rivals(instance, answer) for instance, answer in zip(scores, answers, strict=True)]
    better, equal = np.array(pairs, dtype=np.float64).T
    shares = {k: np.clip((k - better) / (equal + 1), 0, 1) for k in (1, *recalls)}
    return {
        "accuracy": Measurement.mean(shares.pop(1)),
        **{f"recall_at_{k}": Measurement.mean(share) for k, share in shares.items()},
        "mean_rank": Measurement.mean(1 + better + equal / 2),
    }


def _rivals(scores: Sequence[float] | Array, answer: int) -> tuple[int, int]:
    """Return how many candidates score above the answer, and how many others score the same."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not 0 <= answer < len(values) or not np.isfinite(values).all():
        raise ValueError(f"candidate {answer} of {values.tolist()} has no rank")
    return int((values > values[answer]).sum()), int((values == values[answer]).sum()) - 1
