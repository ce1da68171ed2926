"""Movement rules: a verb, its object and its direction -> the measured part and direction.

People describe the same movement in many ways: bending an arm is bending its elbow, lifting a foot or a knee
is lifting the leg, moving a left hand to the left is moving it outward. A movement that cannot be measured is
kept as stated, so that the verdict is "cannot tell" instead of "wrong".
"""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.geometry.clauses import Direction, Part, Relation, Side

_LIMB_ENDS = {
    Part.ARM: Part.HAND,
    Part.FOREARM: Part.HAND,
    Part.HAND: Part.HAND,
    Part.LEG: Part.FOOT,
    Part.FOOT: Part.FOOT,
    Part.KNEE: Part.KNEE,
    Part.ELBOW: Part.ELBOW,
}
BENT = {
    Part.ARM: Part.ELBOW,
    Part.FOREARM: Part.ELBOW,
    Part.ELBOW: Part.ELBOW,
    Part.LEG: Part.KNEE,
    Part.KNEE: Part.KNEE,
}
STRETCHED = {**BENT, Part.HAND: Part.ELBOW, Part.FOOT: Part.KNEE}
_LEANS = {Direction.LEFT, Direction.RIGHT, Direction.FORWARD, Direction.BACKWARD}
_ACROSS = {Direction.LEFT, Direction.RIGHT, Direction.OUT, Direction.IN}
_VERTICAL = {Direction.UP, Direction.DOWN}
_TURNS = {
    Direction.LEFT: Direction.TURN_LEFT,
    Direction.RIGHT: Direction.TURN_RIGHT,
    Direction.OUT: Direction.TURN_OUT,
    Direction.IN: Direction.TURN_IN,
}
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
_NEVER_TURNS = frozenset({Part.ARM, Part.FOREARM, Part.HAND, Part.ELBOW})
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
        crossed = {Part.KNEE: Part.FOOT, Part.ELBOW: Part.HAND}.get(part, _LIMB_ENDS.get(part))
        side = Side.BOTH if side is Side.NONE else side
        away = Direction.APART if side is Side.BOTH else Direction.OUT
        return [(side, crossed, Direction.IN if action == "cross" else away)] if crossed else []
    opened = action == "apart" and part in {Part.ELBOW, Part.KNEE} and not _ACROSS & {*ways}
    if action == "straighten" or opened:
        return _straightened(side, part)
    if action in {"bend", "lean"}:
        return _bent(side, part, movement, ways)
    faces = action in {"point", "aim", "face"} or (Direction.TURN in ways and bool(_TURNS.keys() & {*ways}))
    return _turned(side, part, ways) if action == "turn" or (faces and turning(part)) else []


def _straightened(side: Side, part: Part) -> list[Key]:
    if part in STRETCHED:
        return [(side, STRETCHED[part], Direction.STRAIGHTEN)]
    return [(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN)] if part in {Part.TRUNK, Part.BODY} else []


def _bent(side: Side, part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Key]:
    bends, both = movement.action == "bend", movement.sideways_turns
    sideways = {Direction.LEFT, Direction.RIGHT} & {*ways}
    if bends and both and not ways and _turned_rather(part, movement):
        turned = turning(part)
        return [(side if turned.sided else Side.NONE, turned, Direction.TURN)] if turned else []
    # If both knees are bent to one side, the body turns that way.
    turns = part not in BENT or (part is Part.KNEE and side not in {Side.LEFT, Side.RIGHT})
    if bends and ((part is Part.FOOT and ways) or (both and sideways and turns)):
        return _turned(side, part, ways)  # bending a foot in a direction turns its toes
    joint = BENT.get(part, Part.KNEE if part is Part.FOOT else None)
    if bends and part is Part.HAND and Relation.RIGHT_ANGLE in movement.relations:
        joint = Part.ELBOW
    tips = part in {Part.ELBOW, Part.KNEE} and not _ACROSS & {*ways}
    if joint and (bends or tips or (both and not ways and part in {Part.FOOT, Part.LEG})):
        return [(side, joint, Direction.BEND)]
    # If one word means "bend" and "turn", it needs a direction to mean either; "lean" then means forward.
    return _leaned(side, part, ways, bends=bends is not both and (bends or not movement.towards))


def _turned_rather(part: Part, movement: SpokenMovement) -> bool:
    """Return whether a verb that means both "bend" and "turn" means "turn"; a whole body or a head is not bent."""
    return part in {Part.BODY, Part.HEAD} or (movement.towards and turning(part) is not None)


