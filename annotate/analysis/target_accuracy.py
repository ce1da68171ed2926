"""Accuracy of people at finding the target: with everything, by the words alone, by the picture alone.

The paper asked an expert about 50 instances: 96 % with everything in both languages, and in English 38 % with the words
alone and 22 % with the picture alone (Table 7 and footnote 8).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from annotate.analysis.bootstrap import Estimate, resampled, share_estimates
from annotate.campaigns.campaign import Campaign
from annotate.records.api import MODES, TARGET_SEEN
from annotate.records.events import Event
from annotate.records.kinds import Flag, TargetChoice

PAPER = {
    ("en", "everything"): 0.96,
    ("en", "language"): 0.38,
    ("en", "picture"): 0.22,
    ("hi", "everything"): 0.96,
}


@dataclass(frozen=True)
class Accuracy:
    """Of one language and mode: the part of the choices that was right; ``chance`` is that of a blind choice."""

    language: str
    mode: str
    right: Estimate
    choices: int
    annotators: int
    chance: float

    @property
    def paper(self) -> float | None:
        """What the paper's expert reached, where it says."""
        return PAPER.get((self.language, self.mode))


def accuracies(living: Iterable[Event], campaign: Campaign, seed: int = 0) -> list[Accuracy]:
    """Every language and mode in which somebody chose, in the campaign's and the paper's order.

    Gold is left out, and so is a choice whose target its annotator may have seen elsewhere before.
    """
    living = list(living)
    seen = {
        event.payload.of for event in living if isinstance(event.payload, Flag) and event.payload.reason == TARGET_SEEN
    }
    candidates = {item.uid: len(item.candidates) for item in campaign.items if item.gold is None and item.candidates}
    given: dict[tuple[str, str], list[tuple[str, bool, float]]] = {}
    for event in living:
        said = event.payload
        if not isinstance(said, TargetChoice) or event.id in seen:
            continue
        if event.campaign == campaign.name and event.item in candidates:
            chosen = (event.annotator, said.correct, 1 / candidates[event.item])
            given.setdefault((event.language, said.mode), []).append(chosen)
    places = [(language, mode) for language in campaign.languages for mode in MODES]
    return [_accuracy(*place, given[place], seed) for place in places if place in given]


def _accuracy(language: str, mode: str, given: list[tuple[str, bool, float]], seed: int) -> Accuracy:
    numbers = {name: i for i, name in enumerate(sorted({name for name, _, _ in given}))}
    totals = np.zeros((len(numbers), 2))
    np.add.at(totals, [numbers[name] for name, _, _ in given], [(right, 1) for _, right, _ in given])
    drawn = resampled(totals, seed)
    right, all_of_them = totals.sum(axis=0)
    (found,) = share_estimates(np.array([right / all_of_them]), drawn[:, :1] / drawn[:, 1:], len(totals))
    chance = sum(part for _, _, part in given) / len(given)
    return Accuracy(language, mode, found, len(given), len(totals), chance)
