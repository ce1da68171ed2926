"""What of a pose change is measured: one signed number per part and axis, in degrees or metres.

Each :class:`Measure` reads a change off two poses; a positive one means its direction, a negative one the reverse, so
the way back says the reverse of everything by construction. ``steps`` are the three thresholds (slight, plain, far)
that sort a change into degrees; they follow the change codes of PoseFix (ICCV 2023), widened where a single photograph
leaves depth uncertain. Arms, trunk and head are measured in the pelvis frame, legs against the other foot.
All functions take camera-frame joints (..., 20, 3) and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fmp_models.describe.clauses import Direction, Part, Side
from fmp_models.pose import INDEX, Array, BodySide, angle, body_axes, in_pelvis_frame, wrap_degrees, yaw

LEFT, UP, FORWARD = 0, 1, 2  # axes of the body frame
_DOWN = np.array([0.0, -1.0, 0.0])
Group = Literal["arms", "trunk", "legs", "body"]


@dataclass(frozen=True)
class Measure:
    """One axis of one part: ``change(current, target)`` is positive towards ``direction``."""

    side: Side
    part: Part
    direction: Direction
    steps: tuple[float, float, float]
    change: Callable[[Array, Array], Array]
    joints: tuple[str, ...]
    group: Group
    weight: float = 1.0
    needs_room: bool = False  # only between poses that stand in the same room coordinates

    @property
    def noise(self) -> float:
        """The error to expect of this measure from one photograph, one standard deviation."""
        return self.steps[0] / 1.5


def point(body: Array, name: str) -> Array:
    """One joint (..., 3) of joints (..., 20, 3)."""
    return body[..., INDEX[name], :]


def outward(side: BodySide) -> float:
    """Sign of the left axis that leads away from the middle of the body."""
    return 1.0 if side == "left" else -1.0


def other(side: BodySide) -> BodySide:
    """The opposite side."""
    return "right" if side == "left" else "left"


def bend_angle(joints: Array, upper: str, middle: str, lower: str) -> Array:
    """Inner angle in degrees at ``middle``: 180 is straight."""
    return angle(point(joints, upper) - point(joints, middle), point(joints, lower) - point(joints, middle))


def elbow_angle(joints: Array, side: BodySide) -> Array:
    """Inner angle of the elbow in degrees."""
    return bend_angle(joints, f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist")


def knee_angle(joints: Array, side: BodySide) -> Array:
    """Inner angle of the knee in degrees."""
    return bend_angle(joints, f"{side}_hip", f"{side}_knee", f"{side}_ankle")


def arm_direction(joints: Array, side: BodySide) -> Array:
    """Unit vector (..., 3) of the upper arm: outward, up, forward."""
    body = in_pelvis_frame(joints)
    return _unit((point(body, f"{side}_elbow") - point(body, f"{side}_shoulder")) * _outward_axes(side))


def elevation(joints: Array, upper: str, lower: str) -> Array:
    """Degrees of a limb from hanging: 0 down, 90 level, 180 up."""
    body = in_pelvis_frame(joints)
    return angle(point(body, lower) - point(body, upper), _DOWN)


def trunk_tilt(joints: Array) -> Array:
    """Degrees of the trunk from upright."""
    return 180.0 - elevation(joints, "hip", "neck")


def foot_lift(joints: Array, side: BodySide) -> Array:
    """Metres that this ankle is above the other one; 0 for the lower foot."""
    body = in_pelvis_frame(joints)
    gap = point(body, f"{side}_ankle")[..., UP] - point(body, f"{other(side)}_ankle")[..., UP]
    return np.maximum(gap, 0.0)


def stance_width(joints: Array) -> Array:
    """Level distance between the ankles in metres."""
    body = in_pelvis_frame(joints)
    gap = (point(body, "left_ankle") - point(body, "right_ankle"))[..., [LEFT, FORWARD]]
    return np.asarray(np.linalg.norm(gap, axis=-1))


def hands_distance(joints: Array) -> Array:
    """Distance between the wrists in metres."""
    return np.asarray(np.linalg.norm(point(joints, "left_wrist") - point(joints, "right_wrist"), axis=-1))


def body_height(joints: Array) -> Array:
    """Height of the centre hip over the lower ankle in metres."""
    body = in_pelvis_frame(joints)
    return -np.minimum(point(body, "left_ankle")[..., UP], point(body, "right_ankle")[..., UP])


def _unit(vector: Array) -> Array:
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.asarray(vector / np.maximum(length, 1e-9))


def _outward_axes(side: BodySide) -> Array:
    return np.array([outward(side), 1.0, 1.0])


def _arm_swing(joints: Array, side: BodySide, axis: int) -> Array:
    return np.degrees(np.arcsin(np.clip(arm_direction(joints, side)[..., axis], -1.0, 1.0)))


def _lean(joints: Array, lower: str, upper: str, axis: int) -> Array:
    """Degrees that a part of the spine leans along an axis of the body frame.

    The arcsine of the component, rather than the angle in the plane, stays small and defined for a lying body.
    """
    body = in_pelvis_frame(joints)
    along = _unit(point(body, upper) - point(body, lower))[..., axis]
    return np.degrees(np.arcsin(np.clip(along, -1.0, 1.0)))


def _head_tilt(joints: Array, axis: int) -> Array:
    return _lean(joints, "neck", "head", axis) - _lean(joints, "hip", "neck", axis)


def _uprightness(joints: Array) -> Array:
    return -trunk_tilt(joints)


def _twist(joints: Array) -> Array:
    """Degrees that the shoulder line is turned left against the hip line, seen from above."""
    line = in_pelvis_frame(joints)
    line = point(line, "left_shoulder") - point(line, "right_shoulder")
    return np.degrees(np.arctan2(-line[..., FORWARD], line[..., LEFT]))


def _shoulder_lift(joints: Array, side: BodySide) -> Array:
    axis = _unit(point(joints, "neck") - point(joints, "hip"))
    return np.asarray(((point(joints, f"{side}_shoulder") - point(joints, "neck")) * axis).sum(axis=-1))


def _hand(joints: Array, side: BodySide, axis: int) -> Array:
    body = in_pelvis_frame(joints) * _outward_axes(side)
    return np.asarray(point(body, f"{side}_wrist")[..., axis])


def _foot_place(joints: Array, side: BodySide, axis: int) -> Array:
    body = in_pelvis_frame(joints) * _outward_axes(side)
    return point(body, f"{side}_ankle")[..., axis] - point(body, f"{other(side)}_ankle")[..., axis]


def _foot_turn(joints: Array, side: BodySide) -> Array:
    """Degrees that the toes point outward from straight ahead."""
    toes = (point(joints, f"{side}_foot") - point(joints, f"{side}_ankle"))[..., None, :]
    toes = np.asarray(np.einsum("...ij,...kj->...ki", body_axes(joints), toes))[..., 0, :] * _outward_axes(side)
    return np.degrees(np.arctan2(toes[..., LEFT], toes[..., FORWARD]))


def _hips_shift(joints: Array, axis: int) -> Array:
    body = in_pelvis_frame(joints)
    return -(point(body, "left_ankle") + point(body, "right_ankle"))[..., axis] / 2


def _step(current: Array, target: Array, axis: int) -> Array:
    """Metres that the hip moves in the room, along the mean of both bodies' axes so that the way back reverses."""
    axes = body_axes(current)[..., axis, :] + body_axes(target)[..., axis, :]
    return np.asarray(((point(target, "hip") - point(current, "hip")) * _unit(axes)).sum(axis=-1))


