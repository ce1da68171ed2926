"""Find: which of the pictures does the description lead to, with everything to go by, the words alone, or a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.task_form import Desk, Fields, crop, number
from annotate.tasks.answers import Answer

KEYS = "1234567890"  # one for each of ten pictures; further ones are chosen by hand


def _shows(task: Task, surface: PageServices) -> dict[str, object]:
    return {
        "current": None if task.current is None else surface.picture_uri(task.current),
        "shown_text": task.texts[0] if task.texts else None,
        "candidates": [surface.picture_uri(file) for file in task.candidates],
        "keys": KEYS,
        "crop": crop(surface, task.current, *task.candidates),
    }


def _answer(fields: Fields) -> Answer:
    return {"place": number(fields, "place")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {"place": str(answer["place"])}


DESK = Desk("find", "pick", 30, "desk_find.html", _shows, _answer, _fields)
