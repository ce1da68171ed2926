"""Judgement of one answer to a real pair: a verdict for each clause, missing changes, and errors of the text.

Slots are the labelled changes of a pair. The slots and the rules are those of ``docs/real_pairs.md``. A clause is
judged by its part and its direction only, so that all languages and models are judged alike.

A text may also name end states ("to shoulder height", "at a right angle"), which the target's limbs decide. They
are parsed from a clause's words, so that they can be judged in every language with a parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from fmp_models.describe import CheckedClause
from fmp_models.evaluation.real_pairs import OF_A_SIDE, OF_THE_BODY, SIDES, LabelledPair, Truth
from fmp_models.geometry import IN_PLACE, LIMBS, PAIRED, SWINGS, Clause, Direction, Part, Relation, Side
from fmp_models.inference import Correction
from fmp_models.languages import SENTENCE_ENDS, Grammar, read_clauses

Verdict = Literal["right", "wrong", "opposite"]

_WORSE: tuple[Verdict, ...] = ("right", "wrong", "opposite")

_ARM = LIMBS[Part.ARM] - {Part.ELBOW}
_LEG = LIMBS[Part.LEG]

# The slots that a movement may stand for, the main one first; the direction has the sign 1 and its reverse -1.
_CHANGES = {
    (part, way): (slots, sign)
    for parts, direction, slots in (
        ({Part.ARM}, Direction.UP, ("arm_up", "hand_up")),
        ({Part.FOREARM, Part.HAND}, Direction.UP, ("hand_up", "arm_up")),
        ({Part.ELBOW}, Direction.UP, ("arm_up",)),
        (_ARM, Direction.OUT, ("arm_out",)),
        (_ARM, Direction.FORWARD, ("arm_forward",)),
        ({Part.ELBOW}, Direction.BEND, ("elbow_bend",)),
        ({Part.KNEE}, Direction.BEND, ("knee_bend",)),
        (_LEG, Direction.UP, ("leg_up",)),
        (_LEG, Direction.FORWARD, ("foot_forward",)),
        (_LEG, Direction.LEFT, ("foot_side",)),
        ({Part.HIPS, Part.BODY}, Direction.DOWN, ("hips_down",)),
        ({Part.TRUNK}, Direction.FORWARD, ("trunk_forward",)),
        ({Part.TRUNK}, Direction.LEFT, ("trunk_left",)),
        ({Part.TRUNK}, Direction.TURN_LEFT, ("trunk_twist_left", "body_turn_left")),
        ({Part.BODY}, Direction.TURN_LEFT, ("body_turn_left",)),
        ({Part.HEAD}, Direction.UP, ("head_up",)),
        ({Part.HEAD}, Direction.LEFT, ("head_left_tilt",)),
        ({Part.HEAD}, Direction.TURN_LEFT, ("head_turn_left",)),
    )
    for part in parts
    for way, sign in ((direction, 1), (direction.reverse, -1))
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


def claims(clause: Clause) -> tuple[SlotChange, ...]:
    """Return the changes that a clause names, one for each side; empty if there is no slot for the movement."""
    part, direction = clause.part, clause.direction
    if (clause.side, part) == (Side.BOTH, Part.FOOT) and direction in PAIRED:
        return (SlotChange(("feet_apart",), direction.sign),)
    changes = ((side, _CHANGES.get((part, _labelled_direction(side, part, direction)))) for side in _sides(clause.side))
    return tuple(
        SlotChange(tuple(f"{side}_{slot}" if side else slot for slot in change[0]), change[1])
        for side, change in changes
        if change is not None
    )


def verdict(clause: CheckedClause, truth: Truth) -> Verdict | None:
    """Return whether a clause is right, by its worse side; None if there is no label for it."""
    verdicts = [one for claim in claims(clause.clause) if (one := _claim_verdict(claim, truth))]
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
    limbs = (one.clause for one in clauses if one.clause.direction is Direction.UNSEEN)
    return frozenset(slot for limb in limbs for slot in _hidden(limb))


def contradicts_itself(clauses: Sequence[CheckedClause]) -> bool:
    """Return whether two clauses contradict each other: opposite signs or directions, or a part both kept and moved."""
    return any(_contradict(first.clause, second.clause) for first, second in combinations(clauses, 2))


def _sides(side: Side) -> tuple[str, ...]:
    return SIDES if side is Side.BOTH else ("",) if side is Side.NONE else (side.value,)


def _labelled_direction(side: str, part: Part, direction: Direction) -> Direction:
    """Return the direction in terms of the slots: arms go out or in, feet to the person's left or right."""
    of_side = Side(side or "right")  # an unstated side counts as the right
    if part in _ARM:
        return direction.of_part(of_side)
    return direction.of_person(of_side) if part in _LEG else direction


def _claim_verdict(claim: SlotChange, truth: Truth) -> Verdict | None:
    known = [sign for slot in claim.slots if (sign := truth.get(slot)) is not None]
    if not known:
        return None
    return "right" if claim.sign in known else "opposite" if -claim.sign in known else "wrong"


def _hidden(limb: Clause) -> Iterator[str]:
    if limb.part in _LEG:
        yield "feet_apart"
    for slot in _HIDES[limb.part]:
        sides = SIDES if limb.part is Part.BODY else _sides(limb.side)
        yield from (f"{side}_{slot}" for side in sides) if slot in OF_A_SIDE else (slot,)


def _contradict(first: Clause, second: Clause) -> bool:
    signs = {claim.slots[0]: claim.sign for claim in claims(first)}
    if any(signs.get(claim.slots[0]) == -claim.sign for claim in claims(second)):
        return True
    if first.part is not second.part or not {*_sides(first.side)} & {*_sides(second.side)}:
        return False
    directions = {first.direction, second.direction}
    if Direction.UNSEEN in directions:  # an unseen part is neither kept nor moved
        return False
    is_kept = Direction.KEEP in directions and not directions <= IN_PLACE
    return is_kept or (first.direction is second.direction.reverse and first.direction is not second.direction)


