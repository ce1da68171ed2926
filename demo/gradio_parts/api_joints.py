"""Joints sent by a program or the page: the component that receives them and their validation as a pose."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import gradio as gr
import numpy as np
from gradio.data_classes import GradioModel

from demo.gradio_parts.components import Form, UploadsOnly
from fmp_models.errors import BadInputError
from fmp_models.pose import BONES, JOINTS, Array, Pose

_MAX_DISTANCE_M = 100.0  # metres from the camera
_MIN_BODY_M, _MAX_BODY_M = 0.2, 5.0  # metres: limits of the largest extent of a body, vertical or horizontal
_MIN_BONE_M = 0.001  # metres: minimum length of a bone
_AXES = 3


class ApiJoints(UploadsOnly, gr.JSON):
    """The joints of one body, sent by a program; any value is passed on, and nothing is fetched for it."""

    is_template = True
    told_as = "Joints"

    def api_info(self) -> dict[str, Any]:
        """Return the schema that programs see: 20 joints of three metres each."""
        point = {"type": "array", "items": {"type": "number"}}
        return {"type": "array", "items": point, "description": "20 joints of three metres each"}


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


def body(value: object, which: str, visibility: object = None) -> Pose:
    """Return the pose with these joints, of the photograph ``which``.

    Raise :class:`BadInputError` with ``joints_no_body``, ``joints_far``, ``joints_no_size`` or ``joints_together``. If
    ``visibility`` is missing or invalid, all joints count as visible.
    """
    joints = _numbers(value)
    if joints is None:
        raise BadInputError("joints_no_body", which=which)
    if np.abs(joints).max() > _MAX_DISTANCE_M:
        raise BadInputError("joints_far", which=which, limit_m=f"{_MAX_DISTANCE_M:.0f}")
    size = float(np.ptp(joints, axis=0).max())
    if not _MIN_BODY_M <= size <= _MAX_BODY_M:
        span = {"found_m": f"{size:.2f}", "least_m": f"{_MIN_BODY_M}", "most_m": f"{_MAX_BODY_M:.0f}"}
        raise BadInputError("joints_no_size", which=which, **span)
    bones = np.array([joints[child] - joints[parent] for parent, child in BONES])
    if np.linalg.norm(bones, axis=1).min() < _MIN_BONE_M:
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
    """Return whether ``value`` is a finite number; an integer too large for a float is not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False
