"""Joint limits of a body: ankles within the reach of legs, and the range of elbows."""

from __future__ import annotations

import dataclasses
from collections.abc import Set as AbstractSet

import numpy as np

from fmp_models.pose import Array
from fmp_models.sim.people.posing import SIDES, Arm, BodyPose, Leg

MAX_LEG_LENGTH, MIN_LEG_LENGTH = (
    0.986,
    0.34,
)  # leg lengths from hip to ankle: an almost straight knee, and one bent by 140 degrees
HIP_JOINT = np.array([0.123, 0.0, 0.0])  # leg lengths from the middle of the hips to the left hip joint
HIPS_FROM_ROOT = np.array([0.0, 0.006, -0.016])  # leg lengths; the trunk tilts about its root, a little above the hips
LOWEST_HIPS = 0.2  # leg lengths
ELBOW = (2.0, 150.0)  # degrees


def within_reach(pose: BodyPose, planted: AbstractSet[str]) -> BodyPose:
    """Return the pose within reach: hips are lowered to planted feet, and a free foot is moved nearer to its hip."""
    hips = {side: _hip(pose, side) for side in SIDES}
    heights = [pose.hip_height]
    for side in planted:
        ankle = np.array(pose.legs[side].ankle)
        aside = (ankle - hips[side])[[0, 2]]
        tilt = hips[side][1] - pose.hip_height
        below = max(MAX_LEG_LENGTH**2 - float(aside @ aside), 0.0)
        heights.append(float(ankle[1] + below**0.5 - tilt))
    height = max(min(heights), LOWEST_HIPS)
    drop = np.array([0.0, height - pose.hip_height, 0.0])
    legs = {side: _reaching(leg, hips[side] + drop) for side, leg in pose.legs.items()}
    return dataclasses.replace(pose, hip_height=height, legs=legs)


def bendable(arm: Arm) -> Arm:
    """Return the arm with its elbow bend clamped to the human range."""
    least, most = ELBOW
    return dataclasses.replace(arm, bend=min(max(arm.bend, least), most))


def _hip(pose: BodyPose, side: str) -> Array:
    """Return the hip joint as (out, up, forward) leg lengths from the stance origin."""
    sign, pelvis = SIDES[side], pose.pelvis.rotation()
    left, forward = pose.hip_shift
    tilted, middle = pelvis @ (HIP_JOINT * sign), pelvis @ HIPS_FROM_ROOT
    return np.array(
        [
            sign * (left + tilted[0] + middle[0]),
            pose.hip_height + tilted[2],
            forward - tilted[1] - middle[1],
        ]
    )


def _reaching(leg: Leg, hip: Array) -> Leg:
    way = np.array(leg.ankle) - hip
    far = float(np.linalg.norm(way))
    if MIN_LEG_LENGTH <= far <= MAX_LEG_LENGTH:
        return leg
    out, up, forward = hip + way / far * np.clip(far, MIN_LEG_LENGTH, MAX_LEG_LENGTH)
    return dataclasses.replace(leg, ankle=(float(out), float(up), float(forward)))
