"""Write: a pair, and a correction in one's own words, checked by the writing rules during typing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import FLAGS, Task
from annotate.tabs.forms.rules import writing_rules
from annotate.tabs.forms.task_form import Fields, TaskForm, both_pictures, one, several
from annotate.tasks.answers import Answer


def _shows(task: Task, services: PageServices) -> dict[str, object]:
    return {**both_pictures(task, services), "flags": FLAGS, "rules": writing_rules(services, task.language)}


def _answer(fields: Fields) -> Answer:
    return {"text": one(fields, "text"), "flags": several(fields, "flags")}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {"text": answer["text"], "flags": list(answer.get("flags", ()))}


FORM = TaskForm("write", "write", 60, "form_write.html", _shows, _answer, _fields)
