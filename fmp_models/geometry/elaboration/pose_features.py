"""Pose features: one pose measured once, for the many tests of implied movements and analogies.

Places are metres in the body frame (left, up, forward) from the centre hip; angles are degrees as in
``pose_values``.
"""

from __future__ import annotations

import math
from functools import cached_property

from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    elbow_angle,
    elevation,
    foot_lift,
    hands_distance,
    knee_angle,
    other,
    outward,
    stance_width,
    trunk_tilt,
)
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, in_pelvis_frame


class PoseFeatures:
    """Features of the joints (20, 3) of one pose, measured on first use."""

    def __init__(self, joints: Array) -> None:
        self._joints = joints
        self._body: list[list[float]] = in_pelvis_frame(joints).tolist()

    def up(self, name: str, over: str = "hip") -> float:
        """Return the metres that one joint is above another."""
        return self._along(UP, name, over)

    def ahead(self, name: str, of: str = "hip") -> float:
        """Return the metres that one joint is in front of another."""
        return self._along(FORWARD, name, of)

    def out(self, side: BodySide, name: str, of: str = "hip") -> float:
        """Return the metres that one joint is further out to ``side`` than another."""
        return outward(side) * self._along(LEFT, name, of)

    def gap(self, name: str, to: str) -> float:
        """Return the metres between two joints."""
        return math.dist(self._body[INDEX[name]], self._body[INDEX[to]])

    def level_gap(self, name: str, to: str) -> float:
        """Return the metres between two joints as seen from above."""
        return math.hypot(self._along(LEFT, name, to), self._along(FORWARD, name, to))

    def _along(self, axis: int, name: str, of: str) -> float:
        return self._body[INDEX[name]][axis] - self._body[INDEX[of]][axis]

    @cached_property
    def elbow(self) -> dict[BodySide, float]:
        """Inner angle of each elbow."""
        return {side: float(elbow_angle(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def knee(self) -> dict[BodySide, float]:
        """Inner angle of each knee."""
        return {side: float(knee_angle(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def arm(self) -> dict[BodySide, float]:
        """Degrees of each upper arm from hanging."""
        return {side: float(elevation(self._joints, f"{side}_shoulder", f"{side}_elbow")) for side in BODY_SIDES}

    @cached_property
    def forearm(self) -> dict[BodySide, float]:
        """Degrees of each forearm from hanging."""
        return {side: float(elevation(self._joints, f"{side}_elbow", f"{side}_wrist")) for side in BODY_SIDES}

    @cached_property
    def thigh(self) -> dict[BodySide, float]:
        """Degrees of each thigh from hanging."""
        return {side: float(elevation(self._joints, f"{side}_hip", f"{side}_knee")) for side in BODY_SIDES}

    @cached_property
    def lift(self) -> dict[BodySide, float]:
        """Metres of each ankle above the other."""
        return {side: float(foot_lift(self._joints, side)) for side in BODY_SIDES}

    @cached_property
    def tilt(self) -> float:
        """Degrees of the trunk from upright."""
        return float(trunk_tilt(self._joints))

    @cached_property
    def hands(self) -> float:
        """Metres between the wrists."""
        return float(hands_distance(self._joints))

    @cached_property
    def stance(self) -> float:
        """Horizontal metres between the ankles."""
        return float(stance_width(self._joints))

    def carried(self, side: BodySide) -> float:
        """Return the place of the hips between the ankles, seen from above: 1 over this one, 0 over the other."""
        ankle, other_ankle = f"{side}_ankle", f"{other(side)}_ankle"
        along = (self._along(LEFT, ankle, other_ankle), self._along(FORWARD, ankle, other_ankle))
        hips = (self._along(LEFT, "hip", other_ankle), self._along(FORWARD, "hip", other_ankle))
        length = along[0] ** 2 + along[1] ** 2
        return (along[0] * hips[0] + along[1] * hips[1]) / length if length else 0.5
