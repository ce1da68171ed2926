"""Leads: ranges towards rests and lifted feet, for steps in which the verdict alone shows no way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fmp_models.geometry.clauses import Relation
from fmp_models.geometry.pose_values import (
    FORWARD,
    UP,
    elevation,
    foot_lift,
    knee_angle,
    lean,
    other,
    point,
    trunk_tilt,
)
from fmp_models.geometry.relations import Range
from fmp_models.pose import Array, BodySide, in_pelvis_frame

_BEND, _FOOT = 15.0, 0.25  # degrees, and metres of a foot, that count as one slack


def _thigh(joints: Array, side: BodySide) -> Array:
    return elevation(joints, f"{side}_hip", f"{side}_knee")


def _shank(axis: int) -> Callable[[Array, BodySide], Array]:
    """Metres from the knee to the ankle along an axis of the body."""

    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        return point(body, f"{side}_ankle")[..., axis] - point(body, f"{side}_knee")[..., axis]

    return value


def lead_up(side: BodySide, joints: Array, metres: float) -> Range:
    """A foot ``metres`` higher over the other than in ``joints``: how far below that one it is counts too."""

    def value(bodies: Array, lifted: BodySide) -> Array:
        feet = (point(in_pelvis_frame(bodies), f"{foot}_ankle")[..., UP] for foot in (lifted, other(lifted)))
        height, other_height = feet
        return np.asarray(height - other_height)

    return Range(value, float(foot_lift(joints, side)) + metres, np.inf, _FOOT)


_UPRIGHT = Range(lambda joints, _: trunk_tilt(joints), 0.0, 10.0, _BEND)
RESTS: dict[Relation, tuple[Range, ...]] = {
    Relation.STANDING: (_UPRIGHT, Range(_thigh, 0.0, 8.0, _BEND), Range(knee_angle, 168.0, 180.0, _BEND)),
    Relation.SITTING: (
        _UPRIGHT,
        Range(_thigh, 80.0, 90.0, _BEND),
        Range(knee_angle, 88.0, 100.0, _BEND),
        Range(_shank(FORWARD), -0.05, 0.15, 0.1),
    ),
    Relation.KNEELING: (
        _UPRIGHT,
        Range(_thigh, 0.0, 10.0, _BEND),
        Range(knee_angle, 80.0, 100.0, _BEND),
        Range(_shank(UP), -0.1, 0.02, 0.1),
    ),
    Relation.LYING: (
        Range(lambda joints, _: lean(joints, "hip", "neck", FORWARD), -90.0, -75.0, _BEND),
        Range(_thigh, 85.0, 95.0, _BEND),
        Range(knee_angle, 168.0, 180.0, _BEND),
    ),
}
