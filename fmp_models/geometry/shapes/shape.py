"""Shape: a named end state, the ranges that tell it, and how surely a pose holds it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.pose_values import other
from fmp_models.geometry.relations import Range
from fmp_models.geometry.shapes.values import tilt
from fmp_models.pose import INDEX, Array, Pose

SURE = 0.6  # share of the plausible bodies that must reach the end of one limb that is named
HELD = 0.4  # the same of a named shape, whose many ranges must hold all at once; the measured body holds them anyway
_NEARLY = 1.0  # slacks by which a plausible body may miss a range
_MISSED = 2.0  # slacks more, beyond which a range is missed no further


class Region(StrEnum):
    """What a shape says all about: its parts are not listed again beside its name."""

    ARMS = "arms"
    LEGS = "legs"
    TRUNK = "trunk"


@dataclass(frozen=True)
class Shape:
    """A named end state: every range holds, of both sides, or of the one that the shape is held on.

    ``joints`` must be seen, with ``{side}`` for either side. ``watched`` are the movements in which two people who
    both hold the shape are compared more finely, first things first.
    """

    name: str
    regions: frozenset[Region]
    ranges: tuple[Range, ...]
    joints: tuple[str, ...]
    sided: bool = False
    watched: tuple[tuple[Part, Direction], ...] = ()

    @property
    def sides(self) -> tuple[Side, ...]:
        """Where it can be held."""
        return (Side.LEFT, Side.RIGHT) if self.sided else (Side.BOTH,)

    def seen(self, pose: Pose, side: Side) -> bool:
        """Return whether every joint that tells the shape is seen."""
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
    """A shape that a text names, and the side to hold it on: ``NONE`` where a sided shape may be held on either."""

    shape: Shape
    side: Side

    @property
    def sides(self) -> tuple[Side, ...]:
        """Where it may be held."""
        return self.shape.sides if self.side is Side.NONE else (self.side,)

    @property
    def ranges(self) -> tuple[Range, ...]:
        """What the text asks for: one that says where arms are says nothing of how the trunk leans."""
        of_trunk = Region.TRUNK in self.shape.regions or Region.LEGS in self.shape.regions
        return tuple(bounds for bounds in self.shape.ranges if of_trunk or bounds.value is not tilt)


def distance(ranges: tuple[Range, ...], bodies: Array, side: Side) -> Array:
    """Return how far (...) bodies (..., 20, 3) are from all ranges, in slacks of the one that they miss most."""
    beyond = [bounds.excess(bodies, body_side) for bounds in ranges for body_side in side.of_body]
    return np.asarray(np.max([np.broadcast_to(part, bodies.shape[:-2]) for part in beyond], axis=0))


def near(ranges: tuple[Range, ...], joints: Array, side: Side, slacks: float = _NEARLY / 2) -> bool:
    """Return whether one body (20, 3) misses no range by more than so many slacks; most shapes fail at the first."""
    return all(float(bounds.excess(joints, of_side)) <= slacks for bounds in ranges for of_side in side.of_body)


def share_holding(ranges: tuple[Range, ...], pose: Pose, side: Side, slacks: float = _NEARLY) -> float:
    """Return the share (0 to 1) of a pose's plausible bodies that miss no range by more than so many slacks."""
    bodies = pose.joints[None] if pose.plausible is None else pose.plausible
    return float(np.mean(distance(ranges, bodies, side) <= slacks))


def nearness(ranges: tuple[Range, ...], pose: Pose, side: Side) -> float:
    """Return how near (0 to 1) the plausible bodies of a pose come to holding all ranges: 1 where all hold them.

    What a body misses is summed over the ranges, so that one that misses a single range is nearer than others.
    """
    bodies = pose.joints[None] if pose.plausible is None else pose.plausible
    missed = sum(
        np.clip(np.max([bounds.excess(bodies, of_side) for of_side in side.of_body], axis=0) - _NEARLY, 0.0, _MISSED)
        for bounds in ranges
    )
    return float(np.mean(np.exp(-missed)))


def surely(ranges: tuple[Range, ...], pose: Pose, side: Side) -> bool:
    """Return whether the measured body is within the ranges, or nearly so, and so are most plausible ones."""
    return near(ranges, pose.joints, side) and share_holding(ranges, pose, side) >= SURE


def held_among(shapes: tuple[Shape, ...], pose: Pose, least: float = HELD) -> tuple[HeldShape, ...]:
    """Return which of the shapes at least a share of the plausible bodies hold, in their order."""
    held = []
    for shape in shapes:
        for side in shape.sides:
            if not shape.seen(pose, side) or not near(shape.ranges, pose.joints, side):
                continue
            share = share_holding(shape.ranges, pose, side)
            if share >= least:
                held.append(HeldShape(shape, side, share))
    return tuple(held)


# What shapes say all about, the joints that tell them, and the movements in which they are watched.
ARMS, LEGS, TRUNK = (frozenset({region}) for region in (Region.ARMS, Region.LEGS, Region.TRUNK))
BODY = LEGS | TRUNK
WHOLE = BODY | ARMS

ARM_JOINTS = ("left_hip", "right_hip", "{side}_shoulder", "{side}_elbow", "{side}_wrist")
LEG_JOINTS = ("{side}_hip", "{side}_knee", "{side}_ankle", "{other}_hip", "{other}_knee", "{other}_ankle")
BODY_JOINTS = (*LEG_JOINTS, "left_shoulder", "right_shoulder")
ALL_JOINTS = (*BODY_JOINTS, "{side}_elbow", "{side}_wrist")

UP_ARM = (Part.ARM, Direction.UP)
KNEE, HEIGHT = (Part.KNEE, Direction.STRAIGHTEN), (Part.BODY, Direction.UP)
LEAN, ASIDE, ELBOW = (
    (Part.TRUNK, Direction.FORWARD),
    (Part.TRUNK, Direction.LEFT),
    (Part.ELBOW, Direction.STRAIGHTEN),
)
WIDTH, LIFT = (Part.FOOT, Direction.APART), (Part.LEG, Direction.UP)