_HEIGHTS = {
    Relation.HIP_HEIGHT: "hip",
    Relation.NEAR_HIP: "hip",
    Relation.CHEST_HEIGHT: "chest",
    Relation.SHOULDER_HEIGHT: "shoulder",
    Relation.HEAD_HEIGHT: "head",
    Relation.NEAR_HEAD: "head",
    Relation.ABOVE_HEAD: "above_head",
}
# A forearm may hang from a lifted elbow or point up at the hip: only the whole arm tells the hand's height.
_NAMES: Mapping[Part, tuple[str, Mapping[Relation, str]]] = {
    Part.FOREARM: ("arm_level", _HEIGHTS),
    **dict.fromkeys(
        (Part.ARM, Part.HAND),
        ("arm_level", {**_HEIGHTS, Relation.HANGING: "hip", Relation.OVERHEAD: "above_head"}),
    ),
    Part.KNEE: ("knee_angle", {Relation.STRAIGHT: "straight", Relation.RIGHT_ANGLE: "right_angle"}),
}


def end_states(clause: CheckedClause, words: Grammar) -> tuple[Relation, ...]:
    """Return the relations that a clause's words name; empty if the words tell a different movement than the clause."""
    clauses = (entry.goal for entry in read_clauses(clause.text, words))
    matches = (
        read_clause
        for read_clause in clauses
        if (read_clause.part_name, read_clause.direction) == (clause.part, clause.clause.direction)
    )
    return next((read_clause.relations for read_clause in matches), ())


def second_movements(clause: CheckedClause, relations: Iterable[Relation]) -> tuple[SlotChange, ...]:
    """Return the movement that an end state implies in addition: arms raised "out to the sides" also go outward."""
    directions = (SWINGS[relation] for relation in relations if relation in SWINGS)
    arm = clause.clause.part in {Part.ARM, Part.FOREARM, Part.HAND}
    moved = (replace(clause.clause, direction=direction) for direction in directions)
    return tuple(claim for movement in moved for claim in claims(movement)) if arm else ()


def end_verdicts(clause: CheckedClause, relations: Iterable[Relation], end: Mapping[str, str]) -> list[bool]:
    """Return for each named and labelled end state, and for each side, whether it is right."""
    if clause.clause.part not in _NAMES:
        return []
    name, values = _NAMES[clause.clause.part]
    claimed_values = [values[relation] for relation in relations if relation in values]
    labels = [end[label] for side in clause.clause.side.each if (label := f"{side}_{name}") in end]
    return [value == label for value in claimed_values for label in labels]


_KEEP = "keep"


@dataclass(frozen=True)
class Answer:
    """The correction of a pair, or the code of the error, and how long it would take without the cache."""

    correction: Correction | None
    refusal: str = ""
    milliseconds: float | None = None


@dataclass(frozen=True)
class Judgement:
    """An answer against the labels: a verdict for each clause, and the ``must`` slots that are mentioned or unseen."""

    pair: LabelledPair
    answer: Answer
    verdicts: tuple[Verdict | None, ...] = ()
    mentioned: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    ends: tuple[bool, ...] = ()

    @property
    def text(self) -> str:
        """The text of the correction; empty after an error."""
        return "" if self.answer.correction is None else self.answer.correction.text

    @property
    def missed(self) -> list[str]:
        """The slots of ``must`` that are neither mentioned nor reported as unseen."""
        return [slot for slot in self.pair.must if slot not in self.mentioned | self.unseen]

    @property
    def false_all_clear(self) -> bool:
        """Whether no change was named although there is one."""
        correction = self.answer.correction
        return bool(self.pair.must) and correction is not None and all(c.direction == _KEEP for c in correction.clauses)

    @property
    def contradictory(self) -> bool:
        """Whether two clauses contradict each other."""
        correction = self.answer.correction
        return correction is not None and contradicts_itself(correction.clauses)

    @property
    def broken(self) -> bool:
        """Whether the text ends in the middle of a sentence."""
        return self.answer.correction is not None and not self.text.rstrip().endswith(tuple(SENTENCE_ENDS))

    @property
    def refused(self) -> bool:
        """Whether there is no correction."""
        return self.answer.correction is None


def judge(pair: LabelledPair, answer: Answer, words: Grammar) -> Judgement:
    """Judge the answer to a pair in the language of ``words``."""
    if answer.correction is None:
        return Judgement(pair, answer)
    clauses = answer.correction.clauses
    relations = [end_states(clause, words) for clause in clauses]
    slot_changes = [
        claim
        for clause, clause_relations in zip(clauses, relations, strict=True)
        for claim in (*claims(clause.clause), *second_movements(clause, clause_relations))
    ]
    spoken_signs, hidden = spoken_slots(slot_changes, pair.truth), unseen(clauses)
    signs = {slot: pair.truth[slot] or 0 for slot in pair.must}
    mentioned = frozenset(slot for slot, sign in signs.items() if (slot, sign) in spoken_signs)
    # A text that claims the opposite does not report the slot as unseen.
    admitted = frozenset(slot for slot, sign in signs.items() if slot in hidden and (slot, -sign) not in spoken_signs)
    ends = [
        end_verdict
        for clause, clause_relations in zip(clauses, relations, strict=True)
        for end_verdict in end_verdicts(clause, clause_relations, pair.end)
    ]
    verdicts = tuple(verdict(clause, pair.truth) for clause in clauses)
    return Judgement(pair, answer, verdicts, mentioned, admitted - mentioned, tuple(ends))
