"""A verb, its object and its direction -> clauses in the words that the measures know.

People say the same movement in many ways: bending an arm is bending its elbow, lifting a foot or a knee is lifting the
leg, a left hand that goes left goes outward. What cannot be measured is kept as said, so that the judge can answer
"cannot tell" instead of "wrong".
"""

from __future__ import annotations

from dataclasses import dataclass

from fmp_models.describe.clauses import Clause, Degree, Direction, Part, Relation, Side
from fmp_models.describe.relations import possible_relations, ranges_of

_WAYS = {way.value: way for way in Direction}
_LIMB_ENDS = {
    Part.ARM: Part.HAND,
    Part.FOREARM: Part.HAND,
    Part.HAND: Part.HAND,
    Part.LEG: Part.FOOT,
    Part.FOOT: Part.FOOT,
}
_BENT = {
    Part.ARM: Part.ELBOW,
    Part.FOREARM: Part.ELBOW,
    Part.ELBOW: Part.ELBOW,
    Part.LEG: Part.KNEE,
    Part.KNEE: Part.KNEE,
}
_KEPT = {
    Part.FOREARM: Part.ARM,
    Part.HAND: Part.ARM,
    Part.ELBOW: Part.ARM,
    Part.KNEE: Part.LEG,
    Part.FOOT: Part.LEG,
    Part.HIPS: Part.TRUNK,
}
_LEANS = {Direction.LEFT, Direction.RIGHT, Direction.FORWARD, Direction.BACKWARD}
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


@dataclass(frozen=True)
class Movement:
    """What was read around one verb: its class, directions, relations and degree, as the grammar names them."""

    action: str
    ways: tuple[str, ...]
    relations: tuple[Relation, ...]
    degree: str
    sideways_turns: bool  # in this language bending sideways is turning


def resolve(side: Side, part: Part, movement: Movement) -> list[Clause]:
    """The clauses that one object of a movement makes; none when nothing measurable or nameable is said."""
    ways = [_WAYS[way] for way in movement.ways]
    degree = Degree(movement.degree)
    if movement.action == "keep" and not ways and not movement.relations:
        kept = _KEPT.get(part, part)
        return [Clause(side, kept, Direction.KEEP)]
    if movement.action == "unseen":
        return [Clause(side, part, Direction.UNSEEN)]
    if movement.action in _SAYS_WAY:
        own = _WAYS[movement.action]
        ways = [own, *(way for way in ways if way is not own)]
    found = _by_action(side, part, movement, ways)
    if not found and (movement.relations or ways):
        found = _moved(side, part, movement.relations, ways)
    return _with_relations(found, side, part, movement.relations, degree)


_SAYS_WAY = frozenset({"up", "down", "apart", "together"})
Key = tuple[Side, Part, Direction]


def _by_action(side: Side, part: Part, movement: Movement, ways: list[Direction]) -> list[Key]:
    action = movement.action
    sideways = [way for way in ways if way in {Direction.LEFT, Direction.RIGHT}]
    if action == "bend" and part is Part.FOOT:
        # Said of the whole leg, except where it names a way: then the toes turn.
        part, action = (part, "turn") if ways else (Part.LEG, action)
    elif action == "bend" and movement.sideways_turns and sideways and part not in _BENT:
        action = "turn"
    if action in {"bend", "lean"} and part in _BENT and (action == "bend" or part not in {Part.ARM, Part.FOREARM}):
        return [(side, _BENT[part], Direction.BEND)]
    if action == "straighten" or (action == "apart" and part in {Part.ELBOW, Part.KNEE}):
        if part in _BENT or part is Part.FOOT:
            return [(side, _BENT.get(part, Part.KNEE), Direction.STRAIGHTEN)]
        return [(Side.NONE, Part.TRUNK, Direction.STRAIGHTEN)] if part in {Part.TRUNK, Part.BODY} else []
    if action == "turn":
        return _turned(side, part, ways)
    if action in {"bend", "lean"}:
        return _leaned(part, ways)
    return []


