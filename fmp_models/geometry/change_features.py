"""Change features: a change of pose as numbers for a network, for each body part before, after and between.

All values are in the person's own pelvis frame without yaw, so the place of the camera does not matter.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.geometry.attitudes import is_kneeling, is_sitting, is_standing
from fmp_models.geometry.clauses import Part, Side
from fmp_models.geometry.lexicon import LIMBS
from fmp_models.geometry.measures import MEASURES, Measure
from fmp_models.geometry.pose_values import floor, is_lying
from fmp_models.pose import INDEX, Array, in_pelvis_frame

_FARTHEST = 3.0  # changes are clipped at this many middle thresholds
_METRE = 2.0  # factor for metres, so that most values are near one
_ATTITUDES: tuple[Callable[[Array], NDArray[np.bool_]], ...] = (is_lying, is_sitting, is_kneeling, is_standing)


def _parts() -> dict[str, tuple[tuple[str, ...], tuple[Measure, ...]]]:
    """Return the joints and the measures of each part; measures of both hands or both feet belong to both limbs."""
    regions = {}
    for limb in LIMBS:
        for side in ("left", "right"):
            sides = {Side(side), Side.BOTH}
            parts = {limb, Part.SHOULDER} if limb is Part.ARM else {limb}
            measures = tuple(m for m in MEASURES if m.side in sides and m.part.limb in parts)
            regions[f"{side}_{limb}"] = limb.joints(Side(side)), measures
    trunk = ("spine", "neck", *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "shoulder")))
    for part, joints, of in (
        ("head", ("head",), {Part.HEAD}),
        ("trunk", trunk, {Part.TRUNK}),
        ("body", ("hip",), {Part.BODY, Part.HIPS}),
    ):
        regions[part] = joints, tuple(m for m in MEASURES if m.part in of and not m.needs_room)
    return regions


PARTS = _parts()  # by name; together they contain all joints
SIZES = {
    part: len(measures) + 6 * len(joints) + (2 * len(_ATTITUDES) + 2) * (part == "body")
    for part, (joints, measures) in PARTS.items()
}


def pose_changes(current: ArrayLike, target: ArrayLike) -> NDArray[np.float32]:
    """Return the change features between poses ``current`` and ``target``, (..., 20, 3) metres, as (..., sum of SIZES).

    The parts follow each other in the order of :data:`PARTS`. Values that cannot be measured are zero.
    """
    before, after = np.broadcast_arrays(np.asarray(current, np.float64), np.asarray(target, np.float64))
    bodies = [in_pelvis_frame(joints) for joints in (before, after)]
    columns = []
    for part, (joints, measures) in PARTS.items():
        columns += [
            np.clip(m.change(before, after) / m.thresholds[1], -_FARTHEST, _FARTHEST)[..., None] for m in measures
        ]
        places = [INDEX[name] for name in joints]
        columns += [(body[..., places, :] * _METRE).reshape(*body.shape[:-2], -1) for body in bodies]
        if part == "body":
            columns += [
                np.stack([*(attitude(pose) for attitude in _ATTITUDES), -floor(body) * _METRE], axis=-1)
                for pose, body in zip((before, after), bodies, strict=True)
            ]
    return np.nan_to_num(np.concatenate(columns, axis=-1)).astype(np.float32)
