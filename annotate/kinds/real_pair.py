"""Real pair: a simulated pair, re-enacted in two photographs without faces, and its description adapted to them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import TEXT, TICKS, Answer, Item, QuestionView, TaskKind, Texts
from annotate.records import Edits, Facts, Name, Payload, Picture, Seconds, Words
from fmp_models.common import word_edits

_BETWEEN = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class RealPair(Payload):
    """Two photographs that re-enact the simulated ``pair``, and its description rewritten for them.

    If the pair has several descriptions, ``text`` holds them all, with an empty line between two. ``edits`` are
    ``(KEEP | DELETE | ADD, word)``; ``checks`` are measurements of the photographs.
    """

    kind: ClassVar[str] = "real_pair"
    current: Picture
    target: Picture
    pair: Name
    text: Words
    edits: Edits = ()
    checks: Facts = field(default_factory=dict)
    seconds: Seconds = 0.0

    @property
    def descriptions(self) -> list[str]:
        """The rewritten descriptions, one by one."""
        return [text.strip() for text in _BETWEEN.split(self.text) if text.strip()]


def _asks(_: Item, texts: Texts) -> Iterator[tuple[Texts, None]]:
    """Yield one question about all descriptions together, since its photographs are for all of them."""
    if texts:
        yield (texts[0].model_copy(update={"text": "\n\n".join(text.text for text in texts)}),), None


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    pair = RealPair(pair=view.question.item.uid, seconds=seconds, **answer)
    return [replace(pair, edits=word_edits(view.question.texts[0].text, pair.text))]


REAL_PAIR = TaskKind(
    "real_pair",
    RealPair,
    seconds=240,
    min_seconds=20,
    asks=_asks,
    read=_read,
    fields={"text": TEXT, "approved": TICKS},
    # The page approves photographs, which the server then adds; see ``RealPairs`` of the tab.
    answer_fields=("current", "target", "text", "checks"),
    re_enacts=True,
    reads_reference=True,
)
