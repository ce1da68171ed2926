"""Shares of the votes of each model for relevance and fluency, as in the paper's Table 2.

A vote for one text counts for its model. A vote for identical texts is divided among their models. A vote for
all texts is a tie. The votes are those of ``frames``, in one language.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from annotate.analysis.bootstrap import Array, resampled, share_estimates
from annotate.analysis.frames import NOBODY

Question = Literal["relevant", "fluent"]

QUESTIONS: tuple[Question, ...] = ("relevant", "fluent")
TIED = "(tied)"  # listed as a model; names of models begin with a letter or a digit

# Kim et al., FixMyPose (AAAI 2021), Table 2, human evaluation on val-seen: relevance, fluency and grammar.
PAPER_SHARES: dict[str, dict[str, tuple[float, float]]] = {
    "en": {"V-only": (0.04, 0.04), "L-only": (0.15, 0.27), "V+L": (0.48, 0.45)},
    "hi": {"V-only": (0.09, 0.10), "L-only": (0.19, 0.26), "V+L": (0.51, 0.53)},
}


def shares(votes: pd.DataFrame, question: Question, seed: int = 0) -> pd.DataFrame:
    """Return each model's share of the votes in which it was shown, and the share of ties, last.

    Columns: ``model``, ``value``, ``low``, ``high``, with intervals over annotators. There must be a vote.
    """
    tied, once = votes[f"{question}_tied"], votes.drop_duplicates("vote")
    parts = pd.concat(
        [
            votes.assign(got=votes[question].mask(tied, 0.0)),
            once.assign(model=TIED, got=once[f"{question}_tied"].astype(float)),
        ]
    )
    totals = parts.groupby(["annotator", "model"])["got"].agg(["sum", "count"]).unstack(fill_value=0)  # noqa: PD010
    people, standing = of_people(totals, 2)

    def of_totals(totals: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(totals[..., 0, :] / totals[..., 1, :])

    values = of_totals(people.sum(axis=0) + standing)
    table = share_estimates(values, of_totals(resampled(people, seed) + standing), len(people))
    table.insert(0, "model", totals["sum"].columns)
    return table.sort_values("model", key=lambda models: models == TIED, kind="stable", ignore_index=True)


def of_people(totals: pd.DataFrame, rows: int) -> tuple[Array, Array]:
    """Return sums by annotator as (annotators, rows, ...), and the sums (rows, ...) of the votes of ``NOBODY``."""
    standing = totals.reindex([NOBODY], fill_value=0).to_numpy(np.float64)
    people = totals.drop(index=NOBODY, errors="ignore").to_numpy(np.float64)
    return people.reshape(len(people), rows, -1), standing.reshape(rows, -1)
