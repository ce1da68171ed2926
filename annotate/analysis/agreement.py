"""Agreement of annotators beyond chance: Krippendorff's alpha and Fleiss' kappa, with words for their values.

Both use a table of counts (units, values): the number of people who gave a unit that value. Alpha accepts any
number of answers per unit and orders the values: a 4 is nearer to a 3 than to a 1. Kappa only compares same
and different.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from krippendorff import alpha as krippendorffs
from numpy.typing import NDArray

from annotate.analysis.frames import NOBODY
from annotate.analysis.votes import QUESTIONS

Counts = NDArray[np.int64]
Level = Literal["nominal", "ordinal"]
Reading = Literal["reliable", "tentative", "unreliable", "chance", "unknown"]

SCORES = (1, 2, 3, 4)
FEW_UNITS = 20  # with fewer units a coefficient says little

# Landis and Koch (1977).
KAPPA_WORDS = (
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
)
_COLUMNS = ("about", "language", "level", "units", "answers", "same", "alpha", "kappa", "reading", "kappa_word")


def agreements(votes: pd.DataFrame, ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement on votes (relevance, fluency) and ratings (scores), in each language with such answers.

    Columns: ``about``, ``language``, ``level``; the number of ``units`` that at least two people answered, and of
    their ``answers``; ``same``, the share of agreeing pairs of answers to the same unit; ``alpha`` and ``kappa``
    with their ``reading`` and ``kappa_word``.
    """
    rows = []
    for language, cast in votes[votes["annotator"] != NOBODY].groupby("language", sort=False):
        for question in QUESTIONS:
            best = cast.pivot(index=["item", "vote"], columns="model", values=question).gt(0)  # noqa: PD010
            choice = best.groupby(list(best)).ngroup()
            counts = choice.groupby(["item", choice]).size().unstack(fill_value=0)  # noqa: PD010
            rows.append((question, language, *_agreement(counts.to_numpy(), "nominal")))
    for language, rated in ratings.groupby("language", sort=False):
        scores = rated.groupby(["item", "text", "score"]).size().unstack(fill_value=0)  # noqa: PD010
        counts = scores.reindex(columns=SCORES, fill_value=0)
        rows.append(("rating", language, *_agreement(counts.to_numpy(), "ordinal")))
    return pd.DataFrame(rows, columns=_COLUMNS).astype({"same": float, "alpha": float, "kappa": float})


def reading(alpha: float | None) -> Reading:
    """Return the reading of alpha by Krippendorff, Content Analysis (2018), chapter 12."""
    if alpha is None:
        return "unknown"
    if alpha <= 0:
        return "chance"
    return "reliable" if alpha >= 0.8 else "tentative" if alpha >= 0.667 else "unreliable"  # noqa: PLR2004


def kappa_word(kappa: float | None) -> str:
    """Return Landis and Koch's word for kappa; empty if kappa is None."""
    if kappa is None:
        return ""
    return next((word for least, word in KAPPA_WORDS if kappa > least), "poor")


def krippendorff_alpha(counts: Counts, level: Level) -> float | None:
    """Return alpha of (units, values) with ordered values; None without two comparable answers and two values.

    Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004  disagreement needs two values
        return None
    return float(krippendorffs(value_counts=pairable, level_of_measurement=level))


def fleiss_kappa(counts: Counts) -> float | None:
    """Return kappa of (units, values), Fleiss (1971); None in the same cases as alpha.

    Units may have different numbers of answers. As in Fleiss, each unit has the same weight, and chance is that
    of all answers.
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004
        return None
    by_chance = float(((pairable.sum(axis=0) / pairable.sum()) ** 2).sum())
    return float((_agreeing_shares(pairable).mean() - by_chance) / (1 - by_chance))


def _agreeing_shares(pairable: Counts) -> NDArray[np.float64]:
    """Return for each unit the share of its pairs of answers that agree."""
    answers = pairable.sum(axis=1)
    return np.asarray((pairable * (pairable - 1)).sum(axis=1) / (answers * (answers - 1)))


def _agreement(counts: Counts, level: Level) -> tuple[object, ...]:
    """Return the columns of :func:`agreements` from ``level`` on."""
    pairable = counts[counts.sum(axis=1) > 1]
    same = float(_agreeing_shares(pairable).mean()) if len(pairable) else None
    alpha, kappa = krippendorff_alpha(counts, level), fleiss_kappa(counts)
    return level, len(pairable), int(pairable.sum()), same, alpha, kappa, reading(alpha), kappa_word(kappa)
