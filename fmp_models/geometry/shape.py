"""Shape: a named end state, the ranges of values that define it, and how surely a pose holds it.

Values are lengths in trunk lengths (hip to neck), independent of body size, and angles in degrees. Names of joints
hold ``{side}`` and ``{other}`` for the given side and the opposite one. All functions of values take camera-frame
joints (..., 20, 3) and broadcast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fmp_models.geometry.lexicon import Direction, Part, ShapeRegion, Side
from fmp_models.geometry.pose_values import (
    FORWARD,
    LEFT,
    UP,
    arm_direction,
    centre_of_weight,
    elbow_angle,
    elevation,
    facing_up,
    floor,
    foot_to_other_leg,
    knee_angle,
    other,
    outward,
    point,
    stance_width,
    trunk_tilt,
)
from fmp_models.geometry.relations import Range
from fmp_models.pose import BODY_SIDES, INDEX, Array, BodySide, Pose, angle, in_pelvis_frame

SURELY_HELD = 0.6  # share of the plausible bodies that must reach a named end state of one limb
HELD = 0.4  # the same for a shape, whose many ranges must all hold at once; the measured body holds it anyway
_NEARLY = 1.0  # slacks by which a plausible body may miss a range
_MISSED = 2.0  # further slacks after which a miss is clipped


@dataclass(frozen=True)
class Shape:
    """A named end state: all ranges hold, for both sides or for the side that the shape is held on.

    ``joints`` must be seen, by default those of the regions; they hold ``{side}`` for the side. ``watched`` are the
    movements, most important first, in which two people who both hold the shape are compared more finely.
    """

    name: str
    regions: frozenset[ShapeRegion]
    ranges: tuple[Range, ...]
    joints: tuple[str, ...] = ()
    sided: bool = False
    watched: tuple[tuple[Part, Direction], ...] = ()

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides on which it can be held."""
        return (Side.LEFT, Side.RIGHT) if self.sided else (Side.BOTH,)

    def seen(self, pose: Pose, side: Side) -> bool:
        """Return whether all joints that the shape depends on are seen."""
        joints = self.joints or _JOINTS_OF[self.regions]
        names = {name.format(side=body_side, other=other(body_side)) for name in joints for body_side in side.of_body}
        return bool(pose.visibility[[INDEX[name] for name in names]].min() > 0)


@dataclass(frozen=True)
class HeldShape:
    """A shape, the side that it is held on, and the share of the plausible bodies that hold it."""

    shape: Shape
    side: Side
    share: float


@dataclass(frozen=True)
class NamedShape:
    """A shape that a text names, and its side: ``NONE`` if a sided shape may be held on either."""

    shape: Shape
    side: Side

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides on which it may be held."""
        return self.shape.sides if self.side is Side.NONE else (self.side,)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """The ranges that the text asks for; a shape of the arms alone does not restrict how the trunk leans."""
        of_trunk = ShapeRegion.TRUNK in self.shape.regions or ShapeRegion.LEGS in self.shape.regions
        return tuple(bounds for bounds in self.shape.ranges if of_trunk or bounds.value is not tilt)


def distance_from_shape(ranges: tuple[Range, ...], bodies: Array, side: Side) -> Array:
    """Return how far (...) bodies (..., 20, 3) are from all ranges, in slacks of the range that they miss most."""
    beyond = [bounds.excess(bodies, body_side) for bounds in ranges for body_side in side.of_body]
    return np.asarray(np.max([np.broadcast_to(part, bodies.shape[:-2]) for part in beyond], axis=0))


def near(ranges: tuple[Range, ...], joints: Array, side: Side, slacks: float = _NEARLY / 2) -> bool:
    """Return whether one body (20, 3) misses no range by more than ``slacks``; most shapes fail at the first range."""
    return all(float(bounds.excess(joints, of_side)) <= slacks for bounds in ranges for of_side in side.of_body)


def share_holding(ranges: tuple[Range, ...], pose: Pose, side: Side, slacks: float = _NEARLY) -> float:
    """Return the share (0 to 1) of a pose's plausible bodies that miss no range by more than ``slacks``."""
    bodies = pose.joints[None] if pose.pose_samples is None else pose.pose_samples
    return float(np.mean(distance_from_shape(ranges, bodies, side) <= slacks))


def nearness(ranges: tuple[Range, ...], pose: Pose, side: Side) -> float:
    """Return how near (0 to 1) the plausible bodies of a pose come to meeting all ranges: 1 if all meet them.

    Misses are summed over the ranges, so a body that misses a single range is nearer than others.
    """
    bodies = pose.joints[None] if pose.pose_samples is None else pose.pose_samples
    missed = sum(
        np.clip(np.max([bounds.excess(bodies, of_side) for of_side in side.of_body], axis=0) - _NEARLY, 0.0, _MISSED)
        for bounds in ranges
    )
    return float(np.mean(np.exp(-missed)))


