"""Gradio components of our own: what the form sends, and what a program sends.

They stand apart from the tabs because Gradio writes a stub beside the module of each component.
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

from fmp_models.common.hostile_photograph import MAX_BYTES

MODEL_QUEUE = "model"  # one queue for everything that runs a model
WORKERS = 2  # that serve it: one visitor never has them all, see demo.serving.fair_queue
_LONGEST_URI = 2 * MAX_BYTES  # characters: more than the largest photograph needs
_OWN_UPLOAD = "/gradio_api/file="  # in an address that names a file sent to this app before


_MARK = {"_type": "gradio.FileData"}  # how a file says that it is one
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|www\.", re.IGNORECASE)


@dataclass(frozen=True)
class NoPhotograph:
    """The fault of what came in place of a photograph; ``code`` is the error that says what is wrong with it."""

    code: str


# A photograph as a program sent it: the path of an upload, the file's bytes, or nothing.
Sent = str | bytes | NoPhotograph | None


def is_address(place: str) -> bool:
    """Whether ``place`` is written as an address: all that Gradio would fetch, and more."""
    return _ADDRESS.match(place) is not None


class UploadsOnly(gr.blocks.Block):
    """A component of files that were sent here; it never goes and fetches an address.

    Gradio would fetch it whole, however large and slow, while everybody else waits for the model. An address stays
    what it is, and whoever reads the photograph refuses it.
    """

    def uploaded(self, address: str) -> str | None:
        """The path of the upload that an address names; ``None`` for any other address."""
        upload = unquote(address.partition(_OWN_UPLOAD)[2])
        return upload if upload and gr.utils.is_in_or_equal(upload, self.GRADIO_CACHE) else None

    async def async_move_resource_to_block_cache(self, url_or_file_path: str | Path | None) -> str | None:
        """The path of an upload, by its path or by its address here; any other address unchanged."""
        place = str(url_or_file_path)
        if is_address(place):
            upload = self.uploaded(place)
            if upload is None:
                return place
            place = upload
        if not await anyio.Path(place).is_file():  # Gradio's sweep would end for good at a folder
            return place
        return await super().async_move_resource_to_block_cache(place)


class Request(GradioModel):
    """The request of the form: two uploaded files, the answer's language, who is to write it, and whom it is about.

    ``whom`` are the places in both photographs of the people who were chosen of several, ``leave_out`` the parts of the
    body that nothing is to be said of, ``orientations`` how each photograph is turned and mirrored, in the form that
    :func:`demo.gradio_parts.given_place.orientation` reads.
    """

    current: FileData
    target: FileData
    language: str
    model: str | None = None
    whom: tuple[tuple[float, float] | None, tuple[float, float] | None] = (None, None)
    leave_out: tuple[str, ...] = ()
    orientations: tuple[Any, Any] = (None, None)


class Form(UploadsOnly, gr.HTML):
    """The form; its value is a :class:`Request` while one is on its way, else nothing."""

    data_model: type[GradioModel] = Request

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/correct``."""
        return {"type": "object"}


class FindRequest(GradioModel):
    """The request of the other tab's form: the current photograph, a description, and what to choose from.

    ``whom`` is the place in the photograph of who was chosen of several people.
    """

    current: FileData
    description: str
    candidates: list[FileData]
    whom: tuple[float, float] | None = None


