"""Write: a pair, and a correction in one's own words, checked by the writing rules during typing."""

from __future__ import annotations

from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.kinds.task_kind import (
    TEXT,
    TICKS,
    Answer,
    Care,
    QuestionView,
    TaskKind,
    demand,
    read_flags,
    writing_checks,
    writing_rules,
)
from annotate.ports import Ports
from annotate.records import FLAGS, Names, Payload, Seconds, Whole, Words


@dataclass(frozen=True)
class Description(Payload):
    """A correction that an annotator wrote.

    ``words`` is counted as in the writing rules; ``flags`` are those ticked.
    """

    kind: ClassVar[str] = "description"
    text: Words
    words: Whole
    flags: Names = ()
    seconds: Seconds = 0.0


def _read(answer: Answer, view: QuestionView, ports: Ports, seconds: float) -> list[Payload]:
    flags = read_flags(answer)
    words = len(answer["text"].split()) if isinstance(answer["text"], str) else 0
    description = Description(answer["text"], words=words, flags=flags, seconds=seconds)
    is_unchanged, language = "no_clear_difference" in flags, view.question.language
    demand(writing_checks(description.text, language, ports.broken_rules, no_clear_difference=is_unchanged))
    return [description]


WRITE = TaskKind(
    "write",
    Description,
    seconds=60,
    min_seconds=10,
    asks=lambda item, _: [((), None)] if item.to_describe else [],
    read=_read,
    show=lambda description, _, __: {"text": description.text, "flags": list(description.flags)},
    care=lambda description: Care(typed=description.text),
    fields={"text": TEXT, "flags": TICKS},
    values={"flags": FLAGS},
    rules=lambda numbers, script, _: writing_rules(numbers, script),
    shows_text=False,
    several_voices=True,
    is_tested=True,
)
