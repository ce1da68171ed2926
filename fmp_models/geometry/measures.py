"""Measures of a pose change: one signed number per part and axis, in degrees or metres.

Each :class:`Measure` reads a change off two poses; a positive one means its direction, a negative one the reverse, so
the way back says the reverse of everything by construction. ``steps`` are the three thresholds (slight, plain, far)
that sort a change into degrees; they follow the change codes of PoseFix (ICCV 2023), widened where a single photograph
leaves depth uncertain. All functions take camera-frame joints (..., 20, 3) and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_swing,
    body_height,
    elbow_angle,
    elevation,
    foot_lift,
    foot_place,
    foot_turn,
    hand_place,
    hands_distance,
    head_tilt,
    hips_shift,
    knee_angle,
    lean,
    lean_forward,
    other,
    shoulder_lift,
    stance_width,
    step,
    trunk_twist,
    uprightness,
)
from fmp_models.pose import Array, BodySide, wrap_degrees, yaw

Group = Literal["arms", "trunk", "legs", "body"]


@dataclass(frozen=True)
class _Difference:
    """The change of a measured ``value``; of an angle that ``turns`` all the way round, the shorter way."""

    value: Callable[[Array], Array]
    turns: bool = False

    def __call__(self, current: Array, target: Array) -> Array:
        """From one body to the other."""
        return self.between(self.value(current), target)

    def between(self, before: Array, target: Array) -> Array:
        """From what was measured before."""
        change = self.value(target) - before
        return wrap_degrees(change) if self.turns else np.asarray(change)


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
    needs_feet: bool = False  # only between bodies that stand, kneel or sit: means nothing for one that lies

    def changes_from(self, current: Array) -> Callable[[Array], Array]:
        """``change`` of one body, asked for many targets: it is measured once."""
        if not isinstance(self.change, _Difference):
            return partial(self.change, current)
        before = self.change.value(current)
        return partial(self.change.between, before)

    @property
    def noise(self) -> float:
        """The error to expect of this measure from one photograph, one standard deviation."""
        return self.steps[0] / 1.5


def _difference(value: Callable[..., Array], *arguments: object) -> _Difference:
    return _Difference(lambda joints: value(joints, *arguments))


def _turned(value: Callable[..., Array], *arguments: object) -> _Difference:
    return _Difference(lambda joints: value(joints, *arguments), turns=True)


def _arm_measures(side: BodySide) -> list[Measure]:
    limb_side = Side(side)
    shoulder, elbow, wrist = f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist"
    hips = ("left_hip", "right_hip")
    arm = (*hips, shoulder, elbow, wrist)  # an elbow is no surer than the hand that it leads to
    return [
        Measure(limb_side, Part.ARM, Direction.UP, (15, 40, 80), _difference(elevation, shoulder, elbow), arm, "arms"),
        Measure(limb_side, Part.ARM, Direction.OUT, (20, 45, 80), _difference(arm_swing, side, LEFT), arm, "arms", 0.9),
        Measure(
            limb_side,
            Part.ARM,
            Direction.FORWARD,
            (20, 45, 80),
            _difference(arm_swing, side, FORWARD),
            arm,
            "arms",
            0.8,
        ),
        Measure(
            limb_side,
            Part.ELBOW,
            Direction.STRAIGHTEN,
            (18, 38, 75),
            _difference(elbow_angle, side),
            (shoulder, elbow, wrist),
            "arms",
        ),
        Measure(
            limb_side,
            Part.FOREARM,
            Direction.UP,
            (25, 50, 90),
            _difference(elevation, elbow, wrist),
            (elbow, wrist),
            "arms",
            0.8,
        ),
        Measure(
            limb_side, Part.HAND, Direction.UP, (0.12, 0.25, 0.5), _difference(hand_place, side, UP), arm, "arms", 0.8
        ),
        Measure(
            limb_side,
            Part.HAND,
            Direction.OUT,
            (0.12, 0.25, 0.5),
            _difference(hand_place, side, LEFT),
            arm,
            "arms",
            0.8,
            needs_feet=True,
        ),
        Measure(
            limb_side,
            Part.HAND,
            Direction.FORWARD,
            (0.15, 0.3, 0.5),
            _difference(hand_place, side, FORWARD),
            arm,
            "arms",
            0.7,
            needs_feet=True,
        ),
        Measure(
            limb_side,
            Part.SHOULDER,
            Direction.UP,
            (0.06, 0.09, 0.13),
            _difference(shoulder_lift, side),
            (*hips, shoulder),
            "trunk",
            0.4,
        ),
    ]


def _leg_measures(side: BodySide) -> list[Measure]:
    limb_side = Side(side)
    hip, knee, ankle, foot = f"{side}_hip", f"{side}_knee", f"{side}_ankle", f"{side}_foot"
    feet = (hip, f"{other(side)}_hip", ankle, f"{other(side)}_ankle")
    return [
        Measure(
            limb_side,
            Part.KNEE,
            Direction.STRAIGHTEN,
            (18, 38, 75),
            _difference(knee_angle, side),
            (hip, knee, ankle),
            "legs",
        ),
        Measure(limb_side, Part.LEG, Direction.UP, (0.12, 0.25, 0.45), _difference(foot_lift, side), feet, "legs"),
        Measure(
            limb_side,
            Part.FOOT,
            Direction.OUT,
            (0.15, 0.3, 0.6),
            _difference(foot_place, side, LEFT),
            feet,
            "legs",
            needs_feet=True,
        ),
        Measure(
            limb_side,
            Part.FOOT,
            Direction.FORWARD,
            (0.15, 0.3, 0.6),
            _difference(foot_place, side, FORWARD),
            feet,
            "legs",
            0.9,
            needs_feet=True,
        ),
        Measure(
            limb_side,
            Part.FOOT,
            Direction.TURN_OUT,
            (30, 50, 80),
            _turned(foot_turn, side),
            (*feet, foot),
            "legs",
            0.4,
            needs_feet=True,
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
    Measure(
        Side.BOTH,
        Part.FOOT,
        Direction.APART,
        (0.15, 0.3, 0.6),
        _difference(stance_width),
        _FEET,
        "legs",
        1.1,
        needs_feet=True,
    ),
    Measure(
        Side.NONE, Part.HEAD, Direction.FORWARD, (22, 35, 55), _difference(head_tilt, FORWARD), _HEAD, "trunk", 0.7
    ),
    Measure(Side.NONE, Part.HEAD, Direction.LEFT, (15, 28, 45), _difference(head_tilt, LEFT), _HEAD, "trunk", 0.6),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.FORWARD,
        (15, 28, 48),
        lean_forward,
        _SPINE,
        "trunk",
    ),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.LEFT,
        (12, 22, 40),
        _difference(lean, "hip", "neck", LEFT),
        _SPINE,
        "trunk",
        needs_feet=True,
    ),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.TURN_LEFT,
        (20, 40, 65),
        _turned(trunk_twist),
        _SPINE,
        "trunk",
        0.8,
        needs_feet=True,
    ),
    # Weight 0: never planned, but people write "straighten your back" whichever way it leaned.
    Measure(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN, (12, 22, 40), _difference(uprightness), _SPINE, "trunk", 0.0),
    Measure(
        Side.NONE,
        Part.HIPS,
        Direction.LEFT,
        (0.12, 0.22, 0.4),
        _difference(hips_shift, LEFT),
        _FEET,
        "legs",
        0.5,
        needs_feet=True,
    ),
    Measure(
        Side.NONE,
        Part.HIPS,
        Direction.FORWARD,
        (0.15, 0.25, 0.4),
        _difference(hips_shift, FORWARD),
        _FEET,
        "legs",
        0.4,
        needs_feet=True,
    ),
    Measure(Side.NONE, Part.BODY, Direction.UP, (0.1, 0.2, 0.4), _difference(body_height), _FEET, "body", 0.7),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.TURN_LEFT,
        (20, 60, 120),
        _turned(yaw),
        ("left_hip", "right_hip"),
        "body",
        1.2,
        needs_feet=True,
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.FORWARD,
        (0.15, 0.4, 0.8),
        lambda current, target: step(current, target, FORWARD),
        ("left_hip", "right_hip"),
        "body",
        needs_room=True,
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.LEFT,
        (0.15, 0.4, 0.8),
        lambda current, target: step(current, target, LEFT),
        ("left_hip", "right_hip"),
        "body",
        needs_room=True,
    ),
)

BY_AXIS: dict[tuple[Side, Part, Direction], tuple[Measure, float]] = {}
for _measure in MEASURES:
    for _direction, _sign in ((_measure.direction, 1.0), (_measure.direction.reverse, -1.0)):
        BY_AXIS[_measure.side, _measure.part, _direction] = (_measure, _sign)
