"""Translate: an English correction with its pictures, to be written in another language with the same meaning."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import (
    TEXT,
    Answer,
    Care,
    QuestionView,
    TaskKind,
    demand,
    each_text,
    translating_rules,
    translation_checks,
)
from annotate.records import Name, Payload, Seconds, Words


@dataclass(frozen=True)
class Translation(Payload):
    """A translation of the text ``of`` (its id) into the event's language."""

    kind: ClassVar[str] = "translation"
    text: Words
    of: Name
    seconds: Seconds = 0.0

    @property
    def aspect(self) -> str:
        """The text: each has its own translation."""
        return self.of


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    original = view.question.texts[0]
    translation = Translation(answer["text"], of=original.id, seconds=seconds)
    # If the original was deleted meanwhile, the length cannot be compared.
    demand(translation_checks(translation.text, original.text or translation.text, view.question.language))
    return [translation]


TRANSLATE = TaskKind(
    "translate",
    Translation,
    seconds=60,
    min_seconds=8,
    asks=each_text,
    read=_read,
    care=lambda translation: Care(typed=translation.text),
    fields={"text": TEXT},
    rules=lambda _, script, original: translating_rules(script, original),
    written="accepted",
    from_source=True,
    reads_reference=True,
    is_tested=True,
)
