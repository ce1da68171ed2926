"""Shape: a named end state, the ranges that define it, and how surely a pose holds it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.pose_values import other
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shapes.values import tilt
from fmp_models.pose import INDEX, Array, Pose

SURE = 0.6  # share of the plausible bodies that must reach a named end state of one limb
HELD = 0.4  # the same for a shape, whose many ranges must all hold at once; the measured body holds it anyway
_NEARLY = 1.0  # slacks by which a plausible body may miss a range
_MISSED = 2.0  # further slacks after which a miss is clipped


class Region(StrEnum):
    """Region of the body that a shape fully describes: its parts are not listed again with the shape's name."""

    ARMS = "arms"
    LEGS = "legs"
    TRUNK = "trunk"


@dataclass(frozen=True)
class Shape:
    """A named end state: all ranges hold, for both sides or for the side that the shape is held on.

    ``joints`` must be seen; they hold ``{side}`` for the side. ``watched`` are the movements, most important
    first, in which two people who both hold the shape are compared more finely.
    """

    name: str
    regions: frozenset[Region]
    ranges: tuple[Range, ...]
    joints: tuple[str, ...]
    sided: bool = False
    watched: tuple[tuple[Part, Direction], ...] = ()

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides on which it can be held."""
        return (Side.LEFT, Side.RIGHT) if self.sided else (Side.BOTH,)

    def seen(self, pose: Pose, side: Side) -> bool:
        """Return whether all joints that the shape depends on are seen."""
        names = {
            name.format(side=body_side, other=other(body_side)) for name in self.joints for body_side in side.of_body
        }
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
        of_trunk = Region.TRUNK in self.shape.regions or Region.LEGS in self.shape.regions
        return tuple(bounds for bounds in self.shape.ranges if of_trunk or bounds.value is not tilt)


def distance(ranges: tuple[Range, ...], bodies: Array, side: Side) -> Array:
    """Return how far (...) bodies (..., 20, 3) are from all ranges, in slacks of the range that they miss most."""
    beyond = [bounds.excess(bodies, body_side) for bounds in ranges for body_side in side.of_body]
    return np.asarray(np.max([np.broadcast_to(part, bodies.shape[:-2]) for part in beyond], axis=0))


def near(ranges: tuple[Range, ...], joints: Array, side: Side, slacks: float = _NEARLY / 2) -> bool:
    """Return whether one body (20, 3) misses no range by more than ``slacks``; most shapes fail at the first range."""
    return all(float(bounds.excess(joints, of_side)) <= slacks for bounds in ranges for of_side in side.of_body)


def share_holding(ranges: tuple[Range, ...], pose: Pose, side: Side, slacks: float = _NEARLY) -> float:
    """Return the share (0 to 1) of a pose's plausible bodies that miss no range by more than ``slacks``."""
    bodies = pose.joints[None] if pose.pose_samples is None else pose.pose_samples
    return float(np.mean(distance(ranges, bodies, side) <= slacks))


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


def surely(ranges: tuple[Range, ...], pose: Pose, side: Side) -> bool:
    """Return whether the measured body is within the ranges, or nearly so, and so are most plausible bodies."""
    return near(ranges, pose.joints, side) and share_holding(ranges, pose, side) >= SURE


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
ARMS, LEGS, TRUNK = (frozenset({region}) for region in (Region.ARMS, Region.LEGS, Region.TRUNK))
BODY = LEGS | TRUNK
WHOLE = BODY | ARMS

ARM_JOINTS = ("left_hip", "right_hip", "{side}_shoulder", "{side}_elbow", "{side}_wrist")
LEG_JOINTS = ("{side}_hip", "{side}_knee", "{side}_ankle", "{other}_hip", "{other}_knee", "{other}_ankle")
BODY_JOINTS = (*LEG_JOINTS, "left_shoulder", "right_shoulder")
ALL_JOINTS = (*BODY_JOINTS, "{side}_elbow", "{side}_wrist")

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