class FindForm(Form):
    """The form of the other tab; its value is a :class:`FindRequest` while one is on its way, else nothing."""

    data_model: type[GradioModel] = FindRequest

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/retrieve``."""
        return {"type": "object"}


class GivenFile(GradioRootModel):
    """A file as a program gives it, or the text that it gave in place of one."""

    root: FileData | str | None

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return _file_or_text(value)

    @model_serializer
    def _kept(self) -> None:
        """Nothing: Gradio keeps what it serialises with the session, and a text may be a whole photograph."""


class GivenFiles(GradioRootModel):
    """Several of them; one alone counts as a list of one."""

    root: list[FileData | str | None]

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        return [_file_or_text(file) for file in (value if isinstance(value, list) else [value])]

    @model_serializer
    def _kept(self) -> None:
        """Nothing, as of one."""


class FilesOfPrograms(UploadsOnly, gr.File):
    """What a program gives for photographs: uploads by their path, texts that are data URIs or addresses of uploads.

    Nothing is copied, and a text is never a path: whoever could name one could read this machine.
    """

    def read(self, value: FileData | str | None) -> Sent:
        """The photograph of one file, as whoever reads photographs is handed it on."""
        if isinstance(value, str):
            return _data_in(value) if value.startswith("data:") else self._by_address(value)
        # Gradio let the path pass: it lies among the uploads, or it is an address.
        place = None if value is None else str(value.path)
        return self._by_address(place) if place is not None and is_address(place) else place

    def _by_address(self, text: str) -> Sent:
        if not is_address(text):
            return NoPhotograph("photo_is_text" if text else "photo_missing")
        return self.uploaded(text) or NoPhotograph("photo_is_address")


class UploadedPhotograph(FilesOfPrograms):
    """One file of a program."""

    is_template = True
    told_as = "Photograph"

    def __init__(self, *, label: str | None = None, visible: bool = True) -> None:
        super().__init__(label=label, visible=visible)
        self.data_model = GivenFile

    def preprocess(self, payload: GivenFile | None) -> Sent:  # type: ignore[override]
        """The photograph as it was given."""
        return None if payload is None else self.read(payload.root)

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send: a file."""
        return _file_schema()


class UploadedPhotographs(FilesOfPrograms):
    """Several files of a program."""

    is_template = True
    told_as = "Photographs"

    def __init__(self, *, label: str | None = None, visible: bool = True) -> None:
        super().__init__(label=label, visible=visible, file_count="multiple")
        self.data_model = GivenFiles

    def preprocess(self, payload: GivenFiles | None) -> list[Sent]:  # type: ignore[override]
        """The photographs as they were given, in their order."""
        return [] if payload is None else [self.read(photograph) for photograph in payload.root]

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send: a list of files."""
        return {"type": "array", "items": _file_schema()}


@cache  # Gradio asks for it a dozen times for every visitor who comes, and making it took most of what a visit costs
def _file_schema() -> dict[str, Any]:
    """The schema of a file without references, which the tool server loses; nobody may change it."""
    file = FileData.model_json_schema()
    file["properties"]["meta"] = file.pop("$defs")["FileDataMeta"]
    del file["description"]
    return file


def _file_or_text(value: object) -> object:
    """What Gradio takes for a file, or a text; the path or address of what is meant as a file and not marked as one."""
    if isinstance(value, FileData | str):
        return value
    if not isinstance(value, dict):
        return None
    place = value.get("path") or value.get("url")
    if not isinstance(place, str):
        return None
    return value if value.get("meta") == _MARK and "path" in value else place


def _data_in(uri: str) -> bytes | NoPhotograph:
    _, comma, data = uri[:_LONGEST_URI].partition(",")
    try:
        return base64.b64decode(data + "=" * (-len(data) % 4)) if comma else NoPhotograph("photo_broken")
    except ValueError:
        return NoPhotograph("photo_broken")


class ProgramText(gr.Textbox):
    """A text of a program; what it sent in place of one is nothing, and not what Python would write of it."""

    is_template = True
    told_as = "Text"

    def preprocess(self, payload: str | None) -> str | None:
        """The text as it came."""
        return payload if isinstance(payload, str) else None


class AnswerLanguage(gr.Radio):
    """The language a program asks for; an unknown one is refused in our words, after the uploads are taken care of."""

    is_template = True
    told_as = "Language"

    def preprocess(self, payload: str | float | None) -> str:
        """The value as it came."""
        return str(payload)


class DescriptionLanguage(gr.Radio):
    """The language that a program says its description is in; it need not."""

    is_template = True
    told_as = "Language"

    def preprocess(self, payload: str | float | None) -> str | None:
        """The value as it came."""
        return str(payload) if payload else None


class AnswerModel(gr.Radio):
    """The model a program asks for, in the same manner; the page's own where it names none."""

    is_template = True
    told_as = "Model"

    def preprocess(self, payload: str | float | None) -> str | None:
        """The value as it came."""
        return None if payload is None else str(payload)
