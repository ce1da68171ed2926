"""Verify: a pair and a correction, rated from 1 (about something else) to 4 (nothing is missing)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.task_form import Fields, TaskForm, both_pictures, number, one, several
from annotate.tasks.answers import Answer

SCORES = (1, 2, 3, 4)
_FLAGS = ("through_object",)  # in case the writer missed it


def _shows(task: Task, services: PageServices) -> dict[str, object]:
    return {**both_pictures(task, services), "shown_text": task.texts[0], "scores": SCORES, "flags": _FLAGS}


def _answer(fields: Fields) -> Answer:
    return {"score": number(fields, "score"), "flags": several(fields, "flags"), "comment": one(fields, "comment")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {
        "score": str(answer["score"]),
        "flags": list(answer.get("flags", ())),
        "comment": answer.get("comment", ""),
    }


FORM = TaskForm("verify", "verify", 30, "form_verify.html", _shows, _answer, _fields)