def surely_holds(ranges: tuple[Range, ...], pose: Pose, side: Side) -> bool:
    """Return whether the measured body is within the ranges, or nearly so, and so are most plausible bodies."""
    return near(ranges, pose.joints, side) and share_holding(ranges, pose, side) >= SURELY_HELD


def held_among(shapes: tuple[Shape, ...], pose: Pose, least: float = HELD) -> tuple[HeldShape, ...]:
    """Return the shapes, in their order, that at least a share of the plausible bodies hold."""
    held = []
    for shape in shapes:
        for side in shape.sides:
            if not shape.seen(pose, side) or not near(shape.ranges, pose.joints, side):
                continue
            share = share_holding(shape.ranges, pose, side)
            if share >= least:
                held.append(HeldShape(shape, side, share))
    return tuple(held)


# Regions that shapes describe, joints that they depend on, and movements that are watched.
ARMS, LEGS, TRUNK = (frozenset({region}) for region in (ShapeRegion.ARMS, ShapeRegion.LEGS, ShapeRegion.TRUNK))
BODY = LEGS | TRUNK
WHOLE = BODY | ARMS

ARM_JOINTS = ("left_hip", "right_hip", "{side}_shoulder", "{side}_elbow", "{side}_wrist")
LEG_JOINTS = ("{side}_hip", "{side}_knee", "{side}_ankle", "{other}_hip", "{other}_knee", "{other}_ankle")
BODY_JOINTS = (*LEG_JOINTS, "left_shoulder", "right_shoulder")
ALL_JOINTS = (*BODY_JOINTS, "{side}_elbow", "{side}_wrist")
_JOINTS_OF = {ARMS: ARM_JOINTS, LEGS: LEG_JOINTS, BODY: BODY_JOINTS, WHOLE: ALL_JOINTS}

UP_ARM, ELBOW, LEAN, ASIDE, HEIGHT, WIDTH, LIFT, KNEE = (
    (Part.ARM, Direction.UP),
    (Part.ELBOW, Direction.STRAIGHTEN),
    (Part.TRUNK, Direction.FORWARD),
    (Part.TRUNK, Direction.LEFT),
    (Part.BODY, Direction.UP),
    (Part.FOOT, Direction.APART),
    (Part.LEG, Direction.UP),
    (Part.KNEE, Direction.STRAIGHTEN),
)


INFINITY = float("inf")
_BENCH, _ON_BACK = 0.55, 0.45  # trunk lengths of the highest bench, cosine from which a front faces up

Value = Callable[[Array, BodySide], Array]


def size(joints: Array) -> Array:
    """Return the length (...) of the trunk in metres."""
    return np.asarray(np.maximum(np.linalg.norm(point(joints, "neck") - point(joints, "hip"), axis=-1), 1e-3))


def along(axis: int, joint: str, landmark: str) -> Value:
    """Return the value of trunk lengths from a landmark to a joint along a body axis: outward, up or forward."""

    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        names = (name.format(side=side, other=other(side)) for name in (joint, landmark))
        place, start = (point(body, name)[..., axis] for name in names)
        return np.asarray((place - start) * (outward(side) if axis == LEFT else 1.0) / size(joints))

    return value


def gap(joint: str, landmark: str) -> Value:
    """Return the value of trunk lengths between two joints."""

    def value(joints: Array, side: BodySide) -> Array:
        first, second = (point(joints, name.format(side=side, other=other(side))) for name in (joint, landmark))
        return np.asarray(np.linalg.norm(first - second, axis=-1) / size(joints))

    return value


def over_floor(joint: str) -> Value:
    """Return the value of a joint's height over the lowest joint, in trunk lengths."""

    def value(joints: Array, side: BodySide) -> Array:
        body = in_pelvis_frame(joints)
        return np.asarray(
            (point(body, joint.format(side=side, other=other(side)))[..., UP] - floor(body)) / size(joints)
        )

    return value


def over_rest(joint: str) -> Value:
    """Return the value of a joint's height over what bears the body, in trunk lengths.

    That is the lowest joint, or, for a body on its back, what it lies on, which may be a bench.
    """
    over = over_floor(joint)

    def value(joints: Array, side: BodySide) -> Array:
        return over(joints, side) - _BENCH * np.clip(facing_up(joints) / _ON_BACK, 0.0, 1.0)

    return value


def limb(upper: str, lower: str) -> Value:
    """Return the value of a limb's degrees from hanging."""
    return lambda joints, side: elevation(
        joints, *(name.format(side=side, other=other(side)) for name in (upper, lower))
    )


