"""Agreement of people beyond chance: Krippendorff's alpha and Fleiss' kappa, with words on how to read them.

Both work on a table of counts, (units, values): how many people gave a unit that value. Alpha takes units with any
number of answers and knows that a 4 is nearer to a 3 than to a 1; kappa knows only same and different.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from krippendorff import alpha
from numpy.typing import NDArray

from annotate.analysis.votes import QUESTIONS, Ballots
from annotate.campaigns.campaign import Campaign
from annotate.records.events import Event
from annotate.records.kinds import Rating

Counts = NDArray[np.int64]
Level = Literal["nominal", "ordinal"]
Reading = Literal["reliable", "tentative", "unreliable", "chance", "unknown"]

SCORES = (1, 2, 3, 4)
FEW_UNITS = 20  # below, a coefficient says little

# Landis and Koch (1977).
KAPPA_WORDS = (
    (0.8, "almost perfect"),
    (0.6, "substantial"),
    (0.4, "moderate"),
    (0.2, "fair"),
    (0.0, "slight"),
)


@dataclass(frozen=True)
class Agreement:
    """On one question: ``same`` is the plain share of agreeing pairs of answers to the same unit.

    ``units`` are those that at least two people answered, and ``answers`` are theirs.
    """

    about: str
    language: str
    level: Level
    units: int
    answers: int
    same: float | None
    alpha: float | None
    kappa: float | None

    @property
    def reading(self) -> Reading:
        """How alpha is to be read: Krippendorff, Content Analysis (2018), chapter 12."""
        if self.alpha is None:
            return "unknown"
        if self.alpha <= 0:
            return "chance"
        return "reliable" if self.alpha >= 0.8 else "tentative" if self.alpha >= 0.667 else "unreliable"  # noqa: PLR2004

    @property
    def kappa_word(self) -> str:
        """Landis and Koch's word for kappa, empty where there is none."""
        if self.kappa is None:
            return ""
        return next((word for least, word in KAPPA_WORDS if self.kappa > least), "poor")


def agreements(living: Iterable[Event], campaign: Campaign, votes: Mapping[str, Ballots]) -> list[Agreement]:
    """On relevance and fluency of votes and on the scores of ratings, in each language with such answers."""
    found = []
    for language, cast in votes.items():
        for question in QUESTIONS:
            said = [(ballot.item, tuple(sorted(ballot.best(question)))) for ballot in cast.cast if ballot.annotator]
            if said:
                found.append(_agreement(question, language, "nominal", _counts(said)))
    gold = {item.uid for item in campaign.items if item.gold is not None}
    scores: dict[str, list[tuple[Hashable, int]]] = {}
    for event in living:
        if isinstance(event.payload, Rating) and event.campaign == campaign.name and event.item not in gold:
            unit = (event.item, event.payload.text)
            scores.setdefault(event.language, []).append((unit, event.payload.score))
    for language, given in scores.items():
        found.append(_agreement("rating", language, "ordinal", _counts(given, SCORES)))
    return found


def krippendorff_alpha(counts: Counts, level: Level) -> float | None:
    """Alpha of (units, values) with the values in order; None where no two answers or no two values can be compared.

    Krippendorff (2011), "Computing Krippendorff's alpha-reliability".
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004  without two values nothing can differ
        return None
    return float(alpha(value_counts=pairable, level_of_measurement=level))


def fleiss_kappa(counts: Counts) -> float | None:
    """Kappa of (units, values), Fleiss (1971); None as for alpha.

    Units may have different numbers of answers: each weighs the same, as there, and chance is that of all answers.
    """
    pairable = counts[counts.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:  # noqa: PLR2004
        return None
    by_chance = float(((pairable.sum(axis=0) / pairable.sum()) ** 2).sum())
    return float((_same(pairable).mean() - by_chance) / (1 - by_chance))


def _same(pairable: Counts) -> NDArray[np.float64]:
    """For each unit, the share of its pairs of answers that agree."""
    answers = pairable.sum(axis=1)
    return np.asarray((pairable * (pairable - 1)).sum(axis=1) / (answers * (answers - 1)))


def _agreement(about: str, language: str, level: Level, counts: Counts) -> Agreement:
    pairable = counts[counts.sum(axis=1) > 1]
    return Agreement(
        about,
        language,
        level,
        len(pairable),
        int(pairable.sum()),
        float(_same(pairable).mean()) if len(pairable) else None,
        krippendorff_alpha(counts, level),
        fleiss_kappa(counts),
    )


def _counts(given: Sequence[tuple[Hashable, Hashable]], values: Sequence[Hashable] = ()) -> Counts:
    """The table of (unit, value) pairs; ``values`` in order, else as they come."""
    rows = {unit: i for i, unit in enumerate(dict.fromkeys(unit for unit, _ in given))}
    columns = {value: i for i, value in enumerate(values or dict.fromkeys(value for _, value in given))}
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(table, ([rows[unit] for unit, _ in given], [columns[value] for _, value in given]), 1)
    return table
