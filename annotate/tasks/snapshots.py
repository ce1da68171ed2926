"""Snapshots of questions: stored with their claims, so that a question can be answered after it was dropped.

Annotators' texts are not copied: they are stored only in their events and are deleted with them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import CampaignText, Item, Question, SubmittedText
from annotate.records.api import Kind

Snapshot = Mapping[str, Any]


def snapshot(question: Question) -> Snapshot:
    """Return the snapshot of a question as JSON values: everything that an answer may refer to."""
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
    """Return the question of a snapshot; ``written`` finds an annotator's text by id.

    A text that was deleted since is empty; answers about it can still be stored.
    """
    current, target, *candidates = stored["pictures"]
    # Validated when its campaign was read.
    item = Item.model_construct(
        uid=uid, current=current, target=target, candidates=tuple(candidates), answer=stored["answer"], texts=()
    )
    task_kind, texts, author = TASK_KINDS[kind], list[CampaignText](), ""
    for id_, words in stored["texts"]:
        written_text = written(id_) if words is None else None
        author = written_text.author if written_text else author
        own = {"id": id_, "language": task_kind.text_language(language), "source": "", "text": words or "", "kinds": ()}
        texts.append(written_text.text if written_text else CampaignText.model_construct(**own))
    return task_kind.question(item, language, 1, tuple(texts), stored["mode"], author=author)
