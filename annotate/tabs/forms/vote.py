"""Vote: a pair and texts of unnamed models; which one describes the change best, and which is written best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotate.page_services import PageServices
from annotate.records.api import Task
from annotate.tabs.forms.task_form import TIED, Fields, TaskForm, both_pictures, number, one
from annotate.tasks.answers import Answer

QUESTIONS = ("relevant", "fluent")


def _shows(task: Task, services: PageServices) -> dict[str, object]:
    return {**both_pictures(task, services), "texts": task.texts, "questions": QUESTIONS, "tied": TIED}


def _answer(fields: Fields) -> Answer:
    return {name: None if one(fields, name) == TIED else number(fields, name) for name in QUESTIONS}


def _fields(answer: Mapping[str, Any]) -> dict[str, object]:
    return {name: TIED if answer[name] is None else str(answer[name]) for name in QUESTIONS}


FORM = TaskForm("vote", "vote", 40, "form_vote.html", _shows, _answer, _fields)
