"""Find the target: which picture a description leads to, given the text, the current picture, or both.

Campaign files, addresses and messages of the page name this kind "find", and stores and datasets name its
record "target_choice".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.task_kind import MODES, NUMBER, Answer, Care, Item, Mode, QuestionView, TaskKind, Texts, read_place
from annotate.records import MaybeName, Payload, Seconds

Position = Annotated[int, Field(ge=0, le=999)]


@dataclass(frozen=True)
class FindTarget(Payload):
    """The candidate that an annotator chose, by position from 0; ``mode`` is what they were shown.

    ``text`` is the id of a text written against a model, which this verifies; empty for one of the campaign.
    """

    kind: ClassVar[str] = "target_choice"
    version: ClassVar[int] = 2  # version 1 had no ``text``
    chosen: Position
    answer: Position
    mode: Mode
    correct: bool
    seconds: Seconds = 0.0
    text: MaybeName = ""

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` if ``correct`` contradicts the positions."""
        if self.correct != (self.chosen == self.answer):
            raise RefusedError("answer_malformed", field="correct")

    @property
    def aspect(self) -> str:
        """The mode, or the text against a model: each is a question of its own."""
        return self.text or self.mode


def _asks(item: Item, texts: Texts) -> Iterator[tuple[Texts, Mode]]:
    if item.candidates and texts:
        # With only the text or only the picture, even an attentive annotator may be wrong.
        for mode in MODES if item.gold is None else MODES[:1]:
            yield texts[:1], mode


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    question, numbers = view.question, view.candidates
    chosen = numbers[read_place(answer, "place", numbers)]
    right = question.item.answer
    if right is None or question.mode is None:
        raise RefusedError("task_unknown")
    text = "" if question.aspect == question.mode else question.aspect
    return [FindTarget(chosen, right, question.mode, correct=chosen == right, seconds=seconds, text=text)]


def _show(choice: FindTarget, view: QuestionView, _: object) -> Answer | None:
    return {"place": view.candidates.index(choice.chosen)} if choice.chosen in view.candidates else None


FIND_TARGET = TaskKind(
    "find_target",
    FindTarget,
    seconds=30,
    min_seconds=2,
    asks=_asks,
    read=_read,
    show=_show,
    care=lambda _: Care(),
    fields={"place": NUMBER},
    values={"keys": "1234567890"},  # one for each of ten pictures; further ones have no key
    has_right_answer=lambda item, _: bool(item.candidates),
    is_right=lambda choice, _: choice.correct if choice.mode == "everything" else None,
    stored="find",
    written="fooling",
    hides_target=True,
    shows_candidates=True,
)
