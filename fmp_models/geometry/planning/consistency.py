"""Consistency of clauses: which contradict each other when followed, and which of them to keep.

Two clauses contradict each other if both concern one part and side ("both" means left and right) and

* move it in opposite directions along one axis, where a left hand that goes left goes outward;
* one keeps a limb, or a part of it, still, and the other moves it, or moves the whole body that it carries;
* they name places or shapes that a part cannot have at once ("straight" and "at a right angle"), or one names what
  the other moves away from ("raise your arm", "so that it hangs").

Parts of one limb are separate: an arm may be raised while its hand is lowered (elbow out, hand down), so
"raise your left arm" and "lower your left hand" are consistent. A part without a stated side may be on
either side: it is compared with clauses for both sides and with clauses without a side, but not with
clauses for one side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.lexicon import BODY_TURNS, IN_PLACE, PAIRED, Frame
from fmp_models.geometry.relations import possible_relations

Worth = Callable[[Clause], float] | Sequence[float]

_SOME = Side.NONE  # stands for an unstated side, and for parts without sides
_SIDES = {Side.BOTH: (Side.LEFT, Side.RIGHT, _SOME)}

# Per list, a part has at most one entry in one pose; relations of one set are names of the same place.
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
    """Return the index pairs (i, j), i < j, of all contradicting clauses; a clause never contradicts an equal one."""
    return tuple((i, j) for (i, first), (j, second) in combinations(enumerate(clauses), 2) if contradict(first, second))


def without_contradictions(clauses: Sequence[Clause], worth: Worth) -> Plan:
    """Return the clauses that :func:`consistent` keeps."""
    return tuple(clauses[place] for place in consistent(clauses, worth))


def consistent(clauses: Sequence[Clause], worth: Worth) -> tuple[int, ...]:
    """Return the indices of clauses that do not contradict each other.

    Each omitted clause contradicts a kept one of equal or larger worth.

    Of a contradicting pair the clause with the larger ``worth`` stays, and the earlier one of a tie.
    ``worth`` is a function of a clause or a sequence with one number per clause; ``ValueError`` if the
    lengths differ.
    """
    worths = [worth(clause) for clause in clauses] if callable(worth) else list(worth)
    if len(worths) != len(clauses):
        raise ValueError(f"{len(clauses)} clauses need as many numbers, not {len(worths)}")
    places: list[int] = []
    for place in sorted(range(len(clauses)), key=lambda place: -worths[place]):
        if not any(contradict(clauses[place], clauses[other]) for other in places):
            places.append(place)
    return tuple(sorted(places))


def contradict(first: Clause, second: Clause) -> bool:
    """Return whether the two clauses contradict each other."""
    if first == second:
        return False
    stays = _stays_and_moves(first, second) or _stays_and_moves(second, first)
    return stays or _opposed(first, second) or _elsewhere(first, second)


def _opposed(first: Clause, second: Clause) -> bool:
    """Return whether the clauses move one part in opposite directions along one axis."""
    if first.part is not second.part:
        return False
    second_directions = set(_directions(second))
    # Both feet may come together and go to the left: each foot's own direction is then ignored.
    pair = first.side is second.side is Side.BOTH
    opposable = [
        (side, direction)
        for side, direction in _directions(first)
        if direction.reverse is not direction and (side is _SOME or not pair)
    ]
    return any((side, direction.reverse) in second_directions for side, direction in opposable)


def _stays_and_moves(stay: Clause, movement: Clause) -> bool:
    if stay.direction is not Direction.KEEP or movement.direction in IN_PLACE:
        return False
    limb = stay.part.limb
    if movement.part is Part.BODY and stay.part is not Part.BODY:
        # The legs carry the body, so they move with it; the trunk keeps its place in it unless the body turns.
        return limb is Part.LEG or (limb is Part.TRUNK and movement.direction in BODY_TURNS)
    return limb is movement.part.limb and _share_a_side(stay, movement)


def _elsewhere(first: Clause, second: Clause) -> bool:
    """Return whether the clauses name exclusive places of one part, or one leads away from the other's place."""
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
    """Return whether the movement cannot lead to a named place and its reverse can.

    Hands pass many places: a raised hand may still end at the knee.
    """
    if movement.part is Part.HAND or movement.direction in IN_PLACE:
        return False
    there, back = (
        {relation for choices in possible_relations(movement.part, direction) for relation, _ in choices}
        for direction in (movement.direction, movement.direction.reverse)
    )
    return bool(set(place.relations) & (back - there))


def _directions(clause: Clause) -> Iterator[tuple[Side, Direction]]:
    """Yield the sides that a movement concerns, each with its direction."""
    if clause.direction in IN_PLACE:
        return
    outward = clause.direction in PAIRED  # apart is outward for each of the two
    direction = clause.direction.within(Frame.PART) if outward else clause.direction
    for side in _sides(clause):
        yield side, direction.of_part(side)


def _sides(clause: Clause) -> tuple[Side, ...]:
    return _SIDES.get(clause.side, (clause.side,))


def _share_a_side(first: Clause, second: Clause) -> bool:
    return not set(_sides(first)).isdisjoint(_sides(second))