def between(first: str, middle: str, last: str) -> Value:
    """Return the value of the degrees at ``middle``; 180 is straight."""

    def value(joints: Array, side: BodySide) -> Array:
        a, b, c = (point(joints, name.format(side=side, other=other(side))) for name in (first, middle, last))
        return angle(a - b, c - b)

    return value


def arm_cosine(axis: int) -> Value:
    """Return the value of the cosine between the horizontal part of the upper arm and an axis of the body."""

    def value(joints: Array, side: BodySide) -> Array:
        arm = arm_direction(joints, side)
        return np.asarray(arm[..., axis] / np.maximum(np.hypot(arm[..., LEFT], arm[..., FORWARD]), 1e-6))

    return value


def face_up(joints: Array, _: BodySide) -> Array:
    """Return the cosine between the front of the trunk and up: 1 on the back, -1 on the belly."""
    return facing_up(joints)


def side_lean(joints: Array, side: BodySide) -> Array:
    """Return the degrees that the trunk leans to this side."""
    body = in_pelvis_frame(joints)
    along = point(body, "neck")[..., LEFT] * outward(side) / size(joints)
    return np.degrees(np.arcsin(np.clip(along, -1.0, 1.0)))


def stride(joints: Array, side: BodySide) -> Array:
    """Return the trunk lengths of this ankle in front of the other one, minus those beside it."""
    ahead, aside = (along(axis, "{side}_ankle", "{other}_ankle")(joints, side) for axis in (FORWARD, LEFT))
    return np.asarray(ahead - np.abs(aside))


def sole_to_leg(joints: Array, side: BodySide) -> Array:
    """Return the trunk lengths from this ankle to the other leg as seen from the front, since depth is unreliable."""
    body = in_pelvis_frame(joints) * np.array([1.0, 1.0, 0.0])
    return foot_to_other_leg(body, side) / size(joints)


def other_knee(joints: Array, side: BodySide) -> Array:
    """Return the degrees at the opposite knee."""
    return knee_angle(joints, other(side))


def above(value: Value, low: float, slack: float) -> Range:
    """Return the range of a value without an upper end."""
    return Range(value, low, INFINITY, slack)


def below(value: Value, high: float, slack: float) -> Range:
    """Return the range of a value without a lower end."""
    return Range(value, -INFINITY, high, slack)


def weight_behind(joints: Array, _: BodySide) -> Array:
    """Return the trunk lengths of the weight behind the feet, which only a seat can carry."""
    body = in_pelvis_frame(joints)
    feet = sum(point(body, f"{s}_{part}")[..., FORWARD] for s in BODY_SIDES for part in ("ankle", "foot")) / 4
    return np.asarray((feet - centre_of_weight(body)[..., FORWARD]) / size(joints))


def tilt(joints: Array, _: BodySide) -> Array:
    """Return the degrees of the trunk from upright."""
    return trunk_tilt(joints)


def stance(joints: Array, _: BodySide) -> Array:
    """Return the trunk lengths between the ankles."""
    return np.asarray(stance_width(joints) / size(joints))


UPPER_ARM = limb("{side}_shoulder", "{side}_elbow")
FOREARM = limb("{side}_elbow", "{side}_wrist")
THIGH = limb("{side}_hip", "{side}_knee")
OTHER_THIGH = limb("{other}_hip", "{other}_knee")
HANDS_MEET = below(gap("{side}_wrist", "{other}_wrist"), 0.4, 0.12)
UPRIGHT_ENOUGH = below(tilt, 55, 15)  # of a trunk relative to which hands and arms are placed
# Errors can only bend a straight limb, so its plausible bodies are bent by up to 30 degrees.
ELBOW_STRAIGHT = above(elbow_angle, 148, 22)
KNEE_STRAIGHT = above(knee_angle, 152, 22)
OTHER_KNEE_STRAIGHT = above(other_knee, 150, 22)
PRONE, SUPINE = below(face_up, -0.45, 0.25), above(face_up, 0.45, 0.25)
LEVEL_TRUNK = Range(tilt, 62, 118, 12)
HANDS_DOWN = below(along(UP, "{side}_wrist", "{side}_shoulder"), -0.55, 0.15)
KNEES_DOWN = below(over_floor("{side}_knee"), 0.28, 0.12)
HIPS_DOWN = below(over_floor("hip"), 0.38, 0.12)
LYING_DOWN = below(over_rest("hip"), 0.38, 0.12)
HIPS_HIGH = above(over_floor("hip"), 1.15, 0.2)
OVER_FEET = below(weight_behind, 0.14, 0.08)
FEET_LEVEL = Range(along(UP, "{side}_ankle", "{other}_ankle"), -0.3, 0.3, 0.15)
