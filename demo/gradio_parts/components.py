"""Gradio components of the app, the values that they receive, and their wiring to a tab and to endpoints.

The values are those sent by the forms of the page and those sent by programs: photographs, points, body parts,
orientations and joints, each with the function that reads and checks it.

They are separate from the tabs because Gradio writes a stub file beside the module of each component.
"""

from __future__ import annotations

import base64
import functools
import inspect
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard
from urllib.parse import unquote

import anyio
import gradio as gr
import numpy as np
from gradio.data_classes import FileData, GradioModel, GradioRootModel
from gradio.events import Dependency
from pydantic import model_serializer, model_validator

from demo.gradio_parts.gradio_internals import is_in_or_equal
from fmp_models.common import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.estimators import PersonPoint
from fmp_models.geometry import EXCLUDABLE_PARTS
from fmp_models.inference import EXAMPLE, check_body
from fmp_models.pose import JOINTS, Array, Pose
from fmp_models.preprocessing import AS_TAKEN, TURNS, Orientation

MODEL_QUEUE = "model"  # one queue for everything that runs a model
WORKERS = 2  # concurrent calls of that queue; one visitor never takes them all, see demo.serving.call_queue
_MAX_URI_CHARS = 2 * MAX_BYTES  # characters; more than the largest photograph needs
_OWN_UPLOAD = "/gradio_api/file="  # part of the URL of a file uploaded to this app


_MARK = {"_type": "gradio.FileData"}  # marks a value as a file
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|www\.", re.IGNORECASE)


@dataclass(frozen=True)
class NoPhotograph:
    """A value that is not a photograph; ``code`` is the error that says what is wrong with it."""

    code: str


# A photograph as a program sent it: the path of an upload, the bytes of the file, an error, or None.
Sent = str | bytes | NoPhotograph | None


def is_address(place: str) -> bool:
    """Return whether ``place`` is written as a URL; this includes all URLs that Gradio would fetch."""
    return _ADDRESS.match(place) is not None


class UploadsOnly(gr.blocks.Block):
    """A component for uploaded files that never fetches a URL.

    Gradio would fetch a URL completely, however large and slow, while all other visitors wait for the model. A URL is
    passed on unchanged, and the code that reads the photograph rejects it.
    """

    def uploaded(self, address: str) -> str | None:
        """Return the path of the upload that a URL names; ``None`` for any other URL."""
        upload = unquote(address.partition(_OWN_UPLOAD)[2])
        return upload if upload and is_in_or_equal(upload, self.GRADIO_CACHE) else None

    async def async_move_resource_to_block_cache(self, url_or_file_path: str | Path | None) -> str | None:
        """Return the path of an upload, given its path or its URL at this app; return any other URL unchanged."""
        place = str(url_or_file_path)
        if is_address(place):
            upload = self.uploaded(place)
            if upload is None:
                return place
            place = upload
        if not await anyio.Path(place).is_file():  # a folder here would stop Gradio's cleanup for good
            return place
        return await super().async_move_resource_to_block_cache(place)


class Request(GradioModel):
    """A request of the correction form: two uploaded files, the language, the model and the selected people.

    ``whom`` are the points in both photographs that select one of several people. ``leave_out`` are the body parts to
    omit from the answer. ``orientations`` say how each photograph is turned and mirrored, in the form that
    :func:`demo.gradio_parts.components.read_orientation` reads. ``text`` is the visitor's own text, if it is to be
    edited, or a question, and ``history`` holds the questions before it. ``changes`` are those of an imagined target.
    ``difference`` asks for the difference of two pictures of anything instead of a correction.
    """

    current: FileData
    target: FileData
    language: str
    model: str | None = None
    whom: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
    leave_out: tuple[str, ...] = ()
    orientations: tuple[Any, Any] = (None, None)
    text: str = ""
    history: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    difference: bool = False


class Form(UploadsOnly, gr.HTML):
    """The correction form; its value is a :class:`Request` while one is pending, else empty."""

    data_model: type[GradioModel] = Request

    def api_info(self) -> dict[str, Any]:
        """Return a placeholder schema: only the page uses the form, programs call ``/correct``."""
        return {"type": "object"}


class FindRequest(GradioModel):
    """A request of the retrieval form: the current photograph, a description and the candidates.

    ``whom`` is the point in the photograph that selects one of several people.
    """

    current: FileData
    description: str
    candidates: list[FileData]
    whom: tuple[float, float] | None = None


class FindForm(Form):
    """The retrieval form; its value is a :class:`FindRequest` while one is pending, else empty."""

    data_model: type[GradioModel] = FindRequest

    def api_info(self) -> dict[str, Any]:
        """Return a placeholder schema: only the page uses the form, programs call ``/retrieve``."""
        return {"type": "object"}


