"""Snapshots: a question as it was shown, kept with its claim, so that it can be answered when no longer asked.

The words of annotators are not copied: they stay in their events alone, and go with these when they are deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from annotate.campaigns.campaign import CampaignText, Item
from annotate.campaigns.questions import Question, SubmittedText, text_language
from annotate.records.api import Kind

Snapshot = Mapping[str, Any]


def snapshot(question: Question) -> Snapshot:
    """The snapshot of a question: everything that an answer to it may mean, as JSON has it."""
    item = question.item
    return {
        "pictures": [item.current, item.target, *item.candidates],
        "answer": item.answer,
        "mode": question.mode,
        "texts": [[text.id, None if question.author else text.text] for text in question.texts],
    }


def restored(
    stored: Snapshot, kind: Kind, language: str, uid: str, written: Callable[[str], SubmittedText | None]
) -> Question:
    """The question of a snapshot; ``written`` finds the words of annotators.

    The text is empty where they were deleted since: what was said about them can be kept all the same.
    """
    current, target, *candidates = stored["pictures"]
    # Checked when the campaign was read that it comes from.
    item = Item.model_construct(
        uid=uid, current=current, target=target, candidates=tuple(candidates), answer=stored["answer"], texts=()
    )
    texts, author = [], ""
    for id_, words in stored["texts"]:
        written_text = written(id_) if words is None else None
        author = written_text.author if written_text else author
        texts.append(written_text.text if written_text else _text(id_, text_language(kind, language), words or ""))
    return Question(kind, item, language, 1, tuple(texts), stored["mode"], author)


def _text(id_: str, language: str, words: str) -> CampaignText:
    return CampaignText.model_construct(id=id_, language=language, source="", text=words, kinds=())