def _difference(value: Callable[..., Array], *arguments: object) -> Callable[[Array, Array], Array]:
    return lambda current, target: value(target, *arguments) - value(current, *arguments)


def _turned(value: Callable[..., Array], *arguments: object) -> Callable[[Array, Array], Array]:
    return lambda current, target: wrap_degrees(value(target, *arguments) - value(current, *arguments))


def _arm_measures(side: BodySide) -> list[Measure]:
    whose = Side(side)
    shoulder, elbow, wrist = f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist"
    hips = ("left_hip", "right_hip")
    arm = (*hips, shoulder, elbow, wrist)  # an elbow is no surer than the hand that it leads to
    return [
        Measure(whose, Part.ARM, Direction.UP, (15, 40, 80), _difference(elevation, shoulder, elbow), arm, "arms"),
        Measure(whose, Part.ARM, Direction.OUT, (20, 45, 80), _difference(_arm_swing, side, LEFT), arm, "arms", 0.9),
        Measure(
            whose, Part.ARM, Direction.FORWARD, (20, 45, 80), _difference(_arm_swing, side, FORWARD), arm, "arms", 0.8
        ),
        Measure(
            whose,
            Part.ELBOW,
            Direction.STRAIGHTEN,
            (18, 38, 75),
            _difference(elbow_angle, side),
            (shoulder, elbow, wrist),
            "arms",
        ),
        Measure(
            whose,
            Part.FOREARM,
            Direction.UP,
            (25, 50, 90),
            _difference(elevation, elbow, wrist),
            (elbow, wrist),
            "arms",
            0.8,
        ),
        Measure(whose, Part.HAND, Direction.UP, (0.12, 0.25, 0.5), _difference(_hand, side, UP), arm, "arms", 0.8),
        Measure(whose, Part.HAND, Direction.OUT, (0.12, 0.25, 0.5), _difference(_hand, side, LEFT), arm, "arms", 0.8),
        Measure(
            whose, Part.HAND, Direction.FORWARD, (0.15, 0.3, 0.5), _difference(_hand, side, FORWARD), arm, "arms", 0.7
        ),
        Measure(
            whose,
            Part.SHOULDER,
            Direction.UP,
            (0.06, 0.09, 0.13),
            _difference(_shoulder_lift, side),
            (*hips, shoulder),
            "trunk",
            0.4,
        ),
    ]


