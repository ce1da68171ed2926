"""The status of each text, by the paper's rule over its ratings and by flags of its pair.

"Descriptions that 2/3 of the workers rate lower than 3 are discarded. Image pairs that are flagged with
certain issues are discarded" (section 4). Here a flagged pair is set aside for the owner to check; nothing
is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from annotate.campaigns.campaign import Campaign
from annotate.kinds import verify
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import CampaignText, SubmittedText
from annotate.kinds.verify import Rating
from annotate.kinds.write import Description
from annotate.records.events import Event, live
from annotate.records.kinds import Flag

Status = Literal["accepted", "discarded", "set_aside", "waiting"]

GOOD = 3  # lowest score of a good text
SETS_ASIDE = frozenset({"through_object"})

WRITTEN = "written"  # source of annotators' texts
WRITTEN_KINDS = tuple(kind.key for kind in TASK_KINDS.values() if kind.written)


@dataclass(frozen=True)
class TextStatus:
    """A text with its status and ratings; ``author`` is the annotator who wrote it, empty for a campaign's text."""

    item: str
    text: CampaignText
    author: str
    status: Status
    scores: tuple[int, ...]


def text_statuses(events: Iterable[Event], campaign: Campaign) -> list[TextStatus]:
    """Return every text that can be rated: the campaign's, then the annotators' in order of time.

    A text is ``accepted`` or ``discarded`` as soon as no further rating could change that.
    """
    living = [event for event in live(events) if event.campaign == campaign.name]
    scores: dict[tuple[str, str, str], list[int]] = {}
    for event in living:
        if isinstance(event.payload, Rating):
            scores.setdefault((event.item, event.language, event.payload.text), []).append(event.payload.score)
    flagged = flagged_items(living)
    return [
        TextStatus(
            entry.item,
            entry.text,
            entry.author,
            status_of(ratings, campaign.voices_for(verify.KIND.key), is_aside=entry.item in flagged),
            ratings,
        )
        for entry in (*_own_texts(campaign), *written_texts(living, campaign))
        for ratings in (tuple(scores.get((entry.item, entry.text.language, entry.text.id), ())),)
    ]


def written_texts(living: Iterable[Event], campaign: Campaign) -> list[SubmittedText]:
    """Return the descriptions among ``living`` events as texts to rate; the id of a text is its event's."""
    items = {item.uid for item in campaign.items}
    return [
        written_text(event.id, event.item, event.language, event.payload.text, event.annotator)
        for event in living
        if isinstance(event.payload, Description) and event.campaign == campaign.name and event.item in items
    ]


def written_text(id_: str, item: str, language: str, words: str, author: str) -> SubmittedText:
    """Return an annotator's text, to be rated."""
    # Not validated again: it may be longer than a campaign's text, and was checked when it was written.
    text = CampaignText.model_construct(id=id_, language=language, source=WRITTEN, text=words, kinds=WRITTEN_KINDS)
    return SubmittedText(item, text, author)


def flagged_items(living: Iterable[Event]) -> set[str]:
    """Return the items with a flag that sets a pair aside."""
    return {
        event.item
        for event in living
        if (isinstance(event.payload, Flag) and event.payload.reason in SETS_ASIDE)
        or (isinstance(event.payload, Description) and not SETS_ASIDE.isdisjoint(event.payload.flags))
    }


def _own_texts(campaign: Campaign) -> Iterator[SubmittedText]:
    return (
        SubmittedText(item.uid, text, "")
        for item in campaign.items
        if item.gold is None
        for text in item.texts
        if verify.KIND.key in text.kinds
    )


def status_of(scores: Sequence[int], wanted: int, *, is_aside: bool) -> Status:
    """Return the status by two thirds of the ``wanted`` ratings; missing ratings count for neither side."""
    if is_aside:
        return "set_aside"
    voices = max(len(scores), wanted)
    bad = sum(score < GOOD for score in scores)
    good = len(scores) - bad
    if 3 * bad >= 2 * voices:
        return "discarded"
    return "accepted" if 3 * (voices - good) < 2 * voices else "waiting"
