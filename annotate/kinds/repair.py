"""Repair: a draft with its pictures, mended by deleting and adding words; the edits are stored with the mended text."""

from __future__ import annotations

import json
from typing import ClassVar

from pydantic.dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.kinds.questions import QUESTIONS
from annotate.kinds.task_kind import Answer, Care, Fields, FormField, QuestionView, TaskKind, each_text, one
from annotate.kinds.vote import VOTE
from annotate.records import Checked, Edits, MaybeName, Name, Payload, Seconds, Whole, Words, cleaned_text
from fmp_models.common import ADD, KEEP, text_after, word_edits

_BLIND = {VOTE.key, QUESTIONS.key}  # kinds that show the same texts and must not tell their models


@dataclass(frozen=True)
class Repair(Payload):
    """The ``edits`` that lead from the text ``draft``, whose id is ``of``, to the mended ``text``.

    Edits are ``(KEEP | DELETE | ADD, word)``. ``editing_steps`` counts deleted and added words: 0 if nothing was wrong.
    ``model`` is the model or other source of the draft, empty if people still vote on the draft or judge it.
    """

    kind: ClassVar[str] = "repair"
    of: Name
    draft: Words
    text: Words
    edits: Edits
    editing_steps: Whole
    model: MaybeName = ""
    seconds: Seconds = 0.0

    def __post_init__(self) -> None:
        """Raise :class:`RefusedError` ``edits_unfit`` unless the edits lead, word by word, from draft to text."""
        before = [word for operation, word in self.edits if operation != ADD]
        added = [word for operation, word in self.edits if operation == ADD]
        steps = sum(operation != KEEP for operation, _ in self.edits)
        fits = before == _words(self.draft) and all(word.split() == [word] for word in added)
        if not fits or text_after(self.edits) != self.text or steps != self.editing_steps:
            raise RefusedError("edits_unfit")

    @property
    def aspect(self) -> str:
        """The draft: each has its own repair."""
        return self.of


@dataclass(frozen=True)
class _Trace(Checked):
    edits: Edits


def _words(text: str) -> list[str]:
    return [word for _, word in word_edits(text, text)]


def _read(answer: Answer, view: QuestionView, _: object, seconds: float) -> list[Payload]:
    (draft,), edits = view.question.texts, _Trace(answer["edits"]).edits
    steps = sum(operation != KEEP for operation, _ in edits)
    model = draft.source if _BLIND.isdisjoint(draft.kinds) else ""
    return [Repair(draft.id, cleaned_text(draft.text), text_after(edits), edits, steps, model, seconds)]


def _show(repair: Repair, view: QuestionView, _: object) -> Answer | None:
    is_same = repair.draft == cleaned_text(view.question.texts[0].text)
    return {"edits": [list(edit) for edit in repair.edits]} if is_same else None


def _read_json(fields: Fields, name: str) -> object:
    try:
        return json.loads(one(fields, name))
    except (ValueError, RecursionError):
        raise RefusedError("answer_malformed", field=name) from None


def _as_json(edits: object) -> str:
    return json.dumps(edits, ensure_ascii=False, separators=(",", ":"))


REPAIR = TaskKind(
    "repair",
    Repair,
    seconds=45,
    min_seconds=3,
    asks=each_text,
    read=_read,
    show=_show,
    care=lambda repair: Care(read=(repair.of,)),
    fields={"edits": FormField(_read_json, _as_json)},
    values={"unedited": lambda text: _as_json([(KEEP, word) for word in _words(cleaned_text(text))])},
    per_text=True,
    is_tested=True,
)
