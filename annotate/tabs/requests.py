"""Requests of the page: the services that the page provides, the action, its fields, and the response to an error."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from annotate.errors import SENTENCES, STOPPING, STORE_AWAY, RefusedError
from annotate.identity import Annotator
from annotate.kinds import TASK_KINDS, Fields, QualificationTest, Task, WritingRules, writing_rules
from annotate.photos import CropPosition, SeenPerson, person_crop
from annotate.tasks import MAX_LINK_ID_CHARS, participant_id

# Services that the page provides to the annotation tab: templates, texts, pictures and the rules for texts.


class PageWords(Protocol):
    """A text in every language of the page."""

    @property
    def by_language(self) -> dict[str, str]:
        """The text by language: ``{"en": ..., "hi": ...}``."""


class Render(Protocol):
    """A renderer of templates by name; all values except markup are escaped."""

    def __call__(self, template: str, **values: object) -> str:
        """Return the markup."""


class Say(Protocol):
    """A lookup of page texts by key, with their placeholders filled."""

    def __call__(self, key: str, **places: str | float) -> PageWords:
        """Return the text in every language."""


class LentText(Protocol):
    """A converter of other texts, such as a campaign's title; a missing language gets the text of another one."""

    def __call__(self, by_language: Mapping[str, str]) -> PageWords:
        """Return the text in every language."""


class Script(Protocol):
    """A reader of the page's script files."""

    def __call__(self, *names: str) -> str:
        """Return the source of the files, concatenated."""


class PictureUri(Protocol):
    """A converter of JPEG files to data URIs, which are sent within the markup."""

    def __call__(self, file: bytes) -> str:
        """Return the data URI."""


class DifferencePicture(Protocol):
    """The paper's Figure 9: the current picture with the target's person over it in red."""

    def __call__(self, current: bytes, target: bytes) -> bytes | None:
        """Return a JPEG file; None if the pictures differ in size and cannot be overlaid."""


class FindPerson(Protocol):
    """A detector of the largest person in a campaign's picture; it is called repeatedly for the same picture."""

    def __call__(self, picture: bytes, /) -> SeenPerson | None:
        """Return the person; None if there is none."""


def find_nobody(_: bytes) -> SeenPerson | None:
    """Return None: without a detector, pictures are shown whole."""
    return None


@dataclass(frozen=True)
class PageServices:
    """The services of the page; ``refusal`` returns the text of a code of ``annotate.errors``.

    ``scripts`` is the Unicode script of each language, which distinguishes a translation from its original. ``contact``
    tells people whom to ask.
    """

    render: Render
    text: Say
    refusal: Say
    lent_text: LentText
    script: Script
    picture_uri: PictureUri
    difference: DifferencePicture
    rules: WritingRules | None
    scripts: Mapping[str, str]
    person: FindPerson = find_nobody
    contact: PageWords | None = None


# Requests of the page: the annotator, the action, and the response to an error.

_log = logging.getLogger(__name__)
_MAX_NAME_CHARS = 2000  # characters of a name or an id; texts that annotators write are fields and never truncated

Action = Mapping[str, Any]
Response = dict[str, Any]


@dataclass(frozen=True)
class Context:
    """A request by ``annotator`` with the page's ``action``; ``participant`` is their id at a payment service."""

    annotator: Annotator
    action: Action
    participant: str = ""

    def text(self, name: str) -> str:
        """Return a short text of the action; empty if it has none."""
        return short_text(self.action, name)

    @property
    def link(self) -> str:
        """The ids of participant, study and session in a link, separated by spaces; empty without a participant."""
        others = (participant_id(self.action.get(name), MAX_LINK_ID_CHARS) for name in ("study", "session"))
        return " ".join((self.participant, *others)).rstrip() if self.participant else ""

    @property
    def spares(self) -> bool:
        """Whether to leave out pairs whose target the annotator has yet to find; false if they asked for them."""
        return self.action.get("unsparing") is not True


def short_text(action: Action, name: str) -> str:
    """Return a name or an id of an action; empty if it has none."""
    value = action.get(name)
    return value[:_MAX_NAME_CHARS] if isinstance(value, str) else ""


def refusal_response(error: RefusedError, services: PageServices) -> Response:
    """Return the response to an error: its code, and a sentence in every language.

    Errors that only the owner may see are logged.
    """
    if error.code not in SENTENCES:
        _log.error("%s", error.sentence)
        if error.code not in STORE_AWAY:
            return {"outcome": "fault"}
        error = RefusedError("store_away")
    rules = str(error.details["rules"]).split() if error.code == "rules_broken" else []
    places = writing_rules(services.rules, "").places
    broken = [services.text(f"checks.{rule}", **places.get(rule, {})) for rule in rules]
    sentence = services.refusal(error.code, **error.details)
    contact = services.contact if error.code in STOPPING else None
    html = services.render("refusal.html", sentence=sentence, broken=broken, contact=contact)
    puzzle = {"puzzle": error.details["puzzle"]} if error.code == "proof_needed" else {}
    return {"outcome": "refused", "code": error.code, "html": html, **puzzle}


# Task forms: the fields that a browser sends, the template values of a task, and the names of drafts.

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
        "crop": crop(services, task.current, task.target, *task.candidates, *task.further),
        "mode": task.mode,
        "pictures": [uri(file) for file in (task.current, task.target, *task.further) if file is not None],
        "asked": task.asked,
        "dialogue": task.dialogue,
        "lent": services.lent_text,
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
    files = (task.current or b"", task.target or b"", *task.candidates, *task.further)
    place = f"/{task.dialogue.round}" if task.dialogue else ""  # two rounds may read the same
    return _digest(f"{task.kind}/{task.language}/{task.mode}{place}", files, task.texts)


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