class GivenFile(GradioRootModel):
    """A file from a program, or the text that it sent instead."""

    root: FileData | str | None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return _file_or_text(value)

    @model_serializer
    def _kept(self) -> None:
        """Serialise to None: Gradio keeps serialised values with the session, and a text may be a whole photograph."""


class GivenFiles(GradioRootModel):
    """Several files from a program; a single one becomes a list of one."""

    root: list[FileData | str | None]

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return [_file_or_text(file) for file in (value if isinstance(value, list) else [value])]

    @model_serializer
    def _kept(self) -> None:
        """Serialise to None, as :class:`GivenFile` does."""


class ApiFiles(UploadsOnly, gr.File):
    """Photographs from a program: uploads by path, or texts that are data URIs or URLs of uploads.

    Files are not copied. A text is never treated as a path: otherwise a program could read files of this machine.
    """

    def read(self, value: FileData | str | None) -> Sent:
        """Return one photograph as a path, bytes, an error or None."""
        if isinstance(value, str):
            return _data_in(value) if value.startswith("data:") else self._by_address(value)
        # Gradio has checked the path: it is in the upload folder, or it is a URL.
        place = None if value is None else str(value.path)
        return self._by_address(place) if place is not None and is_address(place) else place

    def _by_address(self, text: str) -> Sent:
        if not is_address(text):
            return NoPhotograph("photo_is_text" if text else "photo_missing")
        return self.uploaded(text) or NoPhotograph("photo_is_address")


class UploadedPhotograph(ApiFiles):
    """One photograph from a program."""

    is_template = True
    told_as = "Photograph"

    def __init__(self, *, label: str | None = None, visible: bool = True) -> None:
        super().__init__(label=label, visible=visible)
        self.data_model = GivenFile

    def preprocess(self, payload: GivenFile | None) -> Sent:  # type: ignore[override]
        """Return the photograph as it was sent."""
        return None if payload is None else self.read(payload.root)

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see: a file."""
        return _file_schema()


class UploadedPhotographs(ApiFiles):
    """Several photographs from a program."""

    is_template = True
    told_as = "Photographs"

    def __init__(self, *, label: str | None = None, visible: bool = True) -> None:
        super().__init__(label=label, visible=visible, file_count="multiple")
        self.data_model = GivenFiles

    def preprocess(self, payload: GivenFiles | None) -> list[Sent]:  # type: ignore[override]
        """Return the photographs as they were sent, in order."""
        return [] if payload is None else [self.read(photograph) for photograph in payload.root]

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see: a list of files."""
        return {"type": "array", "items": _file_schema()}


@cache  # Gradio asks for it a dozen times per visit; uncached, it took most of its time
def _file_schema() -> dict[str, Any]:
    """Return the schema of a file without references, which the tool server drops; callers must not modify it."""
    file = FileData.model_json_schema()
    file["properties"]["meta"] = file.pop("$defs")["FileDataMeta"]
    del file["description"]
    return file


def _file_or_text(value: object) -> object:
    """Return a file that Gradio recognises, or a text; for an unmarked file, return its path or URL."""
    if isinstance(value, FileData | str):
        return value
    if not isinstance(value, dict):
        return None
    place = value.get("path") or value.get("url")
    if not isinstance(place, str):
        return None
    return value if value.get("meta") == _MARK and "path" in value else place


def _data_in(uri: str) -> bytes | NoPhotograph:
    _, comma, data = uri[:_MAX_URI_CHARS].partition(",")
    try:
        return base64.b64decode(data + "=" * (-len(data) % 4)) if comma else NoPhotograph("photo_broken")
    except ValueError:
        return NoPhotograph("photo_broken")


class ApiText(gr.Textbox):
    """A text from a program; any other value becomes None rather than its Python representation."""

    is_template = True
    told_as = "Text"

    def preprocess(self, payload: str | None) -> str | None:
        """Return the text as it was sent; None for any other value."""
        return payload if isinstance(payload, str) else None


class ApiPage(gr.Number):
    """The number of a page of results, sent by a program; any other value becomes None."""

    is_template = True
    told_as = "Page"

    def preprocess(self, payload: float | None) -> int | None:
        """Return the number as it was sent; None for any other value."""
        return payload if isinstance(payload, int) and payload > 0 else None


class AnswerLanguage(gr.Radio):
    """The language that a program requests; an unknown one is rejected by the app, after the uploads are registered."""

    is_template = True
    told_as = "Language"

    def preprocess(self, payload: str | float | None) -> str:
        """Return the value as a string."""
        return str(payload)


class DescriptionLanguage(gr.Radio):
    """The language of a program's description; optional."""

    is_template = True
    told_as = "Language"

    def preprocess(self, payload: str | float | None) -> str | None:
        """Return the value as a string; None if it is empty."""
        return str(payload) if payload else None


