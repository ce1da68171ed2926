"""A desk: how one kind of work is shown, and how what was filled in there becomes an answer.

The form of a desk holds plain fields. The page's script knows nothing of any kind: it sends the fields as they stand,
keeps them as a draft, and puts them back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotate.errors import RefusedError
from annotate.page_services import PageServices
from annotate.photos.person_crop import PersonCrop, person_crop
from annotate.records.api import Kind, QualificationTest, Task
from annotate.tasks.answers import Answer

Fields = Mapping[str, str | list[str]]

TIED = "tied"
MAX_FIELDS = 100  # questions of the longest test that a campaign may have
MAX_FIELD_CHARS = 200_000  # characters; a longer text is refused before anybody counts its words


@dataclass(frozen=True)
class TaskForm:
    """``shows`` gives the template's values of a task, ``answer`` what its fields say, ``fields`` the way back.

    ``words`` is the section of the page's texts that is about this desk, ``seconds`` what one task takes.
    """

    kind: Kind
    words: str
    seconds: int
    template: str
    shows: Callable[[Task, PageServices], dict[str, object]]
    answer: Callable[[Fields], Answer]
    fields: Callable[[Mapping[str, Any]], dict[str, object]]


def read_fields(action: object) -> Fields:
    """The fields that a browser sent, or ``answer_malformed``."""
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
    """A field with one value; empty where it is missing."""
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""


def several(fields: Fields, name: str) -> list[str]:
    """The ticked boxes of a name."""
    value = fields.get(name, [])
    return [value] if isinstance(value, str) else list(value)


def number(fields: Fields, name: str) -> int:
    """A field that counts something, or ``answer_malformed``."""
    value = one(fields, name)
    if not value.isascii() or not value.isdigit() or len(value) > len("999"):
        raise RefusedError("answer_malformed", field=name)
    return int(value)


def both_pictures(task: Task, services: PageServices) -> dict[str, object]:
    """The pair, as every desk but one shows it, the target over the current, and the square that all are cut to."""
    over = None
    if task.current is not None and task.target is not None:
        over = services.difference(task.current, task.target)
    pair = (("current", task.current), ("target", task.target), ("difference", over))
    pictures = {which: None if file is None else services.picture_uri(file) for which, file in pair}
    return {**pictures, "crop": crop(services, task.current, task.target)}


def crop(services: PageServices, *files: bytes | None) -> PersonCrop | None:
    """The square about the person for all pictures of one question; None where they are shown whole."""
    return person_crop(services.person(file) for file in files if file is not None)


def draft_name(task: Task) -> str:
    """The name of a draft by what is shown: the same after a reload, for that alone, and telling nothing of it."""
    files = (task.current or b"", task.target or b"", *task.candidates)
    return _digest(f"{task.kind}/{task.language}/{task.mode}", files, task.texts)


def draft_name_of_test(test: QualificationTest) -> str:
    """The name of a test's draft, whichever desk it stands before."""
    files = [file or b"" for question in test.questions for file in (question.current, question.target)]
    texts = [text for question in test.questions for text in (question.id, question.text, *question.choices)]
    return _digest(f"test/{test.language}", files, texts)


def _digest(about: str, files: Iterable[bytes], texts: Iterable[str]) -> str:
    digest = hashlib.sha256(about.encode())
    for part in (*files, *(text.encode("utf-8", "replace") for text in texts)):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()[:24]