def _turned(side: Side, part: Part, ways: list[Direction]) -> list[Key]:
    way = next((way for way in ways if way in _TURNS), None)
    if way is None:
        return []
    if part in {Part.FOOT, Part.LEG, Part.KNEE}:
        return [(side, Part.FOOT, _TURNS[_outward(side, way)])]
    if part in {Part.BODY, Part.HIPS}:
        return [(Side.NONE, Part.BODY, _TURNS[way])]
    if part in {Part.TRUNK, Part.SHOULDER}:
        return [(Side.NONE, Part.TRUNK, _TURNS[way])]
    return [(side, part, _TURNS[way])]


def _leaned(part: Part, ways: list[Direction]) -> list[Key]:
    if part is Part.HEAD:
        way = next((_HEAD_WAYS[way] for way in ways if way in _HEAD_WAYS), None)
        return [(Side.NONE, Part.HEAD, way)] if way else []
    if part in {Part.TRUNK, Part.BODY, Part.HIPS, Part.SHOULDER}:
        way = next((way for way in ways if way in _LEANS), Direction.FORWARD)
        return [(Side.NONE, Part.TRUNK, way)]
    return []


_HEAD_WAYS = {
    Direction.UP: Direction.BACKWARD,
    Direction.DOWN: Direction.FORWARD,
    **{way: way for way in (Direction.FORWARD, Direction.BACKWARD, Direction.LEFT, Direction.RIGHT)},
}


def _moved(side: Side, part: Part, relations: tuple[Relation, ...], ways: list[Direction]) -> list[Key]:
    """Clauses of a plain movement, one for each direction; a relation alone may imply the direction."""
    if not ways:
        ways = [_IMPLIED[relation] for relation in relations if relation in _IMPLIED][:1]
    found = [_placed(side, part, way) for way in ways]
    return list(dict.fromkeys(key for key in found if key is not None))


def _placed(side: Side, part: Part, way: Direction) -> Key | None:
    if way in {Direction.APART, Direction.TOGETHER}:
        end = _LIMB_ENDS.get(part)
        return (Side.BOTH, end, way) if end and side is not Side.LEFT and side is not Side.RIGHT else None
    if part.sided:
        way = _outward(side, way)
    if part is Part.FOOT and side is Side.BOTH and way in _APART:
        way = _APART[way]
    moves: dict[Part, Part] = {}
    if way in _VERTICAL:
        moves = {Part.ELBOW: Part.ARM, Part.KNEE: Part.LEG, Part.FOOT: Part.LEG, Part.HIPS: Part.BODY}
        if part is Part.HEAD:
            return (Side.NONE, Part.HEAD, _HEAD_WAYS[way])
        if part is Part.TRUNK:
            return (Side.NONE, Part.TRUNK, Direction.STRAIGHTEN if way is Direction.UP else Direction.BEND)
    elif way in _LEANS | {Direction.OUT, Direction.IN}:
        moves = {Part.ELBOW: Part.ARM, Part.FOREARM: Part.HAND, Part.LEG: Part.FOOT}
    part = moves.get(part, part)
    return (side if part.sided else Side.NONE, part, way)


_APART = {Direction.OUT: Direction.APART, Direction.IN: Direction.TOGETHER}


def _outward(side: Side, way: Direction) -> Direction:
    if side in {Side.LEFT, Side.RIGHT} and way in {Direction.LEFT, Direction.RIGHT}:
        return Direction.OUT if side.value == way.value else Direction.IN
    return way


def _with_relations(
    found: list[Key], side: Side, part: Part, relations: tuple[Relation, ...], degree: Degree
) -> list[Clause]:
    clauses = []
    for whose, what, way in found:
        order = [relation for choices in possible_relations(what, way) for relation, _ in choices]
        held = tuple(sorted((r for r in dict.fromkeys(relations) if r in order), key=order.index))
        clauses.append(Clause(whose, what, way, degree, held))
    if not clauses:
        end = Side.BOTH if part is Part.FOOT else side
        held = tuple(r for r in dict.fromkeys(relations) if ranges_of(part, Direction.REACH, r))
        if held:
            clauses.append(Clause(end, part, Direction.REACH, Degree.PLAIN, held))
    return clauses
