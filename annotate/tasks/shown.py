"""A held question as the page may see it: a task, in which nothing tells who wrote which text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.campaigns.campaign import Campaign
from annotate.records.api import Task
from annotate.tasks.policy import QuestionView
from annotate.tasks.scheduler import Held


def shown_task(held: Held, view: QuestionView, campaign: Campaign, given: Mapping[str, Any] | None) -> Task:
    """The task of a claim, in the order of a ``view``; ``given`` is the answer that an undo took back."""
    question = held.question
    item, mode, picture = question.item, question.mode, campaign.picture
    candidates = view.candidates if question.kind == "find" else ()
    return Task(
        token=held.claim.token,
        kind=question.kind,
        language=question.language,
        current=None if mode == "language" else picture(item.current),
        target=None if question.kind == "find" else picture(item.target),
        texts=() if mode == "picture" else tuple(group[0].text for group in view.texts),
        candidates=tuple(picture(item.candidates[number]) for number in candidates),
        mode=mode,
        given=given,
    )
