"""Movement rules: a verb, its object and its direction -> the measured part and direction.

People describe the same movement in many ways: bending an arm is bending its elbow, lifting a foot or a knee
is lifting the leg, moving a left hand to the left is moving it outward. A movement that cannot be measured is
kept as stated, so that the verdict is "cannot tell" instead of "wrong".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from fmp_models.geometry.lexicon import ASIDE, HORIZONTAL, PAIRED, VERTICAL, Direction, Frame, Part, Relation, Side

_IMPLIED = {
    Relation.WIDE: Direction.APART,
    Relation.CLOSE: Direction.TOGETHER,
    Relation.SIDEWAYS: Direction.OUT,
    Relation.IN_FRONT: Direction.FORWARD,
    Relation.OVERHEAD: Direction.UP,
    Relation.ABOVE_HEAD: Direction.UP,
}
# Implied directions by part: "bring your knee to your chest", "your elbows to your waist".
_IMPLIED_OF = {
    Part.LEG: {Relation.CHEST_HEIGHT: Direction.UP, Relation.HIP_HEIGHT: Direction.UP},
    Part.KNEE: {Relation.CHEST_HEIGHT: Direction.UP, Relation.HIP_HEIGHT: Direction.UP},
    **{part: {Relation.ON_GROUND: Direction.DOWN} for part in (Part.ARM, Part.FOREARM, Part.HIPS)},
    Part.HEAD: dict.fromkeys((Relation.CHEST_HEIGHT, Relation.NEAR_KNEE), Direction.DOWN),
    Part.TRUNK: dict.fromkeys((Relation.NEAR_KNEE, Relation.NEAR_HIP, Relation.NEAR_FOOT), Direction.FORWARD),
    Part.ELBOW: {
        Relation.HANGING: Direction.IN,
        Relation.NEAR_HIP: Direction.IN,
        Relation.ON_GROUND: Direction.DOWN,
    },
}
Key = tuple[Side, Part, Direction]


@dataclass(frozen=True)
class SpokenMovement:
    """The words read around one verb: action, directions, relations and degree, named as in the grammar."""

    action: str
    ways: tuple[str, ...]
    relations: tuple[Relation, ...]
    states: tuple[str, ...]  # end states of the part: "straight"
    degree: str
    towards: bool  # towards something that is not a body part
    sideways_turns: bool  # in this language bending sideways is turning


def moves(side: Side, part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Key]:
    """Return what one object of a verb does, one key per direction; empty if no known direction is given."""
    action = movement.action
    if action == "look":
        return _looked(part, ways)
    if action in {"cross", "uncross"}:
        crossed = part.limb.end
        side = Side.BOTH if side is Side.NONE else side
        away = Direction.APART if side is Side.BOTH else Direction.OUT
        return [(side, crossed, Direction.IN if action == "cross" else away)] if crossed else []
    opened = action == "apart" and part in {Part.ELBOW, Part.KNEE} and not ASIDE & {*ways}
    if action == "straighten" or opened:
        return _straightened(side, part)
    if action in {"bend", "lean"}:
        return _bent(side, part, movement, ways)
    faces = action in {"point", "aim", "face"} or (Direction.TURN in ways and bool(ASIDE & {*ways}))
    return _turned(side, part, ways) if action == "turn" or (faces and turning(part)) else []


def _straightened(side: Side, part: Part) -> list[Key]:
    if part.hinge:
        return [(side, part.hinge, Direction.STRAIGHTEN)]
    return [(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN)] if part in {Part.TRUNK, Part.BODY} else []


def _bent(side: Side, part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Key]:
    bends, both = movement.action == "bend", movement.sideways_turns
    sideways = {Direction.LEFT, Direction.RIGHT} & {*ways}
    if bends and both and not ways and _turned_rather(part, movement):
        turned = turning(part)
        return [(side if turned.sided else Side.NONE, turned, Direction.TURN)] if turned else []
    # If both knees are bent to one side, the body turns that way.
    pair = side not in {Side.LEFT, Side.RIGHT}
    turns = part.hinge is None or part in {Part.HAND, Part.FOOT} or (part is Part.KNEE and pair)
    if bends and ((part is Part.FOOT and ways) or (both and sideways and turns)):
        return _turned(side, part, ways)  # bending a foot in a direction turns its toes
    joint = part.hinge
    if part is Part.HAND and not (bends and Relation.RIGHT_ANGLE in movement.relations):
        joint = None
    tips = part in {Part.ELBOW, Part.KNEE} and not ASIDE & {*ways}
    if joint and (bends or tips or (both and not ways and part in {Part.FOOT, Part.LEG})):
        return [(side, joint, Direction.BEND)]
    # If one word means "bend" and "turn", it needs a direction to mean either; "lean" then means forward.
    return _leaned(side, part, ways, bends=bends is not both and (bends or not movement.towards))


def _turned_rather(part: Part, movement: SpokenMovement) -> bool:
    """Return whether a verb that means both "bend" and "turn" means "turn"; a whole body or a head is not bent."""
    return part in {Part.BODY, Part.HEAD} or (movement.towards and turning(part) is not None)


def _turned(side: Side, part: Part, ways: list[Direction]) -> list[Key]:
    way = next((way for way in ways if way in ASIDE), None)
    if way is None:
        return _leaned(side, part, [way for way in ways if way in VERTICAL]) if part is Part.HEAD else []
    turned = turning(part)
    if turned is Part.FOOT:
        return [(side, turned, _outward(side, way).turn)]
    return [(Side.NONE, turned, way.turn)] if turned in {Part.BODY, Part.TRUNK} else [(side, part, way.turn)]


def _leaned(side: Side, part: Part, ways: list[Direction], *, bends: bool = False) -> list[Key]:
    if part is Part.HEAD:
        tips = [_tipped(way) for way in ways if way in VERTICAL | HORIZONTAL]  # "down and to the left"
        tips = tips or ([Direction.FORWARD] if bends and not ways else [])
        return [(Side.NONE, Part.HEAD, way) for way in dict.fromkeys(tips)]
    if part is Part.SHOULDER and side in {Side.LEFT, Side.RIGHT} and ways[:1] == [Direction.DOWN]:
        return [(side, part, Direction.DOWN)]
    if part in {Part.TRUNK, Part.BODY, Part.HIPS, Part.SHOULDER}:
        leans = [way for way in ways if way in HORIZONTAL][:1]
        if not leans and (Direction.DOWN in ways or (bends and not ways)):
            leans = [Direction.FORWARD]
        return [(Side.NONE, Part.TRUNK, way) for way in leans]
    return []


def _looked(part: Part, ways: list[Direction]) -> list[Key]:
    """Return the head movement of looking up, down or sideways; looking ahead or at the room moves only the eyes."""
    if part is not Part.HEAD:
        return []
    return [(Side.NONE, part, way.turn if way in ASIDE else _tipped(way)) for way in ways if way in ASIDE | VERTICAL]


def _tipped(way: Direction) -> Direction:
    """Return the direction in which a head tips that goes up or down."""
    return {Direction.UP: Direction.BACKWARD, Direction.DOWN: Direction.FORWARD}.get(way, way)


def moved(side: Side, part: Part, relations: tuple[Relation, ...], ways: list[Direction]) -> list[Key]:
    """Return the keys of a plain movement, one per direction; a relation alone may imply the direction."""
    if not ways:
        implied = _IMPLIED | _IMPLIED_OF.get(part, {})
        ways = [implied[relation] for relation in relations if relation in implied][:1]
    if part is Part.HAND and not ways and Relation.ON_GROUND in relations:
        ways = [Direction.DOWN]
    if part is Part.FOOT and not ways and Relation.NEAR_FOOT in relations:
        ways = [Direction.TOGETHER]
    keys = [_placed(side, part, way) for way in ways]
    return list(dict.fromkeys(key for key in keys if key is not None))


def _placed(side: Side, part: Part, way: Direction) -> Key | None:
    if way is Direction.TURN:
        turned = turning(part)
        return (side if turned.sided else Side.NONE, turned, way) if turned else None
    if way in PAIRED:
        return _spread(side, part, way)
    return _shifted(side, part, way) if part.sided else _swayed(part, way)


def _spread(side: Side, part: Part, way: Direction) -> Key | None:
    end = part.end
    if end is None or (side in {Side.LEFT, Side.RIGHT} and (end, way) != (Part.FOOT, Direction.TOGETHER)):
        return None  # one foot can be put next to the other
    return (Side.BOTH, end, way)


def _shifted(side: Side, part: Part, way: Direction) -> Key:
    """Return the key of a sided part that goes in a direction."""
    way = _outward(side, way)
    if part in {Part.FOOT, Part.LEG} and side is Side.BOTH and way.frame is Frame.PART:
        way = way.within(Frame.PAIR)
    if way in VERTICAL:
        parts = {Part.ELBOW: Part.ARM, Part.KNEE: Part.LEG, Part.FOOT: Part.LEG}
    else:
        parts = {Part.ELBOW: Part.ARM, Part.FOREARM: Part.HAND, Part.LEG: Part.FOOT}
        if way not in HORIZONTAL | ASIDE | PAIRED:
            parts = {}
    return (side, parts.get(part, part), way)


def _swayed(part: Part, way: Direction) -> Key | None:
    """Return the key of an unsided part that goes in a direction.

    The middle of the body cannot move out or in, except that hips stick out backwards.
    """
    if way in {Direction.OUT, Direction.IN}:
        return (Side.NONE, part, Direction.BACKWARD) if (part, way) == (Part.HIPS, Direction.OUT) else None
    if way in VERTICAL and part is Part.HEAD:
        return (Side.NONE, part, _tipped(way))
    if way in VERTICAL and part is Part.TRUNK:
        return (Side.NONE, part, Direction.STRAIGHTEN if way is Direction.UP else Direction.BEND)
    if way in VERTICAL and part is Part.HIPS:
        part = Part.BODY
    return (Side.NONE, part, way)


def _outward(side: Side, way: Direction) -> Direction:
    return way.of_part(side) if way in ASIDE else way


def turning(part: Part) -> Part | None:
    """Return what turns if the part is turned towards something; None for arms, which only turn their palms."""
    match part:
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW:
            return None
        case Part.LEG | Part.KNEE | Part.FOOT:
            return Part.FOOT
        case Part.HIPS | Part.BODY:
            return Part.BODY
        case Part.SHOULDER | Part.TRUNK:
            return Part.TRUNK
        case Part.HEAD:
            return Part.HEAD
        case _:
            assert_never(part)
