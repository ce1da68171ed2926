"""Translate: an English correction with its pictures, said again in another language without changing what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.rules import translating_rules
from annotate.tabs.forms.task_form import Desk, Fields, both_pictures, one
from annotate.tasks.answers import Answer


def _shows(task: Task, surface: PageServices) -> dict[str, object]:
    original = task.texts[0]
    rules = translating_rules(surface, task.language, original)
    return {**both_pictures(task, surface), "shown_text": original, "rules": rules}


def _answer(fields: Fields) -> Answer:
    return {"text": one(fields, "text")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {"text": answer["text"]}


DESK = Desk("translate", "translate", 60, "desk_translate.html", _shows, _answer, _fields)
