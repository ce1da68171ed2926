"""Gradio components of our own: what the form sends, and what a program sends.

They stand apart from the tabs because Gradio writes a stub beside the module of each component.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import gradio as gr
from gradio.data_classes import FileData, GradioModel, GradioRootModel

from fmp_models.photograph import MAX_BYTES

MODEL_QUEUE = "model"  # one queue for everything that runs a model
_LONGEST_URI = 2 * MAX_BYTES  # characters: more than the largest photograph needs
_OWN_UPLOAD = "/gradio_api/file="  # in an address that names a file sent to this app before


def is_address(place: str) -> bool:
    """Whether Gradio would take ``place`` for an address to fetch."""
    return place.startswith(("http://", "https://"))


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
    """What the form sends: two uploaded files, the language of the answer, and who is to write it."""

    current: FileData
    target: FileData
    language: str
    model: str | None = None


class Form(UploadsOnly, gr.HTML):
    """The form; its value is a :class:`Request` while one is on its way, else nothing."""

    data_model: type[GradioModel] = Request

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/correct``."""
        return {"type": "object"}


class FindRequest(GradioModel):
    """What the form of the other tab sends: the current photograph, a description, and what to choose from."""

    current: FileData
    description: str
    candidates: list[FileData]


class FindForm(Form):
    """The form of the other tab; its value is a :class:`FindRequest` while one is on its way, else nothing."""

    data_model: type[GradioModel] = FindRequest

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/retrieve``."""
        return {"type": "object"}


class UploadedPhotograph(UploadsOnly, gr.File):
    """A file of a program, handed on by its path alone: nothing is copied."""

    is_template = True

    def preprocess(self, payload: FileData | None) -> str | None:  # type: ignore[override]
        """The path of the stored upload."""
        return None if payload is None else str(payload.path)


class GivenFiles(GradioRootModel):
    """Files as programs give them; inside a list, Gradio's tool server leaves data URIs and addresses as they are."""

    root: list[FileData | str | None] | FileData | str


class UploadedPhotographs(UploadsOnly, gr.File):
    """Several files of a program: stored uploads by their path, what came as a data URI as it is."""

    is_template = True

    def __init__(self, *, label: str | None = None, visible: bool = True) -> None:
        super().__init__(label=label, visible=visible, file_count="multiple")
        self.data_model = GivenFiles

    def preprocess(self, payload: GivenFiles | None) -> list[str | bytes | None]:  # type: ignore[override]
        """Paths, bytes, and addresses that whoever reads the photographs refuses; None for what is no file."""
        files = [] if payload is None else payload.root if isinstance(payload.root, list) else [payload.root]
        return [
            self._given(file) if isinstance(file, str) else None if file is None else str(file.path) for file in files
        ]

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send: a list of files, without references, which the tool server loses."""
        file = FileData.model_json_schema()
        file["properties"]["meta"] = file.pop("$defs")["FileDataMeta"]
        del file["description"]
        return {"type": "array", "items": file}

    def _given(self, text: str) -> str | bytes:
        """A text is never a path: whoever could name one could read this machine."""
        if is_address(text):
            return self.uploaded(text) or text
        _, comma, data = text[:_LONGEST_URI].partition(",")
        try:
            return base64.b64decode(data + "=" * (-len(data) % 4)) if text.startswith("data:") and comma else b""
        except ValueError:
            return b""


class WrittenText(gr.Textbox):
    """A text of a program; what it sent in place of one is nothing, and not what Python would write of it."""

    is_template = True

    def preprocess(self, payload: str | None) -> str | None:
        """The text as it came."""
        return payload if isinstance(payload, str) else None


class AnswerLanguage(gr.Radio):
    """The language a program asks for; an unknown one is refused in our words, after the uploads are taken care of."""

    is_template = True

    def preprocess(self, payload: str | float | None) -> str:
        """The value as it came."""
        return str(payload)


class DescriptionLanguage(gr.Radio):
    """The language that a program says its description is in; it need not."""

    is_template = True

    def preprocess(self, payload: str | float | None) -> str | None:
        """The value as it came."""
        return str(payload) if payload else None


class AnswerModel(gr.Radio):
    """The model a program asks for, in the same manner; the page's own where it names none."""

    is_template = True

    def preprocess(self, payload: str | float | None) -> str | None:
        """The value as it came."""
        return None if payload is None else str(payload)
