"""Gradio components of the app: values sent by the form and values sent by programs.

They are separate from the tabs because Gradio writes a stub file beside the module of each component.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import gradio as gr
from gradio.data_classes import FileData, GradioModel, GradioRootModel
from pydantic import model_serializer, model_validator

from demo.gradio_parts.gradio_internals import is_in_or_equal
from fmp_models.common.hostile_photograph import MAX_BYTES

MODEL_QUEUE = "model"  # one queue for everything that runs a model
WORKERS = 2  # concurrent calls of that queue; one visitor never takes them all, see demo.serving.fair_queue
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
    :func:`demo.gradio_parts.api_inputs.orientation` reads.
    """

    current: FileData
    target: FileData
    language: str
    model: str | None = None
    whom: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
    leave_out: tuple[str, ...] = ()
    orientations: tuple[Any, Any] = (None, None)


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
