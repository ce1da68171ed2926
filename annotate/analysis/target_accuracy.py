"""Accuracy of people at finding the target: with everything, with the words alone, with the picture alone.

The paper asked an expert about 50 instances: 96 % with everything in both languages, and in English 38 % with
the words alone and 22 % with the picture alone (Table 7 and footnote 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from annotate.analysis.bootstrap import resampled, share_estimates
from annotate.records.api import MODES

PAPER = {
    ("en", "everything"): 0.96,
    ("en", "language"): 0.38,
    ("en", "picture"): 0.22,
    ("hi", "everything"): 0.96,
}
_COLUMNS = ("language", "mode", "value", "low", "high", "choices", "annotators", "chance", "paper")


def accuracies(choices: pd.DataFrame, languages: Sequence[str], seed: int = 0) -> pd.DataFrame:
    """Return the share of right choices in every language and mode with choices, in that order.

    Columns: ``language``, ``mode``, ``value``, ``low``, ``high``, the numbers of ``choices`` and ``annotators``,
    the ``chance`` of a random choice, and the result of the ``paper``'s expert if there is one.
    """
    rows = []
    for language, mode in product(languages, MODES):
        mode_choices = choices[(choices["language"] == language) & (choices["mode"] == mode)]
        if mode_choices.empty:
            continue
        people = mode_choices.groupby("annotator")["correct"].agg(["sum", "count"]).to_numpy(np.float64)
        drawn = resampled(people, seed)
        right, total = people.sum(axis=0)
        ends = share_estimates(np.array([right / total]), drawn[:, :1] / drawn[:, 1:], len(people))
        columns = (len(mode_choices), len(people), mode_choices["chance"].mean(), PAPER.get((language, mode)))
        rows.append((language, mode, *ends.iloc[0], *columns))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"paper": float})