class AnswerModel(gr.Radio):
    """The model that a program requests; the default model of the page if it names none."""

    is_template = True
    told_as = "Model"

    def preprocess(self, payload: str | float | None) -> str | None:
        """Return the value as a string; None if it is missing."""
        return None if payload is None else str(payload)


_AXES = 3


class ApiJoints(UploadsOnly, gr.JSON):
    """The joints of one body, sent by a program; any value is passed on, and nothing is fetched for it."""

    is_template = True
    told_as = "Joints"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see: 20 joints of three metres each."""
        point = {"type": "array", "items": {"type": "number"}}
        return {"type": "array", "items": point, "description": "20 joints of three metres each"}


class ApiBody(ApiJoints):
    """The joints of a body in any format that is read, sent by a program in place of a photograph."""

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see; the value is optional."""
        return {"type": "object", "description": f"a body such as {EXAMPLE}"}


class OwnWords(GradioModel):
    """A correction text that a visitor typed, as the page sends it; every field is untrusted."""

    text: Any = None
    current: Any = None
    target: Any = None
    visibility: Any = None


class OwnWordsForm(Form):
    """The form of typed correction texts; its value is an :class:`OwnWords` while one is pending, else empty."""

    data_model: type[GradioModel] = OwnWords

    def api_info(self) -> dict[str, Any]:
        """Return a placeholder schema: only the page uses the form, programs call ``/demonstrate``."""
        return {"type": "object"}


def read_body(value: object, which: str, visibility: object = None) -> Pose:
    """Return the pose with these joints, of the photograph ``which``.

    Raise :class:`BadInputError` with ``joints_no_body`` and the errors of ``check_body``. If
    ``visibility`` is missing or invalid, all joints count as visible.
    """
    joints = _numbers(value)
    if joints is None:
        raise BadInputError("joints_no_body", which=which)
    return Pose(check_body(joints, which), _visibility(visibility))


def _numbers(value: object) -> Array | None:
    if not isinstance(value, list) or len(value) != len(JOINTS):
        return None
    if any(not isinstance(joint, list) or len(joint) != _AXES or not all(map(is_finite, joint)) for joint in value):
        return None
    return np.array(value, dtype=np.float64)


def _visibility(value: object) -> Array:
    if isinstance(value, list) and len(value) == len(JOINTS) and all(map(is_finite, value)):
        return np.clip(np.array(value, dtype=np.float64), 0.0, 1.0)
    return np.ones(len(JOINTS))


def is_finite(value: object) -> TypeGuard[int | float]:
    """Return whether ``value`` is a finite number; an integer too large for a float is not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


class ApiPoint(UploadsOnly, gr.JSON):
    """A point in a photograph, sent by a program; any value is passed on, and nothing is fetched for it."""

    is_template = True
    told_as = "Place"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see; the value is optional."""
        description = "where in the photograph, from its left and top, in shares of its width and height"
        return {"type": "array", "items": {"type": "number"}, "description": description}


class ApiParts(UploadsOnly, gr.JSON):
    """Body parts to omit, sent by a program; any value is passed on."""

    is_template = True
    told_as = "Body parts"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see; the value is optional."""
        description = "parts of the body that nothing is said of"
        return {
            "type": "array",
            "items": {"type": "string", "enum": list(EXCLUDABLE_PARTS)},
            "description": description,
        }


class ApiHistory(UploadsOnly, gr.JSON):
    """Earlier questions of a conversation, sent by a program; any value is passed on."""

    is_template = True
    told_as = "Earlier questions"
    described = "earlier questions, the oldest first"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see."""
        return {"type": "array", "items": {"type": "string"}, "description": self.described}


class ApiChanges(ApiHistory):
    """Changes of the target pose to imagine, sent by a program; any value is passed on."""

    is_template = True
    told_as = "Changes"
    described = "changes of the target pose, such as left hand at head height"


class ApiOrientation(UploadsOnly, gr.JSON):
    """How a photograph is turned and mirrored, sent by a program; any value is passed on."""

    is_template = True
    told_as = "Orientation"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see; the value is optional."""
        return {
            "type": "object",
            "properties": {"turned_by": {"type": "integer", "enum": list(TURNS)}, "mirrored": {"type": "boolean"}},
            "description": "by how many degrees clockwise the photograph is turned, and whether it is mirrored",
        }


def read_parts(value: object) -> list[object]:
    """Return the body parts to omit as a list; a single value becomes a list of one, and None an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def read_history(value: object) -> list[str]:
    """Return earlier questions; raise BadInputError ``history_unreadable`` for anything but a list of texts."""
    return _texts([] if value is None else value, "history_unreadable")


def read_changes(value: object) -> list[str]:
    """Return the changes to imagine; raise BadInputError ``changes_unreadable`` for anything but texts or one text."""
    return _texts([value] if isinstance(value, str) else value, "changes_unreadable")


