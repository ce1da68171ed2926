"""Joints as a program or the page gives them: components that hand on what came, and the body that it is."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import gradio as gr
import numpy as np
from gradio.data_classes import GradioModel

from demo.gradio_parts.components import Form, UploadsOnly
from fmp_models.errors import BadInputError
from fmp_models.pose import BONES, JOINTS, Array, Pose

_FURTHEST = 100.0  # metres from the camera
_LEAST, _MOST = 0.2, 5.0  # metres: how large a body is, from its lowest joint to its highest or across
_THINNEST = 0.001  # metres: a bone
_AXES = 3


class ProgramJoints(UploadsOnly, gr.JSON):
    """The joints of one body, as a program gives them; whatever came is handed on, and nothing is fetched for it."""

    is_template = True
    told_as = "Joints"

    def api_info(self) -> dict[str, Any]:
        """What programs are told to send."""
        point = {"type": "array", "items": {"type": "number"}}
        return {"type": "array", "items": point, "description": "20 joints of three metres each"}


class OwnWords(GradioModel):
    """Words that somebody typed, as the page sends them; nothing of it is believed."""

    text: Any = None
    current: Any = None
    target: Any = None
    visibility: Any = None


class OwnWordsForm(Form):
    """The form of typed words; its value is :class:`OwnWords` while they are on their way, else nothing."""

    data_model: type[GradioModel] = OwnWords

    def api_info(self) -> dict[str, Any]:
        """The form is the page's own; programs use ``/demonstrate``."""
        return {"type": "object"}


def body(value: object, which: str, visibility: object = None) -> Pose:
    """The body with these joints, those of the ``which`` photograph.

    Raise :class:`BadInputError` ``joints_no_body``, ``joints_far``, ``joints_no_size`` or ``joints_together``.
    Joints of which the ``visibility`` is not given, or is none, count as seen.
    """
    joints = _numbers(value)
    if joints is None:
        raise BadInputError("joints_no_body", which=which)
    if np.abs(joints).max() > _FURTHEST:
        raise BadInputError("joints_far", which=which, limit_m=f"{_FURTHEST:.0f}")
    size = float(np.ptp(joints, axis=0).max())
    if not _LEAST <= size <= _MOST:
        span = {"found_m": f"{size:.2f}", "least_m": f"{_LEAST}", "most_m": f"{_MOST:.0f}"}
        raise BadInputError("joints_no_size", which=which, **span)
    bones = np.array([joints[child] - joints[parent] for parent, child in BONES])
    if np.linalg.norm(bones, axis=1).min() < _THINNEST:
        raise BadInputError("joints_together", which=which)
    return Pose(joints, _visibility(visibility))


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
    """Whether it is a number; one too large for arithmetic is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
