"""Shares of the votes: how much of them each model has for relevance and fluency, as in the paper's Table 2.

Pure functions of live events and the campaign that says which model wrote a text. A vote for one text counts for its
model; a vote for texts that read alike is divided among them; a vote for all is tied. Where all texts of an item read
alike nobody is asked, and the item counts as that many tied votes as it wants voices. Gold items are no votes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotate.analysis.bootstrap import Array, Estimate, resampled, share_estimates
from annotate.campaigns.campaign import Campaign
from annotate.campaigns.questions import tied_by_themselves
from annotate.records.events import Event
from annotate.records.kinds import Vote

Question = Literal["relevant", "fluent"]

QUESTIONS: tuple[Question, ...] = ("relevant", "fluent")

# Kim et al., FixMyPose (AAAI 2021), Table 2, human evaluation on val-seen: relevance, fluency and grammar.
PAPER_SHARES: dict[str, dict[str, tuple[float, float]]] = {
    "en": {"V-only": (0.04, 0.04), "L-only": (0.15, 0.27), "V+L": (0.48, 0.45)},
    "hi": {"V-only": (0.09, 0.10), "L-only": (0.19, 0.26), "V+L": (0.51, 0.53)},
}


@dataclass(frozen=True)
class Ballot:
    """One vote in models' names; ``annotator`` is empty where identical texts tied by themselves."""

    annotator: str
    item: str
    shown: tuple[str, ...]
    relevant: tuple[str, ...]
    fluent: tuple[str, ...]

    def best(self, question: Question) -> tuple[str, ...]:
        """The models that were chosen; all that were shown for a tie."""
        return self.relevant if question == "relevant" else self.fluent

    def is_tied(self, question: Question) -> bool:
        """Whether none was better than another."""
        return len(self.best(question)) == len(self.shown)


@dataclass(frozen=True)
class Shares:
    """Of the votes in which a model was shown, those that it got; ``tied`` of all votes."""

    of: dict[str, Estimate]
    tied: Estimate


@dataclass(frozen=True)
class Ballots:
    """The votes of one language; ``tied_items`` were not asked, ``unknown`` votes name what the campaign lacks."""

    language: str
    cast: tuple[Ballot, ...]
    models: tuple[str, ...]
    annotators: tuple[str, ...]
    tied_items: int
    unknown: int

    @property
    def votes(self) -> int:
        """How many votes people gave."""
        return sum(bool(ballot.annotator) for ballot in self.cast)

    def by_annotator(self, counted: Sequence[Array]) -> tuple[Array, Array]:
        """Sum something counted for each ballot: (annotators, ...) of people, and what stands without them."""
        numbers = {name: i for i, name in enumerate(self.annotators)}
        totals = np.zeros((len(numbers) + 1, *np.shape(counted[0])))  # the last row is nobody's
        np.add.at(totals, [numbers.get(ballot.annotator, len(numbers)) for ballot in self.cast], np.stack(counted))
        return totals[:-1], totals[-1]


def ballots(living: Iterable[Event], campaign: Campaign, language: str) -> Ballots:
    """The votes of one language among live events."""
    models = {
        (item.uid, text.id): text.source
        for item in campaign.items
        if item.gold is None
        for text in item.texts_for("vote", language)
    }
    gold = {item.uid for item in campaign.items if item.gold is not None}
    cast, unknown = [], 0
    for event in living:
        said = event.payload
        if not isinstance(said, Vote) or (event.campaign, event.language) != (campaign.name, language):
            continue
        if event.item in gold:
            continue
        if not all((event.item, text) in models for text in said.shown):
            unknown += 1
            continue
        named = [tuple(models[event.item, text] for text in ids) for ids in (said.shown, said.relevant, said.fluent)]
        cast.append(Ballot(event.annotator, event.item, *named))
    annotators = tuple(sorted({ballot.annotator for ballot in cast}))
    tied = tied_by_themselves(campaign, language) if cast else {}
    for item, ids in tied.items():
        shown = tuple(models[item, text] for text in ids)
        cast += [Ballot("", item, shown, shown, shown)] * campaign.voices_for("vote")
    names = tuple(sorted({model for ballot in cast for model in ballot.shown}))
    return Ballots(language, tuple(cast), names, annotators, len(tied), unknown)


def shares(votes: Ballots, question: Question, seed: int = 0) -> Shares:
    """Each model's part of the votes, with intervals over annotators; there must be a vote."""
    people, standing = votes.by_annotator([_counted(ballot, question, votes.models) for ballot in votes.cast])

    def of_totals(totals: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(totals[..., 0] / totals[..., 1])

    values = of_totals(people.sum(axis=0) + standing)
    *of_models, tied = share_estimates(values, of_totals(resampled(people, seed) + standing), len(people))
    return Shares(dict(zip(votes.models, of_models, strict=True)), tied)


def _counted(ballot: Ballot, question: Question, models: Sequence[str]) -> Array:
    """For each model, and for a tie last: what one ballot gives it, and whether it could have."""
    best, tied = ballot.best(question), ballot.is_tied(question)
    got = [best.count(model) / len(best) if not tied else 0.0 for model in models]
    return np.array([*zip(got, [model in ballot.shown for model in models], strict=True), (tied, 1)], dtype=np.float64)
