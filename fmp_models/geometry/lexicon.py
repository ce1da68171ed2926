"""Lexicon of the body, and clauses made of it: sides, parts, directions, end states, and parts that a person excludes.

To add a part or a direction, add a member and its row in ``_PARTS`` or ``_DIRECTIONS``; mypy and the tests then name
every place that has to decide what it means. Geometry, languages and views read the facts as properties, such as
``part.limb`` or ``direction.reverse``.

A clause is a language-neutral instruction, and a plan is a tuple of clauses, most important first. Realisers produce
text from clauses, parsers produce clauses from text, and the geometry judges them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from fmp_models.errors import BadInputError
from fmp_models.pose import BODY_PARTS, BODY_SIDES, JOINTS, BodySide


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
        return _PARTS[self].plural is not None

    @property
    def plural(self) -> str:
        """The plain English word for the left and the right one together; the part itself if it has no side."""
        return _PARTS[self].plural or self.value

    @property
    def limb(self) -> Part:
        """The arm or leg that the part belongs to, else the part itself."""
        return _PARTS[self].limb or self

    @property
    def of_limb(self) -> bool:
        """True if the part is an arm, a leg or a part of one."""
        return _PARTS[self].limb is not None

    @property
    def hinge(self) -> Part | None:
        """The elbow or knee where the part's limb bends; ``None`` outside arms and legs."""
        return _PARTS[self].hinge

    @property
    def end(self) -> Part | None:
        """The part that comes nearer or goes further in "together" and "apart"; ``None`` outside arms and legs."""
        return _PARTS[self].end

    @property
    def turns(self) -> Part | None:
        """The part that turns if this one is said to; ``None`` for arms, which only turn their palms."""
        return _PARTS[self].turns

    @property
    def region(self) -> ShapeRegion | None:
        """The region of shapes that the part belongs to; ``None`` for heads and shoulders."""
        return _PARTS[self].region or {Part.ARM: ShapeRegion.ARMS, Part.LEG: ShapeRegion.LEGS}.get(self.limb)

    def joints(self, side: Side) -> tuple[str, ...]:
        """Return the joints of the part on a side, on both sides for ``BOTH``, from the body outwards."""
        names = _PARTS[self].joints
        return tuple(f"{s}_{name}" for s in side.of_body for name in names) if self.sided else names

    def ends(self, side: Side) -> tuple[str, ...]:
        """Return the joints where an arm or a leg bends and ends: elbow and wrist, or knee and ankle."""
        return self.limb.joints(side)[1:3] if self.of_limb else ()


class ShapeRegion(StrEnum):
    """Region of the body that a shape fully describes: its parts are not listed again with the shape's name."""

    ARMS = "arms"
    LEGS = "legs"
    TRUNK = "trunk"


class _PartRow(NamedTuple):
    """Facts of a part; joints are named without their side if there is a plural."""

    joints: tuple[str, ...]
    plural: str | None = None
    limb: Part | None = None
    hinge: Part | None = None
    end: Part | None = None
    turns: Part | None = None
    region: ShapeRegion | None = None


_PARTS: Mapping[Part, _PartRow] = {
    Part.ARM: _PartRow(("shoulder", "elbow", "wrist", "hand"), "arms", Part.ARM, Part.ELBOW, Part.HAND),
    Part.FOREARM: _PartRow(("elbow", "wrist", "hand"), "forearms", Part.ARM, Part.ELBOW, Part.HAND),
    Part.HAND: _PartRow(("wrist", "hand"), "hands", Part.ARM, Part.ELBOW, Part.HAND),
    Part.ELBOW: _PartRow(("elbow",), "elbows", Part.ARM, Part.ELBOW, Part.ELBOW),
    Part.SHOULDER: _PartRow(("shoulder",), "shoulders", turns=Part.TRUNK),
    Part.HEAD: _PartRow(("head",), turns=Part.HEAD),
    Part.TRUNK: _PartRow(BODY_PARTS["trunk"], turns=Part.TRUNK, region=ShapeRegion.TRUNK),
    Part.HIPS: _PartRow(("hip", "left_hip", "right_hip"), turns=Part.BODY, region=ShapeRegion.LEGS),
    Part.LEG: _PartRow(("hip", "knee", "ankle", "foot"), "legs", Part.LEG, Part.KNEE, Part.FOOT, Part.FOOT),
    Part.KNEE: _PartRow(("knee",), "knees", Part.LEG, Part.KNEE, Part.KNEE, Part.FOOT),
    Part.FOOT: _PartRow(("ankle", "foot"), "feet", Part.LEG, Part.KNEE, Part.FOOT, Part.FOOT),
    Part.BODY: _PartRow(JOINTS, turns=Part.BODY, region=ShapeRegion.LEGS),
}

