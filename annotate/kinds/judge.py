"""Judge: an answer to a question about a pair, verified after the conversation that led to it."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import TEXT, Answer, Care, QuestionView, TaskKind
from annotate.records import MaybeWords, Name, Payload, Seconds, Whole, Words

Judgement = Literal["right", "wrong", "cannot_tell"]


@dataclass(frozen=True)
class DialogueJudged(Payload):
    """The ``verdict`` on an answer in a dialogue; ``text`` is its id in the campaign, the others are in its round."""

    kind: ClassVar[str] = "dialogue_judged"
    text: Name
    verdict: Judgement
    dialogue_id: Name
    round: Whole
    question: Words
    answer: Words
    program: Words
    question_kind: Name
    dependence: Name
    distance: Whole
    comment: MaybeWords = ""
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has its own verdict."""
        return self.text


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    (text,) = view.question.texts
    about = text.dialogue.model_dump(exclude={"caption", "earlier"}) if text.dialogue else {}
    return [DialogueJudged(text=text.id, **{"comment": "", **answer}, seconds=seconds, **about)]


JUDGE = TaskKind(
    "judge",
    DialogueJudged,
    seconds=20,
    min_seconds=2,
    asks=lambda _, texts: (((text,), None) for text in texts if text.dialogue),
    read=_read,
    show=lambda judged, _, __: {"verdict": judged.verdict, "comment": judged.comment},
    care=lambda judged: Care(read=(judged.text,)),  # no side: nearly all answers are right
    fields={"verdict": TEXT, "comment": TEXT},
    values={"verdicts": ("right", "wrong", "cannot_tell")},
    has_right_answer=lambda _, gold: gold.verdict is not None,
    is_right=lambda judged, gold: None if judged.verdict == "cannot_tell" else judged.verdict == gold.verdict,
    per_text=True,
    several_voices=True,
)
