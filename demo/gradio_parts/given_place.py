"""Places in photographs as a program gives them: the component that hands on what came, and whom it points at."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.gradio_parts.components import UploadsOnly
from demo.gradio_parts.given_joints import is_finite
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import Place


class ProgramPlace(UploadsOnly, gr.JSON):
    """A place in a photograph, as a program gives it; whatever came is handed on, and nothing is fetched for it."""

    is_template = True

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send; they need not."""
        description = "where in the photograph, from its left and top, in shares of its width and height"
        return {"type": "array", "items": {"type": "number"}, "description": description}


def place(value: object, which: str) -> Place | None:
    """The place of the person a program means in the photograph ``which``; None where nothing was given.

    Raises :class:`BadInputError` ``place_outside`` for what is no place in a photograph.
    """
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_share, value)):  # noqa: PLR2004  x and y
        raise BadInputError("place_outside").about(which)
    return float(value[0]), float(value[1])


def _is_share(value: object) -> bool:
    return is_finite(value) and 0 <= value <= 1
