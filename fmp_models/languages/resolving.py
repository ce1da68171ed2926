"""Resolving, groups -> clauses: converts one verb and one of its objects to clauses.

A verb gives the measured part and its direction, an end state, or an unspecific movement in the room. People
describe the same movement in many ways: bending an arm is bending its elbow, lifting a foot or a knee is lifting the
leg, moving a left hand to the left is moving it outward. A movement that cannot be measured is kept as stated, so
that the verdict is "cannot tell" instead of "wrong".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fmp_models.geometry import (
    ASIDE,
    HORIZONTAL,
    LIMBS,
    PAIRED,
    SWINGS,
    VERTICAL,
    Clause,
    Degree,
    Direction,
    Frame,
    Part,
    Relation,
    Side,
    possible_relations,
    ranges_of,
)

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
    return _turned(side, part, ways) if action == "turn" or (faces and part.turns) else []


def _straightened(side: Side, part: Part) -> list[Key]:
    if part.hinge:
        return [(side, part.hinge, Direction.STRAIGHTEN)]
    return [(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN)] if part in {Part.TRUNK, Part.BODY} else []


def _bent(side: Side, part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Key]:
    bends, both = movement.action == "bend", movement.sideways_turns
    sideways = {Direction.LEFT, Direction.RIGHT} & {*ways}
    if bends and both and not ways and _turned_rather(part, movement):
        turned = part.turns
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
    return part in {Part.BODY, Part.HEAD} or (movement.towards and part.turns is not None)


def _turned(side: Side, part: Part, ways: list[Direction]) -> list[Key]:
    way = next((way for way in ways if way in ASIDE), None)
    if way is None:
        return _leaned(side, part, [way for way in ways if way in VERTICAL]) if part is Part.HEAD else []
    turned = part.turns
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
        turned = part.turns
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


_WAYS = {way.value: way for way in Direction}
_ENDS_OF_A_LEG = LIMBS[Part.LEG] - {Part.KNEE}
_SAYS_WAY = frozenset({"up", "down", "apart", "together"})
_STATES = frozenset({"", "be", "let", "keep", "put"})  # verbs about the place of a part, not its direction of movement
_FACES = frozenset({"turn", "point", "aim", "face"})  # verbs about the facing of a part, not its movement
_GOES = frozenset({"move", "put", "step", "point", "lean"})


def resolve(side: Side, part: Part, movement: SpokenMovement) -> list[Clause]:
    """Return the clauses of one object of a movement; empty if the words give nothing measurable or nameable."""
    ways = [_WAYS[way] for way in movement.ways]
    if part in _ENDS_OF_A_LEG and Relation.NEAR_KNEE in movement.relations:
        # Only hands are measured next to a knee; a foot on a knee is against that leg.
        ends = (Relation.AGAINST_LEG if relation is Relation.NEAR_KNEE else relation for relation in movement.relations)
        movement = replace(movement, relations=tuple(ends))
    if movement.action == "whole":
        held = tuple(r for r in movement.relations if ranges_of(part, ways[0], r))
        return [Clause(side, part, ways[0], Degree(movement.degree), held)]
    if movement.action == "unseen":
        return [Clause(side, part, Direction.UNSEEN)]
    spreads = part in {Part.ARM, Part.HAND, Part.LEG, Part.KNEE, Part.FOOT}
    if movement.action == "keep" and spreads and {"apart", "together"} & {*movement.ways}:
        movement = replace(movement, action="put")  # "keep your knees together" names an end state
    straight = _straight(side, part) if "straight" in movement.states else []
    if movement.action == "keep" and not movement.relations and not straight:
        return [Clause(side, Part.TRUNK if part is Part.HIPS else part.limb, Direction.KEEP)]
    clauses = _movement_clauses(side, part, movement, ways)
    if not clauses and not straight:
        clauses = _somewhere(side, part, movement)
    return clauses + [
        straight_clause
        for straight_clause in straight
        if not any(clause.part is straight_clause.part for clause in clauses)
    ]


def _movement_clauses(side: Side, part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Clause]:
    """Return the clauses about the body alone: directions of the part, or its end state."""
    ahead = Direction.FORWARD in ways or Relation.IN_FRONT in movement.relations
    ways = _with_ways_of_ends(part, movement, ways)
    to_the_front = ahead and (part.turns is None or (part in _ENDS_OF_A_LEG and Direction.FORWARD in ways))
    if movement.action == "apart" and (side in {Side.LEFT, Side.RIGHT} or to_the_front):
        # Spreading one limb, or both to the front, moves it in the given direction, or else stretches it.
        goes = bool(ways or {*movement.relations} - {Relation.STRAIGHT})
        movement = replace(movement, action="move" if goes else "straighten")
    if movement.action == "apart" and part is Part.KNEE and Direction.OUT in ways:
        movement = replace(movement, action="move")  # "open your knees to the outside"
    if movement.action in _SAYS_WAY:
        verb_way = _WAYS[movement.action]
        other_ways = [way for way in ways if way is not verb_way]
        drops = (part, verb_way) == (Part.HEAD, Direction.DOWN) and verb_way not in ways  # "drop your head back"
        ways = other_ways if other_ways and drops else [verb_way, *other_ways]
    keys = moves(side, part, movement, ways)
    if movement.action == "straighten" and keys and part.hinge:
        places = {*SWINGS, Relation.OVERHEAD, Relation.ABOVE_HEAD}  # "stretch out" alone means straight
        placed = tuple(relation for relation in movement.relations if relation in places)
        keys += moved(side, part, placed, [way for way in ways if way in VERTICAL | HORIZONTAL])
    rises = part is Part.LEG and bool(VERTICAL & {*ways})  # "your leg pointed upwards"
    if not keys and movement.action in _FACES and part.turns and not rises:
        return []
    if not keys and movement.action in _STATES and not ways and (reached := _reached(side, part, movement.relations)):
        return reached
    if part is Part.HEAD and movement.action in _STATES:  # "head to the front" means that it faces the front
        ways = [Direction.TURN if way is Direction.FORWARD else way for way in ways]
    if not keys and movement.action != "look":
        keys = moved(side, part, movement.relations, ways)
    return _with_relations(keys, side, part, movement)


def _with_ways_of_ends(part: Part, movement: SpokenMovement, ways: list[Direction]) -> list[Direction]:
    """Return the directions of a limb with those of its end states: "kick your leg out in front of you"."""
    if Relation.IN_FRONT in movement.relations:
        ways = [Direction.FORWARD if way is Direction.OUT else way for way in ways]
    if part in _ENDS_OF_A_LEG and movement.action == "up":  # "lift your leg to the side"
        ways = [*ways, *(SWINGS[end] for end in movement.relations if end in SWINGS and SWINGS[end] not in ways)]
    return ways


def _straight(side: Side, part: Part) -> list[Clause]:
    """Return the clause for a straight end state, independent of the start."""
    if part.hinge:
        return [Clause(side, part.hinge, Direction.REACH, relations=(Relation.STRAIGHT,))]
    if part in {Part.TRUNK, Part.BODY}:
        return [Clause(Side.NONE, Part.TRUNK, Direction.REACH, relations=(Relation.UPRIGHT,))]
    return []


def _somewhere(side: Side, part: Part, movement: SpokenMovement) -> list[Clause]:
    """Return a clause without a known direction: "turn to face the window", "move your hand towards the lamp"."""
    turned, degree = part.turns, Degree(movement.degree)
    if turned and (movement.action in {"turn", "point", "face"} or (movement.action == "be" and movement.towards)):
        return [Clause(side if turned.sided else Side.NONE, turned, Direction.TURN, degree)]
    if movement.action == "do" and movement.towards and part in {Part.BODY, Part.HEAD, Part.TRUNK}:
        return [Clause(Side.NONE, part, Direction.TURN, degree)]
    goes = movement.action in _GOES or (movement.action == "do" and movement.towards)
    goes |= movement.action == "bend" and movement.sideways_turns and part is Part.TRUNK  # bend or turn
    if goes and not movement.ways:
        gone = {Part.ELBOW: Part.ARM, Part.KNEE: Part.LEG}.get(part, part)
        return [Clause(side if gone.sided else Side.NONE, gone, Direction.MOVE, degree)]
    return []


def _with_relations(keys: list[Key], side: Side, part: Part, movement: SpokenMovement) -> list[Clause]:
    """Return the clauses with their end states; an end state that no movement can hold gets a clause of its own."""
    clauses = []
    left = set(movement.relations)
    for key_side, key_part, way in keys:
        order = [relation for choices in possible_relations(key_part, way) for relation, _ in choices]
        held = tuple(sorted((r for r in dict.fromkeys(movement.relations) if r in order), key=order.index))
        left.difference_update(held)
        clauses.append(Clause(key_side, key_part, way, Degree(movement.degree), held))
    if clauses:
        of_arm = part in {Part.ARM, Part.FOREARM, Part.HAND}
        ends = tuple(relation for relation in movement.relations if of_arm and relation in left & _ENDS)
        return clauses + _reached(side, part, ends)
    return [] if movement.action == "look" else _reached(side, part, movement.relations)


# End states that an arm's own movement cannot hold: "raise your arm above your head".
_ENDS = frozenset(
    {
        Relation.ABOVE_HEAD,
        Relation.HEAD_HEIGHT,
        Relation.CHEST_HEIGHT,
        Relation.SHOULDER_HEIGHT,
        Relation.NEAR_HEAD,
        Relation.NEAR_HIP,
        Relation.NEAR_KNEE,
    }
)


# The part at which a relation is measured that people state about another part.
_MEASURED_AT = {
    (Part.FOOT, Relation.ON_GROUND): Part.LEG,
    (Part.FOOT, Relation.AGAINST_LEG): Part.LEG,
    (Part.HAND, Relation.HANGING): Part.ARM,
    (Part.HAND, Relation.OVERHEAD): Part.ARM,
    (Part.BODY, Relation.UPRIGHT): Part.TRUNK,
    **{(Part.ARM, near): Part.HAND for near in (Relation.NEAR_HEAD, Relation.NEAR_HIP, Relation.NEAR_KNEE)},
    **{(Part.ARM, at): Part.HAND for at in (Relation.ABOVE_HEAD, Relation.HEAD_HEIGHT, Relation.CHEST_HEIGHT)},
    **{(part, Relation.RIGHT_ANGLE): Part.ELBOW for part in (Part.ARM, Part.FOREARM, Part.HAND)},
    (Part.LEG, Relation.RIGHT_ANGLE): Part.KNEE,
    (Part.ELBOW, Relation.SHOULDER_HEIGHT): Part.ARM,
}


def _reached(side: Side, part: Part, relations: tuple[Relation, ...]) -> list[Clause]:
    """Return the clauses of a part's end state, independent of the direction it moved in."""
    places: dict[Part, list[Relation]] = {}
    for relation in dict.fromkeys(relations):
        at = part if ranges_of(part, Direction.REACH, relation) else _MEASURED_AT.get((part, relation))
        if at is not None:
            places.setdefault(at, []).append(relation)
    return [
        Clause(Side.BOTH if at is Part.FOOT else side, at, Direction.REACH, relations=tuple(held))
        for at, held in places.items()
    ]
