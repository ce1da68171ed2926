"""Fool it: a true description that leads a retriever to another candidate, whose ranking is seen during typing."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field
from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import (
    TEXT,
    Answer,
    Care,
    QuestionView,
    TaskKind,
    demand,
    writing_checks,
    writing_rules,
)
from annotate.ports import ModelRanking, Ports
from annotate.records import MaybeName, Payload, Seconds, Whole, Words, listed

Guide = Literal["unknown_words", "shared_detail"]
Places = Annotated[tuple[Whole, ...], BeforeValidator(listed), Field(max_length=50)]
Share = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Shares = Annotated[tuple[Share, ...], BeforeValidator(listed), Field(max_length=50)]


@dataclass(frozen=True)
class FoolingAttempt(Payload):
    """A description that was tried on a retriever, by a ``guide``: words it does not know, or a detail of others too.

    ``ranking`` holds the numbers of the candidates, best first, and ``probabilities`` are in their order. ``margin`` is
    the target's probability minus the largest other one, and ``rank`` counts from 1; a retriever that sees no current
    picture gives ``language_rank``. ``val_unseen`` is the model's share of right answers on that split by its own
    evaluation. They are empty or 0 if they are not known, as when the model did not answer. ``attempts`` is the
    attempt's number for the task whose answer has the id ``task``.
    """

    kind: ClassVar[str] = "fooling_attempt"
    text: Words
    guide: Guide
    words: Whole
    ranking: Places = field(default=(), compare=False)
    probabilities: Shares = field(default=(), compare=False)
    rank: Whole = field(default=0, compare=False)
    margin: Share = field(default=0.0, compare=False)
    language_rank: Whole = field(default=0, compare=False)
    milliseconds: Seconds = field(default=0.0, compare=False)
    model: MaybeName = field(default="", compare=False)
    revision: MaybeName = field(default="", compare=False)
    val_unseen: Share = field(default=0.0, compare=False)
    attempts: Whole = field(default=0, compare=False)
    task: MaybeName = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The task and the number: each attempt is kept."""
        return f"{self.task}/{self.attempts}"

    @property
    def fooled(self) -> bool:
        """Whether the model ranked another candidate before the target."""
        return self.rank > 1


@dataclass(frozen=True)
class Fooling(FoolingAttempt):
    """The description that an annotator settled on after ``attempts``, for others to find the target by."""

    kind: ClassVar[str] = "fooling"

    @property
    def aspect(self) -> str:
        """Nothing: an item has one in each language."""
        return ""


def rank_of(probabilities: tuple[float, ...], target: int) -> int:
    """Return the rank of the target, from 1; 0 without probabilities."""
    return 1 + sum(one > probabilities[target] for one in probabilities) if probabilities else 0


def ranked(ranking: ModelRanking, target: int) -> dict[str, Any]:
    """Return the fields of a record that hold a model's ranking."""
    probabilities = ranking.probabilities
    others = [one for place, one in enumerate(probabilities) if place != target]
    return {
        "ranking": tuple(sorted(range(len(probabilities)), key=lambda place: -probabilities[place])),
        "probabilities": probabilities,
        "rank": rank_of(probabilities, target),
        "margin": probabilities[target] - max(others),
        "language_rank": rank_of(ranking.language_probabilities, target),
        "milliseconds": ranking.milliseconds,
        "model": ranking.model,
        "revision": ranking.revision,
        "val_unseen": ranking.val_unseen,
    }


def _read(answer: Answer, view: QuestionView, ports: Ports, seconds: float) -> list[Payload]:
    words = len(answer["text"].split()) if isinstance(answer["text"], str) else 0
    written = Fooling(answer["text"], answer["guide"], words, seconds=seconds)
    demand(writing_checks(written.text, view.question.language, ports.broken_rules))
    return [written]


FOOL = TaskKind(
    "fool",
    Fooling,
    seconds=180,
    min_seconds=10,
    asks=lambda item, _: [((), None)] if item.to_fool else [],
    read=_read,
    show=lambda written, _, __: {"text": written.text, "guide": written.guide},
    care=lambda written: Care(typed=written.text),
    fields={"guide": TEXT, "text": TEXT},
    values={"guides": get_args(Guide)},
    rules=lambda numbers, script, _: writing_rules(numbers, script),
    shows_text=False,
    shows_candidates=True,
)
