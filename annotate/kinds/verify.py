"""Verify: a pair and a correction, rated from 1 (about something else) to 4 (nothing is missing)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field
from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import NUMBER, TEXT, TICKS, Answer, Care, QuestionView, TaskKind, each_text, read_flags
from annotate.records import Flag, MaybeWords, Name, Payload, Seconds


@dataclass(frozen=True)
class Rating(Payload):
    """A rating of how well ``text`` (its id) describes the change: from 1, unrelated, to 4, perfect."""

    kind: ClassVar[str] = "rating"
    text: Name
    score: Annotated[int, Field(ge=1, le=4)]
    comment: MaybeWords = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has its own rating."""
        return self.text


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    rating = Rating(view.question.texts[0].id, answer["score"], answer.get("comment", ""), seconds)
    return [rating, *(Flag(flag) for flag in read_flags(answer))]


VERIFY = TaskKind(
    "verify",
    Rating,
    seconds=30,
    min_seconds=2,
    asks=each_text,
    read=_read,
    show=lambda rating, _, flags: {"score": rating.score, "comment": rating.comment, "flags": list(flags)},
    care=lambda rating: Care(read=(rating.text,), side=f"score {rating.score}"),
    fields={"score": NUMBER, "flags": TICKS, "comment": TEXT},
    values={"scores": (1, 2, 3, 4), "flags": ("through_object",)},  # in case the writer missed it
    has_right_answer=lambda _, gold: gold.least <= gold.most and (gold.least, gold.most) != (1, 4),
    is_right=lambda rating, gold: gold.least <= rating.score <= gold.most,
    written="all",
    several_voices=True,
    reads_reference=True,
    is_tested=True,
)
