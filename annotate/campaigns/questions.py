"""The single questions of a campaign: what one person is asked at a time, and which record the answer becomes.

A question is known by the same words as its answer's record, (item, language, aspect) within a kind, so that the store
can tell who answered it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotate.campaigns.campaign import SOURCE_LANGUAGE, Campaign, CampaignText, Item
from annotate.records.api import MODES, Kind, Mode
from annotate.records.kinds import Description, FindTarget, Rating, RealPair, Translation, Vote

# The kind of record that holds the answers of each kind of question. Campaigns have the one word in their files,
# stores and datasets the other, so that neither can be given up.
RECORDS: Mapping[Kind, str] = {
    "write": Description.kind,
    "verify": Rating.kind,
    "translate": Translation.kind,
    "vote": Vote.kind,
    "find": FindTarget.kind,
    "real_pair": RealPair.kind,
}
KINDS_OF_RECORDS: Mapping[str, Kind] = {record: kind for kind, record in RECORDS.items()}
Place = tuple[str, str]  # item and aspect, which name a question within its kind and language
_MAX_VOICES = 1_000_000  # of a gold item: everybody may be asked
_GOLD_MODES: tuple[Mode, ...] = ("everything",)


def task_of(record: str, aspect: str) -> str:
    """The task of a question in one word: the kind of record that the answer becomes, and its aspect."""
    return "/".join(word for word in (record, aspect) if word)


@dataclass(frozen=True)
class Question:
    """One thing to ask in ``language``; ``author`` is the annotator who wrote its text, if one did."""

    kind: Kind
    item: Item
    language: str
    voices: int
    texts: tuple[CampaignText, ...] = ()
    mode: Mode | None = None
    author: str = ""

    @property
    def aspect(self) -> str:
        """The aspect that tells it apart from others about the same item, as the record has it."""
        if self.kind == "find":
            return str(self.mode)
        return self.texts[0].id if self.kind in {"verify", "translate"} else ""

    @cached_property  # asked of every question at every press
    def place(self) -> Place:
        """The item and the aspect, which name it."""
        return self.item.uid, self.aspect

    @property
    def skipped_as(self) -> str:
        """The ``task`` of a record that says that it was passed over."""
        return task_of(RECORDS[self.kind], self.aspect)


@dataclass(frozen=True)
class SubmittedText:
    """A text that an annotator gave to an item, to be judged or translated by others; ``id`` is its event's."""

    item: str
    text: CampaignText
    author: str


def questions(campaign: Campaign, kind: Kind, language: str, written: Iterable[SubmittedText] = ()) -> list[Question]:
    """The questions of a kind in one language, gold items left out.

    ``written`` are the texts of annotators that this kind takes up: all for ``verify``, accepted ones for
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
    """The questions of a kind whose right answer is known."""
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
        # By the words or the picture alone even the most attentive may be wrong.
        for mode in MODES if item.gold is None else _GOLD_MODES:
            yield Question(kind, item, language, voices, texts[:1], mode)
    elif kind == "real_pair" and texts:
        yield Question(kind, item, language, voices, texts[:1])


def text_language(kind: Kind, language: str) -> str:
    """The language of the text that a question shows."""
    return SOURCE_LANGUAGE if kind == "translate" else language


def alike(texts: Sequence[CampaignText]) -> list[tuple[CampaignText, ...]]:
    """Groups of texts that nobody could tell apart, in the order of their first."""
    groups: dict[str, list[CampaignText]] = {}
    for text in texts:
        groups.setdefault(" ".join(unicodedata.normalize("NFC", text.text).split()), []).append(text)
    return [tuple(group) for group in groups.values()]


def tied_by_themselves(campaign: Campaign, language: str) -> dict[str, tuple[str, ...]]:
    """The items whose texts to vote on all say the same, with the ids of these: tied without anybody being asked."""
    tied = {}
    for item in campaign.items:
        texts = item.texts_for("vote", language)
        if item.gold is None and len(texts) > 1 and len(alike(texts)) == 1:
            tied[item.uid] = tuple(text.id for text in texts)
    return tied
