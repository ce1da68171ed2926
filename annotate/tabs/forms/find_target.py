"""Find: which picture a description leads to, given the text, the current picture, or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.task_form import Fields, TaskForm, crop, number
from annotate.tasks.answers import Answer

KEYS = "1234567890"  # one for each of ten pictures; further ones have no key


def _shows(task: Task, services: PageServices) -> dict[str, object]:
    return {
        "current": None if task.current is None else services.picture_uri(task.current),
        "shown_text": task.texts[0] if task.texts else None,
        "candidates": [services.picture_uri(file) for file in task.candidates],
        "keys": KEYS,
        "crop": crop(services, task.current, *task.candidates),
    }


def _answer(fields: Fields) -> Answer:
    return {"place": number(fields, "place")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {"place": str(answer["place"])}


FORM = TaskForm("find", "find_target", 30, "form_find_target.html", _shows, _answer, _fields)
