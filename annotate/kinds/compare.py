"""Compare: a draft and a repair of it, neither named; which one describes the change better."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.task_kind import NUMBER_OR_TIED, TIED, Answer, Care, QuestionView, TaskKind, read_place
from annotate.kinds.vote import Chosen
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
        if not set(self.better) <= set(self.shown) or len(set(self.better)) < len(self.better):
            raise RefusedError("answer_malformed", field="better")

    @property
    def aspect(self) -> str:
        """The repair: each has its own comparison."""
        return self.of


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    shown = tuple(text.id for (text,) in view.texts)
    better = shown if answer["better"] is None else (shown[read_place(answer, "better", shown)],)
    return [Comparison(view.question.texts[0].id, better, shown, seconds)]


def _show(comparison: Comparison, view: QuestionView, _: object) -> Answer | None:
    shown = tuple(text.id for (text,) in view.texts)
    if shown != comparison.shown:
        return None
    is_tied = len(comparison.better) == len(shown)
    return {"better": None if is_tied else shown.index(comparison.better[0])}


def _care(comparison: Comparison) -> Care:
    if comparison.better == comparison.shown:
        return Care(read=comparison.shown, side="tied")
    return Care(read=comparison.shown, side=f"place {comparison.shown.index(comparison.better[0])}", luck=0.5)


COMPARE = TaskKind(
    "compare",
    Comparison,
    seconds=25,
    min_seconds=2,
    asks=lambda _, __: (),
    read=_read,
    show=_show,
    care=_care,
    fields={"better": NUMBER_OR_TIED},
    values={"tied": TIED},
    shows_text=False,
    written="mended",
    compares_models=True,
    several_voices=True,
)
