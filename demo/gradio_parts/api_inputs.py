"""Points, body parts and orientations sent by a program: the components and the functions that read them."""

from __future__ import annotations

from typing import Any, TypeGuard

import gradio as gr

from demo.gradio_parts.api_joints import is_finite
from demo.gradio_parts.components import UploadsOnly
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PersonPoint
from fmp_models.geometry.lexicon import EXCLUDABLE_PARTS
from fmp_models.preprocessing.photograph import AS_TAKEN, TURNS, Orientation


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


def parts(value: object) -> list[object]:
    """Return the body parts to omit as a list; a single value becomes a list of one, and None an empty list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def place(value: object, which: str) -> PersonPoint | None:
    """Return the point that selects a person in the photograph ``which``; None if the program sent none.

    Raise :class:`BadInputError` ``place_outside`` if the value is not a point in a photograph.
    """
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_share, value)):  # noqa: PLR2004  x and y
        raise BadInputError("place_outside").about(which)
    return float(value[0]), float(value[1])


def orientation(value: object, which: str) -> Orientation:
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
