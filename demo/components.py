"""Gradio components of our own: what the form sends, and what a program sends.

They stand apart from the tabs because Gradio writes a stub beside the module of each component.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anyio
import gradio as gr
from gradio.data_classes import FileData, GradioModel

_OWN_UPLOAD = "/gradio_api/file="  # in an address that names a file sent to this app before


def is_address(place: str) -> bool:
    """Whether Gradio would take ``place`` for an address to fetch."""
    return place.startswith(("http://", "https://"))


class UploadsOnly(gr.blocks.Block):
    """A component of files that were sent here; it never goes and fetches an address.

    Gradio would fetch it whole, however large and slow, while everybody else waits for the model. An address stays
    what it is, and whoever reads the photograph refuses it.
    """

    async def async_move_resource_to_block_cache(self, url_or_file_path: str | Path | None) -> str | None:
        """The path of an upload, by its path or by its address here; any other address unchanged."""
        place = str(url_or_file_path)
        if is_address(place):
            upload = unquote(place.partition(_OWN_UPLOAD)[2])
            if not upload or not gr.utils.is_in_or_equal(upload, self.GRADIO_CACHE):
                return place
            place = upload
        if not await anyio.Path(place).is_file():  # Gradio's sweep would end for good at a folder
            return place
        return await super().async_move_resource_to_block_cache(place)


class Request(GradioModel):
    """What the form sends: two uploaded files and the language of the answer."""

    current: FileData
    target: FileData
    language: str


class Form(UploadsOnly, gr.HTML):
    """The form; its value is a :class:`Request` while one is on its way, else nothing."""

    data_model = Request

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/correct``."""
        return {"type": "object"}


class UploadedPhotograph(UploadsOnly, gr.File):
    """A file of a program, handed on by its path alone: nothing is copied."""

    is_template = True

    def preprocess(self, payload: FileData | None) -> str | None:  # type: ignore[override]
        """The path of the stored upload."""
        return None if payload is None else str(payload.path)


class AnswerLanguage(gr.Radio):
    """The language a program asks for; an unknown one is refused in our words, after the uploads are taken care of."""

    is_template = True

    def preprocess(self, payload: str | float | None) -> str:
        """The value as it came."""
        return str(payload)
