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
from fmp_models.geometry.heights import foot_height, leant, raised, turned
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
    head_aside,
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
from fmp_models.pose import Array, BodySide, PosePair, wrap_degrees, yaw

Group = Literal["arms", "trunk", "legs", "body"]
_BACK = frozenset({"left_hip", "right_hip", "left_shoulder", "right_shoulder", "neck"})


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
    lies_too: bool = False  # where it needs feet: of photographs also between two bodies that lie
    of_faces: bool = False  # only between poses whose faces were measured: ``change`` takes ``Pose.faces``
    # In place of ``change`` between bodies measured in photographs, which may be tilted and lie on anything.
    of_photographs: Callable[[Array, Array], Array] | None = None

    def change_of(self, pair: PosePair) -> Callable[[Array, Array], Array]:
        """``change`` as it is measured of this pair."""
        return self.of_photographs if pair.doubtful and self.of_photographs is not None else self.change

    def changes_from(self, current: Array) -> Callable[[Array], Array]:
        """``change`` of one body, asked for many targets: it is measured once."""
        if not isinstance(self.change, _Difference):
            return partial(self.change, current)
        before = self.change.value(current)
        return partial(self.change.between, before)

    @property
    def seen_joints(self) -> frozenset[str]:
        """The joints that both photographs must show.

        Arms need neither the hips, since the shoulders tell as well which way a body faces, nor a hand that is said
        nothing of; a trunk, a head and shoulders hang on the neck.
        """
        dispensable = {"left_hip", "right_hip"} if self.part in {Part.ARM, Part.HAND} else set[str]()
        if self.part is Part.ARM:
            dispensable.add(f"{self.side.value}_wrist")
        return frozenset(self.joints) - dispensable | (_BACK if self.group == "trunk" else frozenset())

    @property
    def noise(self) -> float:
        """The error to expect of this measure from one photograph, one standard deviation."""
        return self.steps[0] / 1.5


def difference(value: Callable[..., Array], *arguments: object, turns: bool = False) -> _Difference:
    """The change of a value of the joints, of an angle that ``turns`` the shorter way."""
    return _Difference(lambda joints: value(joints, *arguments), turns)


def _arm_measures(side: BodySide) -> list[Measure]:
    limb_side = Side(side)
    shoulder, elbow, wrist = f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist"
    hips = ("left_hip", "right_hip")
    arm = (*hips, shoulder, elbow, wrist)  # an elbow is no surer than the hand that it leads to
    return [
        Measure(limb_side, Part.ARM, Direction.UP, (15, 40, 80), difference(elevation, shoulder, elbow), arm, "arms"),
        Measure(limb_side, Part.ARM, Direction.OUT, (20, 45, 80), difference(arm_swing, side, LEFT), arm, "arms", 0.9),
        Measure(
            limb_side,
            Part.ARM,
            Direction.FORWARD,
            (20, 45, 80),
            difference(arm_swing, side, FORWARD),
            arm,
            "arms",
            0.8,
        ),
        Measure(
            limb_side,
            Part.ELBOW,
            Direction.STRAIGHTEN,
            (18, 38, 75),
            difference(elbow_angle, side),
            (shoulder, elbow, wrist),
            "arms",
        ),
        Measure(
            limb_side,
            Part.FOREARM,
            Direction.UP,
            (25, 50, 90),
            difference(elevation, elbow, wrist),
            (elbow, wrist),
            "arms",
            0.8,
        ),
        Measure(
            limb_side, Part.HAND, Direction.UP, (0.12, 0.25, 0.5), difference(hand_place, side, UP), arm, "arms", 0.8
        ),
        Measure(
            limb_side,
            Part.HAND,
            Direction.OUT,
            (0.12, 0.25, 0.5),
            difference(hand_place, side, LEFT),
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
            difference(hand_place, side, FORWARD),
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
            difference(shoulder_lift, side),
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
            difference(knee_angle, side),
            (hip, knee, ankle),
            "legs",
        ),
        Measure(
            limb_side,
            Part.LEG,
            Direction.UP,
            (0.12, 0.25, 0.45),
            difference(foot_lift, side),
            feet,
            "legs",
            of_photographs=difference(foot_height, side),
        ),
        Measure(
            limb_side,
            Part.FOOT,
            Direction.OUT,
            (0.15, 0.3, 0.6),
            difference(foot_place, side, LEFT),
            feet,
            "legs",
            needs_feet=True,
        ),
        Measure(
            limb_side,
            Part.FOOT,
            Direction.FORWARD,
            (0.15, 0.3, 0.6),
            difference(foot_place, side, FORWARD),
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
            difference(foot_turn, side, turns=True),
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
        difference(hands_distance),
        ("left_wrist", "right_wrist"),
        "arms",
        0.6,
    ),
    Measure(
        Side.BOTH,
        Part.FOOT,
        Direction.APART,
        (0.15, 0.3, 0.6),
        difference(stance_width),
        _FEET,
        "legs",
        1.1,
        needs_feet=True,
    ),
    Measure(Side.NONE, Part.HEAD, Direction.FORWARD, (22, 35, 55), difference(head_tilt, FORWARD), _HEAD, "trunk", 0.7),
    Measure(
        Side.NONE,
        Part.HEAD,
        Direction.LEFT,
        (15, 28, 45),
        difference(head_tilt, LEFT),
        _HEAD,
        "trunk",
        0.6,
        of_photographs=difference(head_aside),
    ),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.FORWARD,
        (15, 28, 48),
        lean_forward,
        _SPINE,
        "trunk",
        of_photographs=leant,
    ),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.LEFT,
        (12, 22, 40),
        difference(lean, "hip", "neck", LEFT),
        _SPINE,
        "trunk",
        needs_feet=True,
    ),
    Measure(
        Side.NONE,
        Part.TRUNK,
        Direction.TURN_LEFT,
        (20, 40, 65),
        difference(trunk_twist, turns=True),
        _SPINE,
        "trunk",
        0.8,
        needs_feet=True,
    ),
    # Weight 0: never planned, but people write "straighten your back" whichever way it leaned.
    Measure(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN, (12, 22, 40), difference(uprightness), _SPINE, "trunk", 0.0),
    Measure(
        Side.NONE,
        Part.HIPS,
        Direction.LEFT,
        (0.12, 0.22, 0.4),
        difference(hips_shift, LEFT),
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
        difference(hips_shift, FORWARD),
        _FEET,
        "legs",
        0.4,
        needs_feet=True,
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.UP,
        (0.1, 0.2, 0.4),
        difference(body_height),
        _FEET,
        "body",
        0.7,
        of_photographs=raised,
    ),
    Measure(
        Side.NONE,
        Part.BODY,
        Direction.TURN_LEFT,
        (20, 60, 120),
        difference(yaw, turns=True),
        ("left_hip", "right_hip"),
        "body",
        1.2,
        needs_feet=True,
        lies_too=True,
        of_photographs=turned,
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
