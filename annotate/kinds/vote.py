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
        check_chosen(self.shown, relevant=self.relevant, fluent=self.fluent)


def check_chosen(shown: Names, **chosen: Names) -> None:
    """Raise :class:`RefusedError` for chosen texts that were not shown or are repeated."""
    for name, ids in chosen.items():
        if not set(ids) <= set(shown) or len(set(ids)) < len(ids):
            raise RefusedError("answer_malformed", field=name)


def chosen_ids(answer: Answer, name: str, view: QuestionView) -> Names:
    """Return the ids of the texts that an answer chooses; those of all for a tie."""
    groups = view.texts
    chosen = groups if answer[name] is None else [groups[read_place(answer, name, groups)]]
    return tuple(text.id for group in chosen for text in group)


def shown_ids(view: QuestionView) -> Names:
    """Return the ids of all texts in the order shown."""
    return tuple(text.id for group in view.texts for text in group)


def chosen_places(view: QuestionView, shown: Names, **chosen: Names) -> Answer | None:
    """Return the chosen texts as the answer that the page sent; None if the question now shows other texts."""
    places = {text.id: place for place, group in enumerate(view.texts) for text in group}
    if places.keys() != set(shown):
        return None
    return {name: None if len(ids) == len(shown) else places[ids[0]] for name, ids in chosen.items()}


def care_of(chosen: Names, shown: Names) -> Care:
    """Return what a choice of texts tells about the care of its annotator."""
    share = len(chosen) / len(shown)
    if share == 1:
        return Care(read=shown, side="tied")
    return Care(read=shown, side=f"place {shown.index(chosen[0])}", luck=share)


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
    relevant, fluent = (chosen_ids(answer, name, view) for name in QUESTIONS)
    return [Vote(relevant, fluent, shown_ids(view), seconds)]


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
    show=lambda vote, view, _: chosen_places(view, vote.shown, relevant=vote.relevant, fluent=vote.fluent),
    care=lambda vote: care_of(vote.relevant, vote.shown),
    fields=dict.fromkeys(QUESTIONS, NUMBER_OR_TIED),
    values={"questions": QUESTIONS, "tied": TIED},
    has_right_answer=lambda item, gold: bool(gold.relevant) and set(gold.relevant) <= {text.id for text in item.texts},
    is_right=_is_right,
    compares_models=True,
    several_voices=True,
)
