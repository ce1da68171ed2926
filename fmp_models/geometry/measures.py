"""Measures of a pose change: one signed number per part and axis, in degrees or metres.

Each :class:`Measure` computes a change between two poses. A positive change means its direction, a
negative one the reverse, so the reverse pair always gives the reverse clauses. ``thresholds`` are the three
thresholds (slight, plain, far) that sort a change into degrees. They follow the change codes of PoseFix
(ICCV 2023), widened where a single photograph leaves depth uncertain. All functions take camera-frame
joints (..., 20, 3) and broadcast; measures of faces take them with a point in front of the face (..., 21, 3), as in
``Pose.faces``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal, assert_never

import numpy as np

from fmp_models.geometry.lexicon import Direction, Part, Side
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_swing,
    body_height,
    elbow_angle,
    elevation,
    foot_height,
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
    leant,
    other,
    point,
    raised,
    shoulder_lift,
    stance_width,
    step,
    trunk_axes,
    trunk_twist,
    turned,
    uprightness,
)
from fmp_models.pose import BEFORE_FACE, Array, BodySide, PosePair, wrap_degrees, yaw

Group = Literal["arms", "trunk", "legs", "body"]
_BACK = frozenset({"left_hip", "right_hip", "left_shoulder", "right_shoulder", "neck"})


@dataclass(frozen=True)
class _Difference:
    """Change of a ``value`` between two bodies; an angle that ``turns`` all the way round changes the shorter way."""

    value: Callable[[Array], Array]
    turns: bool = False

    def __call__(self, current: Array, target: Array) -> Array:
        """Return the change from one body to the other."""
        return self.between(self.value(current), target)

    def between(self, before: Array, target: Array) -> Array:
        """Return the change from an earlier value to a body."""
        change = self.value(target) - before
        return wrap_degrees(change) if self.turns else np.asarray(change)


@dataclass(frozen=True)
class Measure:
    """One axis of one part: ``change(current, target)`` is positive towards ``direction``."""

    side: Side
    part: Part
    direction: Direction
    thresholds: tuple[float, float, float]
    change: Callable[[Array, Array], Array]
    joints: tuple[str, ...]
    weight: float = 1.0
    needs_room: bool = False  # only for poses in the same room coordinates
    needs_feet: bool = False  # only for bodies that stand, kneel or sit: meaningless for a lying body
    lies_too: bool = False  # with needs_feet: in photographs also for two lying bodies
    of_faces: bool = False  # only for poses with measured faces: ``change`` takes ``Pose.faces``
    # Replaces ``change`` for bodies measured in photographs, which may be tilted and lie on anything.
    of_photographs: Callable[[Array, Array], Array] | None = None

    @property
    def group(self) -> Group:
        """The region of the body that the part belongs to."""
        match self.part:
            case Part.ARM | Part.ELBOW | Part.FOREARM | Part.HAND:
                return "arms"
            case Part.HEAD | Part.SHOULDER | Part.TRUNK:
                return "trunk"
            case Part.FOOT | Part.HIPS | Part.KNEE | Part.LEG:
                return "legs"
            case Part.BODY:
                return "body"
            case _:
                assert_never(self.part)

    def change_of(self, pair: PosePair) -> Callable[[Array, Array], Array]:
        """Return the ``change`` function to use for this pair."""
        return self.of_photographs if pair.uncertain and self.of_photographs is not None else self.change

    def changes_from(self, current: Array) -> Callable[[Array], Array]:
        """Return ``change`` from one body as a function of the target; the body is measured once."""
        if not isinstance(self.change, _Difference):
            return partial(self.change, current)
        before = self.change.value(current)
        return partial(self.change.between, before)

    @property
    def seen_joints(self) -> frozenset[str]:
        """The joints that both photographs must show.

        Arms and hands do not need the hips, since the shoulders also show which way a body faces, and an upper
        arm does not need its wrist. Trunk, head and shoulders need hips, shoulders and neck.
        """
        dispensable = {"left_hip", "right_hip"} if self.part in {Part.ARM, Part.HAND} else set[str]()
        if self.part is Part.ARM:
            dispensable.add(f"{self.side.value}_wrist")
        return frozenset(self.joints) - dispensable | (_BACK if self.group == "trunk" else frozenset())

    @property
    def noise(self) -> float:
        """The expected error of this measure from one photograph, as one standard deviation."""
        return self.thresholds[0] / 1.5


def difference(value: Callable[..., Array], *arguments: object, turns: bool = False) -> _Difference:
    """Return the change of a value of the joints; an angle that ``turns`` changes the shorter way."""
    return _Difference(lambda joints: value(joints, *arguments), turns)


def _arm_measures(side: BodySide) -> list[Measure]:
    of = partial(Measure, Side(side))
    shoulder, elbow, wrist = f"{side}_shoulder", f"{side}_elbow", f"{side}_wrist"
    hips = ("left_hip", "right_hip")
    arm = (*hips, shoulder, elbow, wrist)  # an elbow is no more certain than its hand
    return [
        of(Part.ARM, Direction.UP, (15, 40, 80), difference(elevation, shoulder, elbow), arm),
        of(Part.ARM, Direction.OUT, (20, 45, 80), difference(arm_swing, side, LEFT), arm, 0.9),
        of(Part.ARM, Direction.FORWARD, (20, 45, 80), difference(arm_swing, side, FORWARD), arm, 0.8),
        of(Part.ELBOW, Direction.STRAIGHTEN, (18, 38, 75), difference(elbow_angle, side), (shoulder, elbow, wrist)),
        of(Part.FOREARM, Direction.UP, (25, 50, 90), difference(elevation, elbow, wrist), (elbow, wrist), 0.8),
        of(Part.HAND, Direction.UP, (0.12, 0.25, 0.5), difference(hand_place, side, UP), arm, 0.8),
        of(Part.HAND, Direction.OUT, (0.12, 0.25, 0.5), difference(hand_place, side, LEFT), arm, 0.8, needs_feet=True),
        of(
            Part.HAND,
            Direction.FORWARD,
            (0.15, 0.3, 0.5),
            difference(hand_place, side, FORWARD),
            arm,
            0.7,
            needs_feet=True,
        ),
        of(Part.SHOULDER, Direction.UP, (0.06, 0.09, 0.13), difference(shoulder_lift, side), (*hips, shoulder), 0.4),
    ]


def _leg_measures(side: BodySide) -> list[Measure]:
    of = partial(Measure, Side(side))
    hip, knee, ankle, foot = f"{side}_hip", f"{side}_knee", f"{side}_ankle", f"{side}_foot"
    feet = (hip, f"{other(side)}_hip", ankle, f"{other(side)}_ankle")
    return [
        of(Part.KNEE, Direction.STRAIGHTEN, (18, 38, 75), difference(knee_angle, side), (hip, knee, ankle)),
        of(
            Part.LEG,
            Direction.UP,
            (0.12, 0.25, 0.45),
            difference(foot_lift, side),
            feet,
            of_photographs=difference(foot_height, side),
        ),
        of(Part.FOOT, Direction.OUT, (0.15, 0.3, 0.6), difference(foot_place, side, LEFT), feet, needs_feet=True),
        of(
            Part.FOOT,
            Direction.FORWARD,
            (0.15, 0.3, 0.6),
            difference(foot_place, side, FORWARD),
            feet,
            0.9,
            needs_feet=True,
        ),
        of(
            Part.FOOT,
            Direction.TURN_OUT,
            (30, 50, 80),
            difference(foot_turn, side, turns=True),
            (*feet, foot),
            0.4,
            needs_feet=True,
        ),
    ]


_whole = partial(Measure, Side.NONE)  # of parts that are neither left nor right
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
        0.6,
    ),
    Measure(
        Side.BOTH, Part.FOOT, Direction.APART, (0.15, 0.3, 0.6), difference(stance_width), _FEET, 1.1, needs_feet=True
    ),
    _whole(Part.HEAD, Direction.FORWARD, (22, 35, 55), difference(head_tilt, FORWARD), _HEAD, 0.7),
    _whole(
        Part.HEAD,
        Direction.LEFT,
        (15, 28, 45),
        difference(head_tilt, LEFT),
        _HEAD,
        0.6,
        of_photographs=difference(head_aside),
    ),
    _whole(Part.TRUNK, Direction.FORWARD, (15, 28, 48), lean_forward, _SPINE, of_photographs=leant),
    _whole(Part.TRUNK, Direction.LEFT, (12, 22, 40), difference(lean, "hip", "neck", LEFT), _SPINE, needs_feet=True),
    _whole(
        Part.TRUNK, Direction.TURN_LEFT, (20, 40, 65), difference(trunk_twist, turns=True), _SPINE, 0.8, needs_feet=True
    ),
    # Weight 0: never planned, but people write "straighten your back" for a lean in any direction.
    _whole(Part.TRUNK, Direction.STRAIGHTEN, (12, 22, 40), difference(uprightness), _SPINE, 0.0),
    _whole(Part.HIPS, Direction.LEFT, (0.12, 0.22, 0.4), difference(hips_shift, LEFT), _FEET, 0.5, needs_feet=True),
    _whole(
        Part.HIPS, Direction.FORWARD, (0.15, 0.25, 0.4), difference(hips_shift, FORWARD), _FEET, 0.4, needs_feet=True
    ),
    _whole(Part.BODY, Direction.UP, (0.1, 0.2, 0.4), difference(body_height), _FEET, 0.7, of_photographs=raised),
    _whole(
        Part.BODY,
        Direction.TURN_LEFT,
        (20, 60, 120),
        difference(yaw, turns=True),
        ("left_hip", "right_hip"),
        1.2,
        needs_feet=True,
        lies_too=True,
        of_photographs=turned,
    ),
    _whole(
        Part.BODY,
        Direction.FORWARD,
        (0.15, 0.4, 0.8),
        lambda current, target: step(current, target, FORWARD),
        ("left_hip", "right_hip"),
        needs_room=True,
    ),
    _whole(
        Part.BODY,
        Direction.LEFT,
        (0.15, 0.4, 0.8),
        lambda current, target: step(current, target, LEFT),
        ("left_hip", "right_hip"),
        needs_room=True,
    ),
)


# Gaze: joints alone do not show it, so only photographs in which an estimator saw faces have these measures. Turns are
# too imprecise for small ones: for people seen at an angle, a head that looks straight ahead is measured as turned by
# 20 degrees.
def gaze_height(faces: Array) -> Array:
    """Return the degrees (...,) that the face looks above the horizon."""
    return np.degrees(np.arcsin(np.clip(-_gaze(faces)[..., 1], -1.0, 1.0)))


def gaze_turn(faces: Array) -> Array:
    """Return the degrees (...,) that the face looks to the body's own left of the chest's direction."""
    along = np.einsum("...ij,...j->...i", trunk_axes(faces), _gaze(faces))
    return np.asarray(np.degrees(np.arctan2(along[..., LEFT], along[..., FORWARD])))


def _gaze(faces: Array) -> Array:
    return np.asarray(faces[..., BEFORE_FACE, :] - point(faces, "head"))


GAZE_MEASURES: tuple[Measure, ...] = (
    _whole(Part.HEAD, Direction.UP, (18, 32, 55), difference(gaze_height), ("head",), 0.7, of_faces=True),
    _whole(
        Part.HEAD,
        Direction.TURN_LEFT,
        (35, 50, 75),
        difference(gaze_turn, turns=True),
        ("head", "left_shoulder", "right_shoulder"),
        0.6,
        of_faces=True,
    ),
)


ALL_MEASURES: tuple[Measure, ...] = (*MEASURES, *GAZE_MEASURES)

BY_AXIS: dict[tuple[Side, Part, Direction], tuple[Measure, float]] = {
    (measure.side, measure.part, direction): (measure, sign)
    for measure in ALL_MEASURES
    for direction, sign in ((measure.direction, 1.0), (measure.direction.reverse, -1.0))
}