def _texts(value: object, otherwise: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInputError(otherwise)
    return value


def read_point(value: object, which: str) -> PersonPoint | None:
    """Return the point that selects a person in the photograph ``which``; None if the program sent none.

    Raise :class:`BadInputError` ``place_outside`` if the value is not a point in a photograph.
    """
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_share, value)):  # noqa: PLR2004  x and y
        raise BadInputError("place_outside").about(which)
    return float(value[0]), float(value[1])


def read_orientation(value: object, which: str) -> Orientation:
    """Return how the photograph ``which`` is turned and mirrored; as taken if the program sent nothing.

    Raise :class:`BadInputError` ``orientation_unknown`` for anything else than an object with ``turned_by`` and
    ``mirrored``.
    """
    if value is None:
        return AS_TAKEN
    if not _is_orientation(value):
        raise BadInputError("orientation_unknown").about(which)
    return Orientation(**value)


def _is_orientation(value: object) -> TypeGuard[dict[str, Any]]:
    if not isinstance(value, dict) or not value.keys() <= {"turned_by", "mirrored"}:
        return False
    turned_by = value.get("turned_by", 0)
    return type(turned_by) is int and turned_by in TURNS and isinstance(value.get("mirrored", False), bool)


def _is_share(value: object) -> bool:
    return is_finite(value) and 0 <= value <= 1


def bind_form(
    form: Form | FindForm, answer: Callable[..., str], empty: Callable[[], str], output: gr.HTML, tab: str
) -> None:
    """Bind ``answer`` to the submission of the form and ``empty`` to its clearing; neither is part of the API."""
    _bind(form.submit, answer, form, output, f"() => window.FMP.forms.{tab}.failed()")
    form.clear(empty, None, output, api_visibility="private", queue=False, show_progress="hidden")


def bind_edit(form: Form, edit: Callable[..., str], edited: gr.HTML, tab: str) -> None:
    """Bind ``edit`` to the form's request to edit a text, with its output in ``edited``; it is not part of the API."""
    _bind(form.apply, edit, form, edited, f"() => window.FMP.forms.{tab}.failed()")


def bind_chat(form: Form, answer: Callable[..., str], reply: gr.HTML, chat: gr.Chatbot) -> None:
    """Bind ``answer`` to a question of the form; the browser adds its ``reply`` to the ``chat``, and empties that."""
    answered = _bind(form.submit, answer, form, reply, "() => window.FMP.forms.ask.failed()")
    show = "(reply) => [window.FMP.forms.ask.replied(JSON.parse(reply))]"
    answered.success(None, reply, chat, js=show, api_visibility="private")
    form.clear(None, None, chat, js="() => [[]]", api_visibility="private")


def bind_own_words(form: Form, answer: Callable[..., str], tried: gr.HTML) -> None:
    """Bind ``answer`` to a visitor's own correction text, with its output in ``tried``; it is not part of the API."""
    _bind(form.submit, answer, form, tried, "() => document.dispatchEvent(new CustomEvent('fmp:untried')) && []")


def add_endpoint(answer: Callable[..., Any], inputs: Sequence[gr.components.Component], name: str, label: str) -> None:
    """Let programs call ``answer`` as ``/name``; its result is described as ``label``.

    The endpoint takes its types from the components ``inputs``, which are never rendered, and its description from the
    docstring of ``answer``.
    """

    @functools.wraps(answer)
    def told(*given: object) -> object:
        return answer(*given)

    told.__doc__ = unfolded(inspect.getdoc(answer) or "")
    gr.Button(visible=False).click(
        told,
        list(inputs),
        gr.JSON(label=label, visible=False),
        api_name=name,
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
    )


def unfolded(docstring: str) -> str:
    """Return a docstring with each parameter and the returns section on one line: Gradio reads one line of each."""
    head, *sections = re.split(r"^(Parameters|Returns):\n", docstring, flags=re.MULTILINE)
    folds = {"Parameters": r"\n {5,}", "Returns": r"\n *"}  # a parameter is indented by four spaces
    bodies = [
        f"{name}:\n    {re.sub(folds[name], ' ', body.strip())}"
        for name, body in zip(sections[::2], sections[1::2], strict=True)
    ]
    return "\n\n".join([head.strip(), *bodies])


def _bind(
    event: Callable[..., Dependency], answer: Callable[..., str], form: Form, output: gr.HTML, failed: str
) -> Dependency:
    """Answer an event of a form, and return the answering; the script ``failed`` runs where that fails."""
    answered = event(
        answer,
        form,
        output,
        api_visibility="private",
        concurrency_id=MODEL_QUEUE,
        concurrency_limit=WORKERS,
        show_progress="hidden",
    )
    answered.failure(None, None, None, js=failed, api_visibility="private")
    return answered
