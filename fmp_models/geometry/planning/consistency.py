"""Consistency of clauses: which contradict each other for somebody who follows them, and which of them to keep.

Two clauses contradict each other when both speak of one part and side ("both" are left and right) and

* move it opposite ways along one axis, a left hand that goes left going outward;
* one keeps a limb, or a part of it, and the other moves it, or moves the whole body that it carries;
* they name places or shapes that no part has at once ("straight" and "at a right angle"), or one names what the other
  moves away from ("raise your arm", "so that it hangs").

Parts of one limb are told apart: an arm may be raised while its hand is lowered (elbow out, hand down), so that
"raise your left arm" and "lower your left hand" may both stand. A part whose side is not said may be either of two: it
is measured against what is said of both, and against what is said without a side, but not against one side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from fmp_models.geometry.changes import LIMB_OF
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.relations import possible_relations

Worth = Callable[[Clause], float] | Sequence[float]

_SOME = Side.NONE  # stands for a side that is not said, and for parts that have none
_SIDES = {Side.BOTH: (Side.LEFT, Side.RIGHT, _SOME)}
# Away from each other is outward for each of the two.
_AXES = {Direction.APART: Direction.OUT, Direction.TOGETHER: Direction.IN}
_OUTWARD = {
    (Side.LEFT, Direction.LEFT): Direction.OUT,
    (Side.LEFT, Direction.RIGHT): Direction.IN,
    (Side.RIGHT, Direction.RIGHT): Direction.OUT,
    (Side.RIGHT, Direction.LEFT): Direction.IN,
    (Side.LEFT, Direction.TURN_LEFT): Direction.TURN_OUT,
    (Side.LEFT, Direction.TURN_RIGHT): Direction.TURN_IN,
    (Side.RIGHT, Direction.TURN_RIGHT): Direction.TURN_OUT,
    (Side.RIGHT, Direction.TURN_LEFT): Direction.TURN_IN,
}
_NO_MOVEMENT = frozenset({Direction.KEEP, Direction.REACH})
_TURNS = frozenset({Direction.TURN_LEFT, Direction.TURN_RIGHT})

# Of each list a part can have one entry, in one pose; entries of one set are the same place in other words.
_ONLY_ONE: tuple[tuple[frozenset[Relation], ...], ...] = tuple(
    tuple(frozenset(names) for names in places)
    for places in (
        ({Relation.STRAIGHT}, {Relation.RIGHT_ANGLE}),
        ({Relation.SIDEWAYS}, {Relation.IN_FRONT}),
        ({Relation.CLOSE}, {Relation.SHOULDER_WIDTH}, {Relation.WIDE}),
        ({Relation.NEAR_HEAD}, {Relation.NEAR_HIP}, {Relation.NEAR_KNEE}, {Relation.NEAR_FOOT}),
        (
            {Relation.OVERHEAD, Relation.ABOVE_HEAD},
            {Relation.HEAD_HEIGHT},
            {Relation.SHOULDER_HEIGHT},
            {Relation.CHEST_HEIGHT},
            {Relation.HIP_HEIGHT},
            {Relation.HANGING},
            {Relation.ON_GROUND},
        ),
        ({Relation.NEAR_HEAD}, {Relation.CHEST_HEIGHT, Relation.HIP_HEIGHT, Relation.HANGING}),
        (
            {Relation.NEAR_HIP},
            {
                *(Relation.OVERHEAD, Relation.ABOVE_HEAD, Relation.HEAD_HEIGHT),
                *(Relation.SHOULDER_HEIGHT, Relation.CHEST_HEIGHT),
            },
        ),
    )
)


def contradictions(clauses: Sequence[Clause]) -> tuple[tuple[int, int], ...]:
    """The places (i, j), i < j, of all clauses that contradict each other; a clause never contradicts its own like."""
    return tuple((i, j) for (i, first), (j, second) in combinations(enumerate(clauses), 2) if contradict(first, second))


def without_contradictions(clauses: Sequence[Clause], worth: Worth) -> Plan:
    """The clauses of :func:`consistent`."""
    return tuple(clauses[place] for place in consistent(clauses, worth))


def consistent(clauses: Sequence[Clause], worth: Worth) -> tuple[int, ...]:
    """The places of clauses that do not contradict each other: each left out contradicts one worth no less.

    Of a contradicting pair the clause worth more stays, and of two that are worth the same the earlier. ``worth`` is
    asked of each clause, or has one number for each; ``ValueError`` where there are more or fewer numbers.
    """
    worths = [worth(clause) for clause in clauses] if callable(worth) else list(worth)
    if len(worths) != len(clauses):
        message = f"{len(clauses)} clauses need as many numbers, not {len(worths)}"
        raise ValueError(message)
    places: list[int] = []
    for place in sorted(range(len(clauses)), key=lambda place: -worths[place]):
        if not any(contradict(clauses[place], clauses[other]) for other in places):
            places.append(place)
    return tuple(sorted(places))


def contradict(first: Clause, second: Clause) -> bool:
    """Whether nobody can do both."""
    if first == second:
        return False
    stays = _stays_and_moves(first, second) or _stays_and_moves(second, first)
    return stays or _opposed(first, second) or _elsewhere(first, second)


def _opposed(first: Clause, second: Clause) -> bool:
    """Opposite ways of one part along one axis."""
    if first.part is not second.part:
        return False
    second_directions = set(_directions(second))
    # Both feet may come together and go to the left: then it is not asked what each of them does.
    pair = first.side is second.side is Side.BOTH
    opposable = [
        (side, direction)
        for side, direction in _directions(first)
        if direction.reverse is not direction and (side is _SOME or not pair)
    ]
    return any((side, direction.reverse) in second_directions for side, direction in opposable)


def _stays_and_moves(stay: Clause, movement: Clause) -> bool:
    if stay.direction is not Direction.KEEP or movement.direction in _NO_MOVEMENT:
        return False
    limb = LIMB_OF.get(stay.part, stay.part)
    if movement.part is Part.BODY and stay.part is not Part.BODY:
        # The legs carry the body wherever it goes; the trunk keeps its place in it unless it is turned.
        return limb is Part.LEG or (limb is Part.TRUNK and movement.direction in _TURNS)
    return limb is LIMB_OF.get(movement.part, movement.part) and _share_a_side(stay, movement)


def _elsewhere(first: Clause, second: Clause) -> bool:
    """Places or shapes of one part that exclude each other, or that the other clause leads away from."""
    if first.part is not second.part or not _share_a_side(first, second):
        return False
    places = [
        {i for i, names in enumerate(group) if names & set(clause.relations)}
        for clause in (first, second)
        for group in _ONLY_ONE
    ]
    half = len(_ONLY_ONE)
    apart = any(a and b and not a & b for a, b in zip(places[:half], places[half:], strict=True))
    return apart or _left_behind(first, second) or _left_behind(second, first)


def _left_behind(movement: Clause, place: Clause) -> bool:
    """Whether a place is named that the movement cannot lead to, and its reverse can.

    Hands have many places on their way: one that is raised may still end at the knee.
    """
    if movement.part is Part.HAND or movement.direction in _NO_MOVEMENT:
        return False
    there, back = (
        {relation for choices in possible_relations(movement.part, direction) for relation, _ in choices}
        for direction in (movement.direction, movement.direction.reverse)
    )
    return bool(set(place.relations) & (back - there))


def _directions(clause: Clause) -> Iterator[tuple[Side, Direction]]:
    """The sides that a movement concerns, each with its own way."""
    if clause.direction in _NO_MOVEMENT:
        return
    direction = _AXES.get(clause.direction, clause.direction)
    for side in _sides(clause):
        yield side, _OUTWARD.get((side, direction), direction)


def _sides(clause: Clause) -> tuple[Side, ...]:
    return _SIDES.get(clause.side, (clause.side,))


def _share_a_side(first: Clause, second: Clause) -> bool:
    return not set(_sides(first)).isdisjoint(_sides(second))
