"""A task form: how one kind of task is shown, and how its fields become an answer.

A form has plain fields. The page's script knows no kinds: it sends the fields as they are, stores them as
a draft, and restores them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.errors import RefusedError
from annotate.page_services import PageServices
from annotate.photos.person_crop import CropPosition, person_crop
from annotate.records.api import Kind, QualificationTest, Task
from annotate.tasks.answers import Answer

Fields = Mapping[str, str | list[str]]

TIED = "tied"
MAX_FIELDS = 100  # the most questions that a campaign's test may have
MAX_FIELD_CHARS = 200_000  # characters; a longer text is rejected before its words are counted


@dataclass(frozen=True)
class TaskForm:
    """A task form: ``shows`` returns template values, ``answer`` converts fields to an answer, ``fields`` back.

    ``words`` is the section of the page's texts for this form, ``seconds`` the duration of one task.
    """

    kind: Kind
    words: str
    seconds: int
    template: str
    shows: Callable[[Task, PageServices], dict[str, object]]
    answer: Callable[[Fields], Answer]
    fields: Callable[[Mapping[str, Any]], dict[str, object]]


def read_fields(action: object) -> Fields:
    """Return the fields that a browser sent; raise :class:`RefusedError` ``answer_malformed`` or ``text_too_long``."""
    if not isinstance(action, Mapping) or len(action) > MAX_FIELDS:
        raise RefusedError("answer_malformed", field="fields")
    fields: dict[str, str | list[str]] = {}
    for name, value in action.items():
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in values) or len(values) > MAX_FIELDS:
            raise RefusedError("answer_malformed", field=str(name)[:40])
        if sum(map(len, values)) > MAX_FIELD_CHARS:
            raise RefusedError("text_too_long", limit=MAX_FIELD_CHARS)
        fields[str(name)] = value
    return fields


def one(fields: Fields, name: str) -> str:
    """Return the value of a field; empty if it is missing or has several."""
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""


def several(fields: Fields, name: str) -> list[str]:
    """Return the ticked boxes of a field."""
    value = fields.get(name, [])
    return [value] if isinstance(value, str) else list(value)


def number(fields: Fields, name: str) -> int:
    """Return the number in a field, up to 999; raise :class:`RefusedError` ``answer_malformed`` otherwise."""
    value = one(fields, name)
    if not value.isascii() or not value.isdigit() or len(value) > len("999"):
        raise RefusedError("answer_malformed", field=name)
    return int(value)


def both_pictures(task: Task, services: PageServices) -> dict[str, object]:
    """Return the template values of a pair: both pictures, the target over the current one, and the common crop."""
    over = None
    if task.current is not None and task.target is not None:
        over = services.difference(task.current, task.target)
    pair = (("current", task.current), ("target", task.target), ("difference", over))
    pictures = {which: None if file is None else services.picture_uri(file) for which, file in pair}
    return {**pictures, "crop": crop(services, task.current, task.target)}


def crop(services: PageServices, *files: bytes | None) -> CropPosition | None:
    """Return the square crop around the person for all pictures of a question; None if they are shown whole."""
    return person_crop(services.person(file) for file in files if file is not None)


def draft_name(task: Task) -> str:
    """Return the name of a task's draft, a hash of what is shown: it survives a reload and reveals nothing."""
    files = (task.current or b"", task.target or b"", *task.candidates)
    return _digest(f"{task.kind}/{task.language}/{task.mode}", files, task.texts)


def draft_name_of_test(test: QualificationTest) -> str:
    """Return the name of a test's draft, which does not depend on the task form."""
    files = [file or b"" for question in test.questions for file in (question.current, question.target)]
    texts = [text for question in test.questions for text in (question.id, question.text, *question.choices)]
    return _digest(f"test/{test.language}", files, texts)


def _digest(about: str, files: Iterable[bytes], texts: Iterable[str]) -> str:
    digest = hashlib.sha256(about.encode())
    for part in (*files, *(text.encode("utf-8", "replace") for text in texts)):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()[:24]