# The arm and the leg with the parts of each.
LIMBS: Mapping[Part, frozenset[Part]] = {
    limb: frozenset(part for part in Part if _PARTS[part].limb is limb) for limb in Part if _PARTS[limb].limb is limb
}


class BodyAxis(StrEnum):
    """BodyAxis of a movement; each has a direction and its reverse in every frame that it occurs in."""

    VERTICAL = "vertical"
    SAGITTAL = "sagittal"
    LATERAL = "lateral"
    BEND = "bend"
    YAW = "yaw"


class Frame(StrEnum):
    """What the sign of a direction is relative to: the ``PERSON``, the side of the ``PART``, or a ``PAIR`` of parts."""

    PERSON = "person"
    PART = "part"
    PAIR = "pair"


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
    def axis(self) -> BodyAxis | None:
        """The axis of the movement; ``None`` if the direction has none."""
        return _DIRECTIONS[self].axis

    @property
    def frame(self) -> Frame | None:
        """What the direction is relative to; ``None`` if it is not known or there is no movement."""
        return _DIRECTIONS[self].frame

    @property
    def sign(self) -> int:
        """1 for the positive direction of an axis, as in the measures, -1 for its reverse, 0 for neither."""
        return _DIRECTIONS[self].sign

    @property
    def reverse(self) -> Direction:
        """The opposite direction."""
        return _NAMED.get((self.axis, self.frame, -self.sign), self)

    @property
    def mirrored(self) -> Direction:
        """The direction in a mirror image; ``OUT`` and ``IN`` follow the side of the part and stay."""
        own = self.frame is Frame.PERSON and self.axis in {BodyAxis.LATERAL, BodyAxis.YAW}
        return self.reverse if own else self

    @property
    def turn(self) -> Direction:
        """The turn in this direction, such as ``TURN_LEFT`` for ``LEFT``; itself if there is none."""
        return _NAMED.get((BodyAxis.YAW, self.frame, self.sign), self) if self in ASIDE else self

    def within(self, frame: Frame) -> Direction:
        """Return the direction in another frame with the same sign: ``APART`` for ``OUT``; itself if it has none."""
        return _NAMED.get((self.axis, frame, self.sign), self)

    def of_part(self, side: Side) -> Direction:
        """Return the direction as seen from one side of the body: ``LEFT`` and ``TURN_LEFT`` lead a left part out."""
        if self.frame is not Frame.PERSON or side not in {Side.LEFT, Side.RIGHT}:
            return self
        return (self.mirrored if side is Side.RIGHT else self).within(Frame.PART)

    def of_person(self, side: Side) -> Direction:
        """Return the direction of a part on one side as the person's own: ``OUT`` leads a left part to the left."""
        if self.frame is not Frame.PART or side not in {Side.LEFT, Side.RIGHT}:
            return self
        own = self.within(Frame.PERSON)
        return own.mirrored if side is Side.RIGHT else own


class _DirectionRow(NamedTuple):
    """Facts of a direction."""

    axis: BodyAxis | None = None
    sign: int = 0
    frame: Frame | None = None


