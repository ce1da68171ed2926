"""Gradio components of our own: what the form sends, and what a program sends.

They stand apart from the tabs because Gradio writes a stub beside the module of each component.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from gradio.data_classes import FileData, GradioModel


class Request(GradioModel):
    """What the form sends: two uploaded files and the language of the answer."""

    current: FileData
    target: FileData
    language: str


class Form(gr.HTML):
    """The form; its value is a :class:`Request` while one is on its way, else nothing."""

    data_model = Request

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/correct``."""
        return {"type": "object"}


class UploadedPhotograph(gr.File):
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
