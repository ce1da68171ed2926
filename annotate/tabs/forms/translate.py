"""Translate: an English correction with its pictures, to be written in another language with the same meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.rules import translating_rules
from annotate.tabs.forms.task_form import Fields, TaskForm, both_pictures, one
from annotate.tasks.answers import Answer


def _shows(task: Task, services: PageServices) -> dict[str, object]:
    original = task.texts[0]
    rules = translating_rules(services, task.language, original)
    return {**both_pictures(task, services), "shown_text": original, "rules": rules}


def _answer(fields: Fields) -> Answer:
    return {"text": one(fields, "text")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {"text": answer["text"]}


FORM = TaskForm("translate", "translate", 60, "form_translate.html", _shows, _answer, _fields)
