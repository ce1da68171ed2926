"""Slots, the labelled changes of a pair: which of them a clause names, and whether the clause is right.

The slots and the rules are those of ``docs/real_pairs.md``. A clause is judged by its part and its direction
only, so that all languages and models are judged alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from fmp_models.evaluation.real.pairs import OF_A_SIDE, OF_THE_BODY, SIDES, Truth
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.inference.corrector import CheckedClause

Verdict = Literal["right", "wrong", "opposite"]

_WORSE: tuple[Verdict, ...] = ("right", "wrong", "opposite")
_NAMED = {
    Clause(side, part, Direction.KEEP).part_name: (side, part)
    for part in Part
    for side in Side
    if part.sided is (side is not Side.NONE)
}
_DIRECTIONS = {way.value: way for way in Direction if way is not Direction.UNSEEN}
_NOWHERE = frozenset({Direction.KEEP, Direction.REACH})  # directions that name no change

_ARM = (Part.ARM, Part.FOREARM, Part.HAND)
_LEG = (Part.LEG, Part.KNEE, Part.FOOT)
_VERTICAL, _DEPTH = (Direction.UP, Direction.DOWN), (Direction.FORWARD, Direction.BACKWARD)
_ACROSS, _TURNS = (Direction.LEFT, Direction.RIGHT), (Direction.TURN_LEFT, Direction.TURN_RIGHT)
_BENDS, _OUTWARD = (Direction.BEND, Direction.STRAIGHTEN), (Direction.OUT, Direction.IN)

# The slots that a movement may stand for, the main one first; the first direction of each pair has the sign 1.
_CHANGES = {
    (part, way): (slots, sign)
    for parts, ways, slots in (
        ((Part.ARM,), _VERTICAL, ("arm_up", "hand_up")),
        ((Part.FOREARM, Part.HAND), _VERTICAL, ("hand_up", "arm_up")),
        ((Part.ELBOW,), _VERTICAL, ("arm_up",)),
        (_ARM, _OUTWARD, ("arm_out",)),
        (_ARM, _DEPTH, ("arm_forward",)),
        ((Part.ELBOW,), _BENDS, ("elbow_bend",)),
        ((Part.KNEE,), _BENDS, ("knee_bend",)),
        (_LEG, _VERTICAL, ("leg_up",)),
        (_LEG, _DEPTH, ("foot_forward",)),
        (_LEG, _ACROSS, ("foot_side",)),
        ((Part.HIPS, Part.BODY), _VERTICAL[::-1], ("hips_down",)),
        ((Part.TRUNK,), _DEPTH, ("trunk_forward",)),
        ((Part.TRUNK,), _ACROSS, ("trunk_left",)),
        ((Part.TRUNK,), _TURNS, ("trunk_twist_left", "body_turn_left")),
        ((Part.BODY,), _TURNS, ("body_turn_left",)),
        ((Part.HEAD,), _VERTICAL, ("head_up",)),
        ((Part.HEAD,), _ACROSS, ("head_left_tilt",)),
        ((Part.HEAD,), _TURNS, ("head_turn_left",)),
    )
    for part in parts
    for way, sign in zip(ways, (1, -1), strict=True)
}
# Slots that are mentioned together: raising an arm raises its hand. ``stand`` has the opposite sign of ``hips_down``.
_SAID_ALONG = (
    *(frozenset({f"{side}_arm_up", f"{side}_hand_up"}) for side in SIDES),
    frozenset({"trunk_twist_left", "body_turn_left"}),
)
_KNEES = tuple(f"{side}_knee_bend" for side in SIDES)

_FOREARM_HIDES = ("hand_up", "elbow_bend")
_FOOT_HIDES = ("leg_up", "foot_side", "foot_forward")
_HIDES: dict[Part, tuple[str, ...]] = {
    **dict.fromkeys((Part.ARM, Part.SHOULDER), ("arm_up", "arm_out", "arm_forward", *_FOREARM_HIDES)),
    **dict.fromkeys((Part.FOREARM, Part.HAND, Part.ELBOW), _FOREARM_HIDES),
    **dict.fromkeys((Part.LEG, Part.KNEE), ("knee_bend", *_FOOT_HIDES)),
    Part.FOOT: _FOOT_HIDES,
    Part.TRUNK: ("trunk_forward", "trunk_left", "trunk_twist_left", "hips_down", "stand"),
    Part.HIPS: ("hips_down", "stand"),
    Part.HEAD: ("head_up", "head_left_tilt", "head_turn_left"),
    Part.BODY: (*OF_A_SIDE, *OF_THE_BODY),
}


@dataclass(frozen=True)
class SlotChange:
    """One change that a clause names: any of ``slots`` has this ``sign``; the first is the main one."""

    slots: tuple[str, ...]
    sign: int


def claims(part: str, direction: str) -> tuple[SlotChange, ...]:
    """Return the changes that a clause names, one for each side; empty if there is no slot for the movement."""
    sided_part, plain_direction = _NAMED.get(part), _DIRECTIONS.get(direction)
    if sided_part is None or plain_direction is None:
        return ()
    side, moving_part = sided_part
    if sided_part == (Side.BOTH, Part.FOOT) and plain_direction in {Direction.APART, Direction.TOGETHER}:
        return (SlotChange(("feet_apart",), 1 if plain_direction is Direction.APART else -1),)
    changes = (
        (claim_side, _CHANGES.get((moving_part, _labelled_direction(claim_side, moving_part, plain_direction))))
        for claim_side in _sides(side)
    )
    return tuple(
        SlotChange(tuple(f"{claim_side}_{slot}" if claim_side else slot for slot in change[0]), change[1])
        for claim_side, change in changes
        if change is not None
    )


def verdict(clause: CheckedClause, truth: Truth) -> Verdict | None:
    """Return whether a clause is right, by its worse side; None if there is no label for it."""
    verdicts = [
        claim_verdict
        for claim in claims(clause.part, clause.direction)
        if (claim_verdict := _claim_verdict(claim, truth))
    ]
    return max(verdicts, key=_WORSE.index, default=None)


def spoken_slots(slot_changes: Iterable[SlotChange], truth: Truth) -> frozenset[tuple[str, int]]:
    """Return every slot and sign that a text mentions, with those that follow: lowering the body bends both knees."""
    spoken_signs: set[tuple[str, int]] = set()
    for claim in slot_changes:
        slots = set(claim.slots)
        spoken_signs |= {(slot, claim.sign) for along in (slots, *_SAID_ALONG) if along & slots for slot in along}
        if "hips_down" in slots:
            spoken_signs.add(("stand", -claim.sign))
    for sign in (1, -1):
        knees = {(knee, sign) for knee in _KNEES}
        if ("hips_down", sign) in spoken_signs and all(truth.get(knee) == sign for knee in _KNEES):
            spoken_signs |= knees
        if knees <= spoken_signs and truth.get("hips_down") == sign:
            spoken_signs.add(("hips_down", sign))
    for side in SIDES:
        steps = [(slot, truth.get(slot)) for slot in (f"{side}_leg_up", f"{side}_foot_forward")]
        labelled = {(slot, sign) for slot, sign in steps if sign}
        if len(labelled) == len(steps) and labelled & spoken_signs:
            spoken_signs |= labelled
    return frozenset(spoken_signs)


def unseen(clauses: Iterable[CheckedClause]) -> frozenset[str]:
    """Return the slots of all limbs that a text reports as not visible."""
    parts = (clause.part for clause in clauses if clause.direction == Direction.UNSEEN)
    return frozenset(slot for part in parts for slot in _hidden(part))


def contradicts_itself(clauses: Sequence[CheckedClause]) -> bool:
    """Return whether two clauses contradict each other: opposite signs or directions, or a part both kept and moved."""
    return any(_contradict(first, second) for first, second in combinations(clauses, 2))


def each_side(part: str) -> tuple[str, ...]:
    """Return the sides of a named part: one, both, or none if it has no side or is unknown."""
    sided_part = _NAMED.get(part)
    return () if sided_part is None else tuple(side for side in _sides(sided_part[0]) if side)


def plain_part(part: str) -> Part | None:
    """Return the part without its side: the hand for "both hands"; None if the name is unknown."""
    sided_part = _NAMED.get(part)
    return None if sided_part is None else sided_part[1]


def _sides(side: Side) -> tuple[str, ...]:
    return SIDES if side is Side.BOTH else ("",) if side is Side.NONE else (side.value,)


def _labelled_direction(side: str, part: Part, direction: Direction) -> Direction:
    """Return the direction in terms of the slots: arms go out or in, feet to the person's left or right."""
    outward, inward = _ACROSS if side == "left" else _ACROSS[::-1]
    if part in _ARM:
        return {outward: Direction.OUT, inward: Direction.IN}.get(direction, direction)
    return {Direction.OUT: outward, Direction.IN: inward}.get(direction, direction) if part in _LEG else direction


