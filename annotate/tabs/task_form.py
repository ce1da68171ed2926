"""Task forms: the fields that a browser sends, the template values of a task, and the names of drafts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from annotate.errors import RefusedError
from annotate.kinds.registry import TASK_KINDS
from annotate.kinds.task_kind import Fields
from annotate.page_services import PageServices
from annotate.photos.person_crop import CropPosition, person_crop
from annotate.records.api import QualificationTest, Task

MAX_FIELDS = 100  # the most questions that a campaign's test may have
MAX_FIELD_CHARS = 200_000  # characters; a longer text is rejected before its words are counted


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


def shown_values(task: Task, services: PageServices) -> dict[str, object]:
    """Return the template values of a task: its pictures and texts, and the values and rules of its kind."""
    kind, uri = TASK_KINDS[task.kind], services.picture_uri
    over = services.difference(task.current, task.target) if task.current and task.target else None
    pair = {"current": task.current, "target": task.target, "difference": over}
    values: dict[str, object] = {
        **{which: None if file is None else uri(file) for which, file in pair.items()},
        "candidates": [uri(file) for file in task.candidates],
        "crop": crop(services, task.current, task.target, *task.candidates),
        "mode": task.mode,
        "texts": task.texts,
        "shown_text": task.texts[0] if task.texts else None,
        **kind.values,
    }
    if kind.rules is not None:
        original = task.texts[0] if task.texts else ""
        values["rules"] = kind.rules(services.rules, services.scripts.get(task.language, ""), original)
    return values


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
