"""Compare: a draft and a repair of it, neither named; which one describes the change better."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.task_kind import NUMBER_OR_TIED, TIED, Answer, QuestionView, TaskKind
from annotate.kinds.vote import Chosen, care_of, check_chosen, chosen_ids, chosen_places, shown_ids
from annotate.records import Name, Payload, Seconds


@dataclass(frozen=True)
class Comparison(Payload):
    """The ``better`` of two texts, in the order ``shown``: a draft, and ``of``, a repair of it; both ids mean a tie."""

    kind: ClassVar[str] = "comparison"
    of: Name
    better: Chosen
    shown: Chosen
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` unless two texts were shown, among them the repair and those chosen."""
        if len(set(self.shown)) != len(self.shown) or len(self.shown) != 2 or self.of not in self.shown:  # noqa: PLR2004
            raise RefusedError("answer_malformed", field="shown")
        check_chosen(self.shown, better=self.better)

    @property
    def aspect(self) -> str:
        """The repair: each has its own comparison."""
        return self.of


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    return [Comparison(view.question.texts[0].id, chosen_ids(answer, "better", view), shown_ids(view), seconds)]


COMPARE = TaskKind(
    "compare",
    Comparison,
    seconds=25,
    min_seconds=2,
    asks=lambda _, __: (),
    read=_read,
    show=lambda one, view, _: chosen_places(view, one.shown, better=one.better),
    care=lambda one: care_of(one.better, one.shown),
    fields={"better": NUMBER_OR_TIED},
    values={"tied": TIED},
    shows_text=False,
    written="mended",
    compares_models=True,
    several_voices=True,
)