_DIRECTIONS: Mapping[Direction, _DirectionRow] = {
    Direction.UP: _DirectionRow(BodyAxis.VERTICAL, 1, Frame.PERSON),
    Direction.DOWN: _DirectionRow(BodyAxis.VERTICAL, -1, Frame.PERSON),
    Direction.FORWARD: _DirectionRow(BodyAxis.SAGITTAL, 1, Frame.PERSON),
    Direction.BACKWARD: _DirectionRow(BodyAxis.SAGITTAL, -1, Frame.PERSON),
    Direction.LEFT: _DirectionRow(BodyAxis.LATERAL, 1, Frame.PERSON),
    Direction.RIGHT: _DirectionRow(BodyAxis.LATERAL, -1, Frame.PERSON),
    Direction.OUT: _DirectionRow(BodyAxis.LATERAL, 1, Frame.PART),
    Direction.IN: _DirectionRow(BodyAxis.LATERAL, -1, Frame.PART),
    Direction.BEND: _DirectionRow(BodyAxis.BEND, -1, Frame.PART),
    Direction.STRAIGHTEN: _DirectionRow(BodyAxis.BEND, 1, Frame.PART),
    Direction.APART: _DirectionRow(BodyAxis.LATERAL, 1, Frame.PAIR),
    Direction.TOGETHER: _DirectionRow(BodyAxis.LATERAL, -1, Frame.PAIR),
    Direction.TURN_LEFT: _DirectionRow(BodyAxis.YAW, 1, Frame.PERSON),
    Direction.TURN_RIGHT: _DirectionRow(BodyAxis.YAW, -1, Frame.PERSON),
    Direction.TURN_OUT: _DirectionRow(BodyAxis.YAW, 1, Frame.PART),
    Direction.TURN_IN: _DirectionRow(BodyAxis.YAW, -1, Frame.PART),
    Direction.KEEP: _DirectionRow(),
    Direction.UNSEEN: _DirectionRow(),
    Direction.REACH: _DirectionRow(),
    Direction.MOVE: _DirectionRow(),
    Direction.TURN: _DirectionRow(),
}
_NAMED = {(row.axis, row.frame, row.sign): direction for direction, row in _DIRECTIONS.items() if row.sign}

# Directions that rules treat alike.
VERTICAL = frozenset(d for d in Direction if d.axis is BodyAxis.VERTICAL)
PAIRED = frozenset(d for d in Direction if d.frame is Frame.PAIR)
ASIDE = frozenset(d for d in Direction if d.axis is BodyAxis.LATERAL) - PAIRED
HORIZONTAL = frozenset(d for d in Direction if d.axis is BodyAxis.SAGITTAL or (d in ASIDE and d.frame is Frame.PERSON))
TURNS = frozenset(d for d in Direction if d.axis is BodyAxis.YAW)
BODY_TURNS = frozenset(d for d in TURNS if d.frame is Frame.PERSON)
SOMEWHERE = frozenset({Direction.MOVE, Direction.TURN})  # without a known direction
UNCHANGED = frozenset({Direction.KEEP, Direction.UNSEEN})  # nothing is asked to change
IN_PLACE = frozenset({Direction.KEEP, Direction.REACH})  # a place is stated, and no movement
NO_MOVEMENT = UNCHANGED | IN_PLACE


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
STANCES = frozenset({Relation.CLOSE, Relation.SHOULDER_WIDTH, Relation.WIDE})  # of the feet


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
            return f"both {self.part.plural}"
        return f"{self.side.value} {self.part.value}"

    @property
    def mirrored(self) -> Clause:
        """The clause of the mirrored pair."""
        return replace(self, side=self.side.mirrored, direction=self.direction.mirrored)


Plan = tuple[Clause, ...]

# Body parts that a person excludes from a correction, and the joints that then count as not seen.
_ENDS = {"arm": ("elbow", "wrist", "hand"), "leg": ("knee", "ankle", "foot")}
# The parts that a page offers one by one, and their joints. Hips and shoulders stay: they give the orientation.
SINGLE_EXCLUDABLE_PARTS: dict[str, frozenset[str]] = {
    **{
        f"{side}_{limb}": frozenset(f"{side}_{end}" for end in ends)
        for limb, ends in _ENDS.items()
        for side in BODY_SIDES
    },
    "trunk": frozenset({"spine", "neck"}),
    "head": frozenset({"head"}),
}
# All parts that can be excluded, including both arms or both legs under one name.
EXCLUDABLE_PARTS: dict[str, frozenset[str]] = {
    **SINGLE_EXCLUDABLE_PARTS,
    **{
        f"{limb}s": frozenset.union(*(SINGLE_EXCLUDABLE_PARTS[f"{side}_{limb}"] for side in BODY_SIDES))
        for limb in _ENDS
    },
}


def joints_left_out(parts: Iterable[object]) -> frozenset[str]:
    """Return the joints of all ``parts``; raise :class:`BadInputError` (``unknown_part``) for an unknown part."""
    names: frozenset[str] = frozenset()
    for part in parts:
        if not isinstance(part, str) or part not in EXCLUDABLE_PARTS:
            raise BadInputError("unknown_part", part=str(part)[:30], known=", ".join(EXCLUDABLE_PARTS))
        names |= EXCLUDABLE_PARTS[part]
    return names
