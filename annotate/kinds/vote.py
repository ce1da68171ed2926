"""Vote: a pair and texts of unnamed models; which one describes the change best, and which is written best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.task_kind import (
    NUMBER_OR_TIED,
    TIED,
    Answer,
    Care,
    Gold,
    Item,
    QuestionView,
    TaskKind,
    alike,
    read_place,
)
from annotate.records import Names, Payload, Seconds

QUESTIONS = ("relevant", "fluent")

Chosen = Annotated[Names, Field(min_length=1)]


@dataclass(frozen=True)
class Vote(Payload):
    """The most ``relevant`` and the most ``fluent`` of the texts ``shown``, in that order; several ids mean a tie."""

    kind: ClassVar[str] = "vote"
    relevant: Chosen
    fluent: Chosen
    shown: Chosen
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` for texts that were not shown or are repeated."""
        for name in QUESTIONS:
            ids = getattr(self, name)
            if not set(ids) <= set(self.shown) or len(set(ids)) < len(ids):
                raise RefusedError("answer_malformed", field=name)


def tied_by_themselves(items: Iterable[Item], language: str) -> dict[str, tuple[str, ...]]:
    """Return the items whose texts to vote on all read the same, with the ids of the texts.

    Such items are tied without a vote.
    """
    compared = {item.uid: item.texts_for(VOTE.key, language) for item in items if item.gold is None}
    return {
        uid: tuple(text.id for text in texts)
        for uid, texts in compared.items()
        if len(texts) > 1 and len(alike(texts)) == 1
    }


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    groups = view.texts
    ids = tuple(text.id for group in groups for text in group)

    def chosen(name: str) -> tuple[str, ...]:
        return ids if answer[name] is None else tuple(text.id for text in groups[read_place(answer, name, groups)])

    return [Vote(chosen("relevant"), chosen("fluent"), ids, seconds)]


def _show(vote: Vote, view: QuestionView, _: object) -> Answer | None:
    places = {text.id: place for place, group in enumerate(view.texts) for text in group}
    if places.keys() != set(vote.shown):
        return None
    chosen = {"relevant": vote.relevant, "fluent": vote.fluent}
    return {name: None if len(ids) == len(vote.shown) else places[ids[0]] for name, ids in chosen.items()}


def _care(vote: Vote) -> Care:
    share = len(vote.relevant) / len(vote.shown)
    if share == 1:
        return Care(read=vote.shown, side="tied")
    return Care(read=vote.shown, side=f"place {vote.shown.index(vote.relevant[0])}", luck=share)


def _is_right(vote: Vote, gold: Gold) -> bool:
    """Return whether the vote is for right texts alone, or for all texts if all are right, since they read the same."""
    right = set(gold.relevant)
    return set(vote.relevant) <= right and (right != set(vote.shown) or right == set(vote.relevant))


VOTE = TaskKind(
    "vote",
    Vote,
    seconds=40,
    min_seconds=3,
    asks=lambda item, texts: [(texts, None)] if len(alike(texts)) > 1 or (item.gold and texts) else [],
    read=_read,
    show=_show,
    care=_care,
    fields=dict.fromkeys(QUESTIONS, NUMBER_OR_TIED),
    values={"questions": QUESTIONS, "tied": TIED},
    has_right_answer=lambda item, gold: bool(gold.relevant) and set(gold.relevant) <= {text.id for text in item.texts},
    is_right=_is_right,
    compares_models=True,
    several_voices=True,
)
