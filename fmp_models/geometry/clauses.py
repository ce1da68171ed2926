"""Clauses: language-neutral instructions with a part, a direction, a degree and the relations reached.

A plan is a tuple of clauses, most important first. Realisers produce text from clauses, parsers produce
clauses from text, and the geometry judges them. Everything that a text can say and joints can show is
listed here once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from fmp_models.pose import BODY_SIDES, BodySide


class Side(StrEnum):
    """Side of a part: ``NONE`` for parts that have no side."""

    LEFT = "left"
    RIGHT = "right"
    BOTH = "both"
    NONE = "none"

    @property
    def mirrored(self) -> Side:
        """The side in a mirror image."""
        return {Side.LEFT: Side.RIGHT, Side.RIGHT: Side.LEFT}.get(self, self)

    @property
    def each(self) -> tuple[Side, ...]:
        """Left and right for ``BOTH``, else the side itself."""
        return (Side.LEFT, Side.RIGHT) if self is Side.BOTH else (self,)

    @property
    def of_body(self) -> tuple[BodySide, ...]:
        """The sides of the body that it may mean: both of them for ``BOTH`` and ``NONE``."""
        if self is Side.LEFT:
            return ("left",)
        return ("right",) if self is Side.RIGHT else BODY_SIDES


class Part(StrEnum):
    """Body part that moves. ``BODY`` is the whole person, ``HIPS`` the pelvis over the feet."""

    ARM = "arm"
    FOREARM = "forearm"
    HAND = "hand"
    ELBOW = "elbow"
    SHOULDER = "shoulder"
    HEAD = "head"
    TRUNK = "trunk"
    HIPS = "hips"
    LEG = "leg"
    KNEE = "knee"
    FOOT = "foot"
    BODY = "body"

    @property
    def sided(self) -> bool:
        """True if the body has a left and a right one."""
        return self not in {Part.HEAD, Part.TRUNK, Part.HIPS, Part.BODY}


class Direction(StrEnum):
    """Direction of a movement.

    ``OUT`` and ``IN`` are away from and towards the middle of the body; left, right and turns are the
    person's own.
    """

    UP = "up"
    DOWN = "down"
    FORWARD = "forward"
    BACKWARD = "backward"
    LEFT = "left"
    RIGHT = "right"
    OUT = "out"
    IN = "in"
    BEND = "bend"
    STRAIGHTEN = "straighten"
    APART = "apart"
    TOGETHER = "together"
    TURN_LEFT = "turn left"
    TURN_RIGHT = "turn right"
    TURN_OUT = "turn out"
    TURN_IN = "turn in"
    KEEP = "keep"
    UNSEEN = "unseen"  # the part could not be judged
    # Read from texts, never planned: where a part is without a direction, or a direction given only by the room,
    # such as "towards the window".
    REACH = "reach"
    MOVE = "move"
    TURN = "turn"

    @property
    def reverse(self) -> Direction:
        """The opposite direction."""
        return _REVERSE.get(self, self)

    @property
    def mirrored(self) -> Direction:
        """The direction in a mirror image; ``OUT`` and ``IN`` follow the side of the part and stay."""
        return _MIRRORED.get(self, self)


class Degree(StrEnum):
    """Size of a movement, by the three thresholds of each measure in ``measures.py``."""

    SLIGHT = "slight"
    PLAIN = "plain"
    FAR = "far"


class Relation(StrEnum):
    """End state of a part, independent of its start."""

    HANGING = "hanging by the side"
    SHOULDER_HEIGHT = "at shoulder height"
    OVERHEAD = "straight up"
    SIDEWAYS = "to the side"
    IN_FRONT = "in front"
    ABOVE_HEAD = "above the head"
    HEAD_HEIGHT = "at head height"
    CHEST_HEIGHT = "at chest height"
    HIP_HEIGHT = "at hip height"
    NEAR_HEAD = "next to the head"
    NEAR_HIP = "next to the hip"
    NEAR_KNEE = "next to the knee"
    NEAR_FOOT = "next to the foot"
    RIGHT_ANGLE = "at a right angle"
    STRAIGHT = "straight"
    UPRIGHT = "upright"
    ON_GROUND = "on the ground"
    CLOSE = "close together"
    SHOULDER_WIDTH = "shoulder width apart"
    WIDE = "wide apart"
    AGAINST_LEG = "against the other leg"
    SITTING = "sitting"
    KNEELING = "kneeling"
    LYING = "lying"
    STANDING = "standing"


# The second direction of an arm that ends in one of these: raised "out to the sides" it also goes outward.
SWINGS: Mapping[Relation, Direction] = {Relation.SIDEWAYS: Direction.OUT, Relation.IN_FRONT: Direction.FORWARD}

_REVERSE = {
    a: b
    for pair in (
        (Direction.UP, Direction.DOWN),
        (Direction.FORWARD, Direction.BACKWARD),
        (Direction.LEFT, Direction.RIGHT),
        (Direction.OUT, Direction.IN),
        (Direction.BEND, Direction.STRAIGHTEN),
        (Direction.APART, Direction.TOGETHER),
        (Direction.TURN_LEFT, Direction.TURN_RIGHT),
        (Direction.TURN_OUT, Direction.TURN_IN),
    )
    for a, b in (pair, pair[::-1])
}
_MIRRORED = {
    Direction.LEFT: Direction.RIGHT,
    Direction.RIGHT: Direction.LEFT,
    Direction.TURN_LEFT: Direction.TURN_RIGHT,
    Direction.TURN_RIGHT: Direction.TURN_LEFT,
}


@dataclass(frozen=True, order=True)
class Clause:
    """One instruction: *left* *knee*, *bend*, *slight*; the relations reached are in a fixed order."""

    side: Side
    part: Part
    direction: Direction
    degree: Degree = Degree.PLAIN
    relations: tuple[Relation, ...] = ()

    @property
    def part_name(self) -> str:
        """The part with its side in plain English, as in ``--json``: ``left knee``, ``both arms``, ``trunk``."""
        if self.side is Side.NONE:
            return self.part.value
        if self.side is Side.BOTH:
            return "both " + {"foot": "feet"}.get(self.part.value, self.part.value + "s")
        return f"{self.side.value} {self.part.value}"

    @property
    def mirrored(self) -> Clause:
        """The clause of the mirrored pair."""
        return replace(self, side=self.side.mirrored, direction=self.direction.mirrored)


Plan = tuple[Clause, ...]