def _claim_verdict(claim: SlotChange, truth: Truth) -> Verdict | None:
    known = [sign for slot in claim.slots if (sign := truth.get(slot)) is not None]
    if not known:
        return None
    return "right" if claim.sign in known else "opposite" if -claim.sign in known else "wrong"


def _hidden(part: str) -> Iterator[str]:
    sided_part = _NAMED.get(part)
    if sided_part is None:
        return
    side, hidden = sided_part
    if hidden in _LEG:
        yield "feet_apart"
    for slot in _HIDES[hidden]:
        sides = SIDES if hidden is Part.BODY else _sides(side)
        yield from (f"{side}_{slot}" for side in sides) if slot in OF_A_SIDE else (slot,)


def _contradict(first: CheckedClause, second: CheckedClause) -> bool:
    signs = {claim.slots[0]: claim.sign for claim in claims(first.part, first.direction)}
    if any(signs.get(claim.slots[0]) == -claim.sign for claim in claims(second.part, second.direction)):
        return True
    part = plain_part(first.part)
    if part is None or part is not plain_part(second.part) or not _share_a_side(first.part, second.part):
        return False
    directions = [_DIRECTIONS.get(clause.direction) for clause in (first, second)]
    first_direction, second_direction = directions
    if first_direction is None or second_direction is None:  # an unseen part is neither kept nor moved
        return False
    is_kept = Direction.KEEP in directions and not {*directions} <= _NOWHERE
    return is_kept or (first_direction is second_direction.reverse and first_direction is not second_direction)


def _share_a_side(first_part: str, second_part: str) -> bool:
    return first_part == second_part or bool({*each_side(first_part)} & {*each_side(second_part)})
