"""The questions of a campaign: what an annotator is asked in one task, and which record the answer becomes.

Within a kind, a question is identified like the record of its answer, by (item, language, aspect). So the
store can tell who answered it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.campaigns.campaign import SOURCE_LANGUAGE, Campaign, CampaignText, Item
from annotate.records.api import MODES, Kind, Mode
from annotate.records.kinds import Description, FindTarget, Rating, RealPair, Translation, Vote

# The kind of record that holds the answers of each kind of question. Campaign files use the keys, stores and
# datasets the values, so both names must stay.
RECORDS: Mapping[Kind, str] = {
    "write": Description.kind,
    "verify": Rating.kind,
    "translate": Translation.kind,
    "vote": Vote.kind,
    "find": FindTarget.kind,
    "real_pair": RealPair.kind,
}
KINDS_OF_RECORDS: Mapping[str, Kind] = {record: kind for kind, record in RECORDS.items()}
Place = tuple[str, str]  # item and aspect, which identify a question within its kind and language
_MAX_VOICES = 1_000_000  # for a gold item: no limit
_GOLD_MODES: tuple[Mode, ...] = ("everything",)


def task_of(record: str, aspect: str) -> str:
    """Return the ``task`` of a question: the kind of record that the answer becomes, and its aspect."""
    return "/".join(word for word in (record, aspect) if word)


@dataclass(frozen=True)
class Question:
    """A question in ``language``; ``author`` is the annotator who wrote its text, empty if none did."""

    kind: Kind
    item: Item
    language: str
    voices: int
    texts: tuple[CampaignText, ...] = ()
    mode: Mode | None = None
    author: str = ""

    @property
    def aspect(self) -> str:
        """The aspect of the record, which distinguishes questions about the same item."""
        if self.kind == "find":
            return str(self.mode)
        return self.texts[0].id if self.kind in {"verify", "translate"} else ""

    @cached_property  # read for every question in every request
    def place(self) -> Place:
        """The item and the aspect, which identify the question."""
        return self.item.uid, self.aspect

    @property
    def skipped_as(self) -> str:
        """The ``task`` of a record that the question was skipped."""
        return task_of(RECORDS[self.kind], self.aspect)


@dataclass(frozen=True)
class SubmittedText:
    """A text that an annotator wrote about an item, for others to rate or translate; its id is its event's."""

    item: str
    text: CampaignText
    author: str


def questions(campaign: Campaign, kind: Kind, language: str, written: Iterable[SubmittedText] = ()) -> list[Question]:
    """Return the questions of a kind in one language, without gold items.

    ``written`` are the annotators' texts that this kind uses: all for ``verify``, accepted ones for
    ``translate``.
    """
    all_questions = [
        question for item in campaign.items if item.gold is None for question in _of(campaign, item, kind, language)
    ]
    if kind == "verify" or (kind == "translate" and language != SOURCE_LANGUAGE):
        items = {item.uid: item for item in campaign.items}
        voices = campaign.voices_for(kind)
        all_questions += [
            Question(kind, items[entry.item], language, voices, (entry.text,), author=entry.author)
            for entry in written
            if entry.item in items and entry.text.language == text_language(kind, language)
        ]
    return all_questions


def gold_questions(campaign: Campaign, kind: Kind, language: str) -> list[Question]:
    """Return the questions of a kind with a known right answer."""
    return [
        Question(kind, question.item, language, _MAX_VOICES, question.texts, question.mode)
        for item in campaign.items
        if item.gold is not None and item.gold.kind == kind
        for question in _of(campaign, item, kind, language)
    ]


def _of(campaign: Campaign, item: Item, kind: Kind, language: str) -> Iterator[Question]:
    voices = campaign.voices_for(kind)
    texts = item.texts_for(kind, text_language(kind, language))
    if kind == "write" and item.to_describe:
        yield Question(kind, item, language, voices)
    elif kind == "verify" or (kind == "translate" and language != SOURCE_LANGUAGE):
        for text in texts:
            yield Question(kind, item, language, voices, (text,))
    elif kind == "vote" and len(alike(texts)) > 1:
        yield Question(kind, item, language, voices, texts)
    elif kind == "find" and item.candidates and texts:
        # With only the text or only the picture, even an attentive annotator may be wrong.
        for mode in MODES if item.gold is None else _GOLD_MODES:
            yield Question(kind, item, language, voices, texts[:1], mode)
    elif kind == "real_pair" and texts:
        yield Question(kind, item, language, voices, texts[:1])


def text_language(kind: Kind, language: str) -> str:
    """Return the language of the text that a question shows."""
    return SOURCE_LANGUAGE if kind == "translate" else language


def alike(texts: Sequence[CampaignText]) -> list[tuple[CampaignText, ...]]:
    """Return groups of texts that read the same, in the order of their first text."""
    groups: dict[str, list[CampaignText]] = {}
    for text in texts:
        groups.setdefault(" ".join(unicodedata.normalize("NFC", text.text).split()), []).append(text)
    return [tuple(group) for group in groups.values()]


def tied_by_themselves(campaign: Campaign, language: str) -> dict[str, tuple[str, ...]]:
    """Return the items whose texts to vote on all read the same, with the ids of the texts.

    Such items are tied without a vote.
    """
    tied = {}
    for item in campaign.items:
        texts = item.texts_for("vote", language)
        if item.gold is None and len(texts) > 1 and len(alike(texts)) == 1:
            tied[item.uid] = tuple(text.id for text in texts)
    return tied
