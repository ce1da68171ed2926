"""Places, body parts and orientations as a program gives them: components that hand on what came, and what it means."""

from __future__ import annotations

from typing import Any, TypeGuard

import gradio as gr

from demo.gradio_parts.components import UploadsOnly
from demo.gradio_parts.given_joints import is_finite
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import Place
from fmp_models.geometry.left_out import PARTS
from fmp_models.preprocessing.photograph import AS_TAKEN, TURNS, Orientation


class ProgramPlace(UploadsOnly, gr.JSON):
    """A place in a photograph, as a program gives it; whatever came is handed on, and nothing is fetched for it."""

    is_template = True
    told_as = "Place"

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send; they need not."""
        description = "where in the photograph, from its left and top, in shares of its width and height"
        return {"type": "array", "items": {"type": "number"}, "description": description}


class ProgramParts(UploadsOnly, gr.JSON):
    """Body parts to leave out, as a program gives them; whatever came is handed on."""

    is_template = True
    told_as = "Body parts"

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send; they need not."""
        description = "parts of the body that nothing is said of"
        return {"type": "array", "items": {"type": "string", "enum": list(PARTS)}, "description": description}


class ProgramOrientation(UploadsOnly, gr.JSON):
    """How a photograph is turned and mirrored, as a program gives it; whatever came is handed on."""

    is_template = True
    told_as = "Orientation"

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send; they need not."""
        return {
            "type": "object",
            "properties": {"turned_by": {"type": "integer", "enum": list(TURNS)}, "mirrored": {"type": "boolean"}},
            "description": "by how many degrees clockwise the photograph is turned, and whether it is mirrored",
        }


def parts(value: object) -> list[object]:
    """The parts that a program leaves out; of one alone a list of one, and none where nothing was given."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def place(value: object, which: str) -> Place | None:
    """The place of the person a program means in the photograph ``which``; None where nothing was given.

    Raises :class:`BadInputError` ``place_outside`` for what is no place in a photograph.
    """
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_share, value)):  # noqa: PLR2004  x and y
        raise BadInputError("place_outside").about(which)
    return float(value[0]), float(value[1])


def orientation(value: object, which: str) -> Orientation:
    """Return how the photograph ``which`` is turned and mirrored; as it was taken where nothing was given.

    Raises :class:`BadInputError` ``orientation_unknown`` for anything else than an object of ``turned_by`` and
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