def _turned(side: Side, part: Part, ways: list[Direction]) -> list[Key]:
    way = next((way for way in ways if way in _TURNS), None)
    if way is None:
        return _leaned(side, part, [way for way in ways if way in _VERTICAL]) if part is Part.HEAD else []
    if part in {Part.FOOT, Part.LEG, Part.KNEE}:
        return [(side, Part.FOOT, _TURNS[_outward(side, way)])]
    if part in {Part.BODY, Part.HIPS}:
        return [(Side.NONE, Part.BODY, _TURNS[way])]
    if part in {Part.TRUNK, Part.SHOULDER}:
        return [(Side.NONE, Part.TRUNK, _TURNS[way])]
    return [(side, part, _TURNS[way])]


def _leaned(side: Side, part: Part, ways: list[Direction], *, bends: bool = False) -> list[Key]:
    if part is Part.HEAD:
        tips = [_HEAD_WAYS[way] for way in ways if way in _HEAD_WAYS]  # "down and to the left"
        tips = tips or ([Direction.FORWARD] if bends and not ways else [])
        return [(Side.NONE, Part.HEAD, way) for way in dict.fromkeys(tips)]
    if part is Part.SHOULDER and side in {Side.LEFT, Side.RIGHT} and ways[:1] == [Direction.DOWN]:
        return [(side, part, Direction.DOWN)]
    if part in {Part.TRUNK, Part.BODY, Part.HIPS, Part.SHOULDER}:
        leans = [way for way in ways if way in _LEANS][:1]
        if not leans and (Direction.DOWN in ways or (bends and not ways)):
            leans = [Direction.FORWARD]
        return [(Side.NONE, Part.TRUNK, way) for way in leans]
    return []


def _looked(part: Part, ways: list[Direction]) -> list[Key]:
    """Return the head movement of looking up, down or sideways; looking ahead or at the room moves only the eyes."""
    if part is not Part.HEAD:
        return []
    head_ways = {**_TURNS, **{way: _HEAD_WAYS[way] for way in _VERTICAL}}
    return [(Side.NONE, Part.HEAD, head_ways[way]) for way in ways if way in head_ways]


_HEAD_WAYS = {
    Direction.UP: Direction.BACKWARD,
    Direction.DOWN: Direction.FORWARD,
    **{way: way for way in (Direction.FORWARD, Direction.BACKWARD, Direction.LEFT, Direction.RIGHT)},
}


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
    if way in {Direction.APART, Direction.TOGETHER}:
        return _spread(side, part, way)
    return _shifted(side, part, way) if part.sided else _swayed(part, way)


def _spread(side: Side, part: Part, way: Direction) -> Key | None:
    end = _LIMB_ENDS.get(part)
    if end is None or (side in {Side.LEFT, Side.RIGHT} and (end, way) != (Part.FOOT, Direction.TOGETHER)):
        return None  # one foot can be put next to the other
    return (Side.BOTH, end, way)


def _shifted(side: Side, part: Part, way: Direction) -> Key:
    """Return the key of a sided part that goes in a direction."""
    way = _outward(side, way)
    if part in {Part.FOOT, Part.LEG} and side is Side.BOTH and way in _APART:
        way = _APART[way]
    if way in _VERTICAL:
        parts = {Part.ELBOW: Part.ARM, Part.KNEE: Part.LEG, Part.FOOT: Part.LEG}
    else:
        parts = {Part.ELBOW: Part.ARM, Part.FOREARM: Part.HAND, Part.LEG: Part.FOOT}
        if way not in _LEANS and way not in _ACROSS and way not in _APART.values():
            parts = {}
    return (side, parts.get(part, part), way)


def _swayed(part: Part, way: Direction) -> Key | None:
    """Return the key of an unsided part that goes in a direction.

    The middle of the body cannot move out or in, except that hips stick out backwards.
    """
    if way in _APART:
        return (Side.NONE, part, Direction.BACKWARD) if (part, way) == (Part.HIPS, Direction.OUT) else None
    if way in _VERTICAL and part is Part.HEAD:
        return (Side.NONE, part, _HEAD_WAYS[way])
    if way in _VERTICAL and part is Part.TRUNK:
        return (Side.NONE, part, Direction.STRAIGHTEN if way is Direction.UP else Direction.BEND)
    if way in _VERTICAL and part is Part.HIPS:
        part = Part.BODY
    return (Side.NONE, part, way)


_APART = {Direction.OUT: Direction.APART, Direction.IN: Direction.TOGETHER}


def _outward(side: Side, way: Direction) -> Direction:
    if side in {Side.LEFT, Side.RIGHT} and way in {Direction.LEFT, Direction.RIGHT}:
        return Direction.OUT if side.value == way.value else Direction.IN
    return way


def turning(part: Part) -> Part | None:
    """Return what turns if the part is turned towards something; None for arms, which only turn their palms."""
    if part in _NEVER_TURNS:
        return None
    turned = {Part.LEG: Part.FOOT, Part.KNEE: Part.FOOT, Part.HIPS: Part.BODY, Part.SHOULDER: Part.TRUNK}
    return turned.get(part, part)
