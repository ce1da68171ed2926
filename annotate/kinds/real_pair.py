"""Real pair: a simulated pair, re-enacted in two photographs without faces, and its description adapted to them."""

from __future__ import annotations

from dataclasses import field, replace
from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import TEXT, TICKS, Answer, QuestionView, TaskKind
from annotate.records import Edits, Facts, Name, Payload, Picture, Seconds, Words, word_edits


@dataclass(frozen=True)
class RealPair(Payload):
    """Two photographs that re-enact the simulated ``pair``, and its description rewritten for them.

    ``edits`` are ``(KEEP | DELETE | ADD, word)``; ``checks`` are measurements of the photographs.
    """

    kind: ClassVar[str] = "real_pair"
    current: Picture
    target: Picture
    pair: Name
    text: Words
    edits: Edits = ()
    checks: Facts = field(default_factory=dict)
    seconds: Seconds = 0.0


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    pair = RealPair(pair=view.question.item.uid, seconds=seconds, **answer)
    return [replace(pair, edits=word_edits(view.question.texts[0].text, pair.text))]


REAL_PAIR = TaskKind(
    "real_pair",
    RealPair,
    seconds=240,
    min_seconds=20,
    asks=lambda _, texts: [(texts[:1], None)] if texts else [],
    read=_read,
    fields={"text": TEXT, "approved": TICKS},
    # The page approves photographs, which the server then adds; see ``RealPairs`` of the tab.
    answer_fields=("current", "target", "text", "checks"),
    re_enacts=True,
    reads_reference=True,
)
