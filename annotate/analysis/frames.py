"""Live answers of a campaign as tidy data frames, the source of every table of results.

Gold items measure attention: their answers are only in ``answers``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from annotate.campaigns.campaign import Campaign
from annotate.campaigns.text_status import text_statuses
from annotate.kinds.find_target import FindTarget
from annotate.kinds.verify import Rating
from annotate.kinds.vote import KIND, Vote, tied_by_themselves
from annotate.records.api import MODELS_SEEN, TARGET_SEEN
from annotate.records.events import Event
from annotate.records.kinds import Flag

NOBODY = ""  # the annotator of votes for identical texts, which nobody was asked about

_ANSWERS = ("id", "time", "kind", "language", "item", "annotator", "gold")
_VOTES = ("vote", "language", "item", "annotator", "model", "relevant", "fluent", "relevant_tied", "fluent_tied")
_RATINGS = ("id", "language", "item", "annotator", "text", "score")
_CHOICES = ("id", "language", "item", "annotator", "mode", "correct", "chance")
_TEXTS = ("text", "language", "item", "source", "author", "status")


@dataclass(frozen=True)
class Frames:
    """Tidy tables; the rows of each are described below.

    ``answers``: an answer of any kind. ``votes``: a vote, numbered within its language, and one model whose text
    was shown, with the share of the vote that the model got for relevance and for fluency, and whether all models
    were tied in it. Votes of annotators who already knew which model wrote which text are left out. If all texts
    of an item are identical, nobody is asked, and there are as many tied votes of ``NOBODY`` as the item wants
    answers. ``ratings``: a text's score from one person. ``choices``: a choice among candidates, with ``chance``,
    the probability that a random choice is right. Choices whose target the annotator may have seen before are
    left out. ``texts``: a text that people judge; texts written by annotators have an ``author``.
    """

    answers: pd.DataFrame
    votes: pd.DataFrame
    ratings: pd.DataFrame
    choices: pd.DataFrame
    texts: pd.DataFrame


def frames(living: Sequence[Event], campaign: Campaign) -> Frames:
    """Return the tables of a campaign's live events in order of time; votes by the campaign's order of languages."""
    living = [event for event in living if event.campaign == campaign.name]
    gold = {item.uid for item in campaign.items if item.gold is not None}
    return Frames(
        pd.DataFrame(
            [(e.id, e.time, e.kind, e.language, e.item, e.annotator, e.item in gold) for e in living], columns=_ANSWERS
        ),
        pd.DataFrame(
            [
                (vote, language, *row)
                for language in campaign.languages
                for vote, rows in enumerate(_votes(living, campaign, language))
                for row in rows
            ],
            columns=_VOTES,
        ),
        pd.DataFrame(
            [
                (event.id, event.language, event.item, event.annotator, event.payload.text, event.payload.score)
                for event in living
                if isinstance(event.payload, Rating) and event.item not in gold
            ],
            columns=_RATINGS,
        ),
        pd.DataFrame(_choices(living, campaign), columns=_CHOICES),
        pd.DataFrame(
            [
                (entry.text.id, entry.text.language, entry.item, entry.text.source, entry.author, entry.status)
                for entry in text_statuses(living, campaign)
            ],
            columns=_TEXTS,
        ),
    )


def _votes(living: Sequence[Event], campaign: Campaign, language: str) -> Iterator[list[tuple[object, ...]]]:
    """Yield the rows of each vote for the campaign's texts; a vote for identical texts is split among their models."""
    models = {
        (item.uid, text.id): text.source
        for item in campaign.items
        if item.gold is None
        for text in item.texts_for(KIND.key, language)
    }
    unblinded = _flagged(living, MODELS_SEEN)
    cast = [
        (event.item, event.annotator, payload.shown, payload.relevant, payload.fluent)
        for event in living
        if isinstance(payload := event.payload, Vote)
        and event.language == language
        and event.id not in unblinded
        and all((event.item, text) in models for text in payload.shown)
    ]
    if cast:
        alike = tied_by_themselves(campaign.items, language).items()
        cast += [(item, NOBODY, ids, ids, ids) for item, ids in alike for _ in range(campaign.voices_for(KIND.key))]
    for item, annotator, *id_lists in cast:
        compared, *best = ([models[item, text] for text in ids] for ids in id_lists)
        tied = [len(winners) == len(compared) for winners in best]
        yield [
            (item, annotator, model, *(winners.count(model) / len(winners) for winners in best), *tied)
            for model in dict.fromkeys(compared)
        ]


def _choices(living: Sequence[Event], campaign: Campaign) -> Iterator[tuple[object, ...]]:
    spoiled = _flagged(living, TARGET_SEEN)
    candidates = {item.uid: len(item.candidates) for item in campaign.items if item.gold is None and item.candidates}
    for event in living:
        payload = event.payload
        if isinstance(payload, FindTarget) and event.item in candidates and event.id not in spoiled:
            chance = 1 / candidates[event.item]
            yield event.id, event.language, event.item, event.annotator, payload.mode, payload.correct, chance


def _flagged(living: Sequence[Event], reason: str) -> set[str]:
    """Return the ids of the answers that have a flag with this reason."""
    return {e.payload.of for e in living if isinstance(e.payload, Flag) and e.payload.reason == reason}