def _leg_measures(side: BodySide) -> list[Measure]:
    whose = Side(side)
    hip, knee, ankle, foot = f"{side}_hip", f"{side}_knee", f"{side}_ankle", f"{side}_foot"
    feet = (hip, f"{other(side)}_hip", ankle, f"{other(side)}_ankle")
    return [
        Measure(
            whose,
            Part.KNEE,
            Direction.STRAIGHTEN,
            (18, 38, 75),
            _difference(knee_angle, side),
            (hip, knee, ankle),
            "legs",
        ),
        Measure(whose, Part.LEG, Direction.UP, (0.12, 0.25, 0.45), _difference(foot_lift, side), feet, "legs"),
        Measure(whose, Part.FOOT, Direction.OUT, (0.15, 0.3, 0.6), _difference(_foot_place, side, LEFT), feet, "legs"),
        Measure(
            whose,
            Part.FOOT,
            Direction.FORWARD,
            (0.15, 0.3, 0.6),
            _difference(_foot_place, side, FORWARD),
            feet,
            "legs",
            0.9,
        ),
        Measure(
            whose, Part.FOOT, Direction.TURN_OUT, (30, 50, 80), _turned(_foot_turn, side), (*feet, foot), "legs", 0.4
        ),
    ]


_SPINE = ("left_hip", "right_hip", "left_shoulder", "right_shoulder")
_HEAD = ("head", "left_shoulder", "right_shoulder")
_FEET = ("left_hip", "right_hip", "left_ankle", "right_ankle")

MEASURES: tuple[Measure, ...] = (
    *_arm_measures("left"),
    *_arm_measures("right"),
    *_leg_measures("left"),
    *_leg_measures("right"),
    Measure(
        Side.BOTH,
        Part.HAND,
        Direction.APART,
        (0.15, 0.3, 0.6),
        _difference(hands_distance),
        ("left_wrist", "right_wrist"),
        "arms",
        0.6,
    ),
    Measure(Side.BOTH, Part.FOOT, Direction.APART, (0.15, 0.3, 0.6), _difference(stance_width), _FEET, "legs", 1.1),
    Measure(
        Side.NONE, Part.HEAD, Direction.FORWARD, (22, 35, 55), _difference(_head_tilt, FORWARD), _HEAD, "trunk", 0.7
    ),
    Measure(Side.NONE, Part.HEAD, Direction.LEFT, (15, 28, 45), _difference(_head_tilt, LEFT), _HEAD, "trunk", 0.6),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.FORWARD,
        (15, 28, 48),
        _difference(_lean, "hip", "neck", FORWARD),
        _SPINE,
        "trunk",
    ),
    Measure(
        Side.NONE, Part.TRUNK, Direction.LEFT, (12, 22, 40), _difference(_lean, "hip", "neck", LEFT), _SPINE, "trunk"
    ),
    Measure(Side.NONE, Part.TRUNK, Direction.TURN_LEFT, (20, 40, 65), _turned(_twist), _SPINE, "trunk", 0.8),
    # Weight 0: never planned, but people write "straighten your back" whichever way it leaned.
    Measure(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN, (12, 22, 40), _difference(_uprightness), _SPINE, "trunk", 0.0),
    Measure(
        Side.NONE, Part.HIPS, Direction.LEFT, (0.12, 0.22, 0.4), _difference(_hips_shift, LEFT), _FEET, "legs", 0.5
    ),
    Measure(
        Side.NONE,
        Part.HIPS,
        Direction.FORWARD,
        (0.15, 0.25, 0.4),
        _difference(_hips_shift, FORWARD),
        _FEET,
        "legs",
        0.4,
    ),
    Measure(Side.NONE, Part.BODY, Direction.UP, (0.1, 0.2, 0.4), _difference(body_height), _FEET, "body", 0.7),
    Measure(
        Side.NONE, Part.BODY, Direction.TURN_LEFT, (20, 60, 120), _turned(yaw), ("left_hip", "right_hip"), "body", 1.2
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.FORWARD,
        (0.15, 0.4, 0.8),
        lambda current, target: _step(current, target, FORWARD),
        ("left_hip", "right_hip"),
        "body",
        needs_room=True,
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.LEFT,
        (0.15, 0.4, 0.8),
        lambda current, target: _step(current, target, LEFT),
        ("left_hip", "right_hip"),
        "body",
        needs_room=True,
    ),
)

BY_AXIS: dict[tuple[Side, Part, Direction], tuple[Measure, float]] = {}
for _measure in MEASURES:
    for _way, _sign in ((_measure.direction, 1.0), (_measure.direction.reverse, -1.0)):
        BY_AXIS[_measure.side, _measure.part, _way] = (_measure, _sign)
