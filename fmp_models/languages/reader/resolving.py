"""Resolving, groups -> clauses: converts one verb and one of its objects to clauses.

A verb gives the direction of a part (``moving``), its end state, or an unspecific movement in the room.
"""

from __future__ import annotations

from dataclasses import replace

from fmp_models.geometry.lexicon import (
    HORIZONTAL,
    LIMBS,
    SWINGS,
    VERTICAL,
    Clause,
    Degree,
    Direction,
    Part,
    Relation,
    Side,
)
from fmp_models.geometry.relations import possible_relations, ranges_of
from fmp_models.languages.reader.moving import Key, SpokenMovement, moved, moves, turning

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
    to_the_front = ahead and (turning(part) is None or (part in _ENDS_OF_A_LEG and Direction.FORWARD in ways))
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
    if not keys and movement.action in _FACES and turning(part) and not rises:
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
    turned, degree = turning(part), Degree(movement.degree)
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
