"""End states that a text names ("to shoulder height", "at a right angle"), against the limbs in the target.

They are parsed from a clause's words, so that they can be judged in every language with a parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fmp_models.evaluation.real.slots import SlotChange, claims, each_side, plain_part
from fmp_models.geometry.clauses import SWINGS, Part, Relation
from fmp_models.inference.corrector import CheckedClause
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.reader.parse import read

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
_POSTURES = {Relation.HANGING: "hip", Relation.OVERHEAD: "above_head"}
_ANGLES = {Relation.STRAIGHT: "straight", Relation.RIGHT_ANGLE: "right_angle"}
_NAMES: Mapping[Part, tuple[str, Mapping[Relation, str]]] = {
    Part.ARM: ("arm_level", {**_HEIGHTS, **_POSTURES}),
    Part.HAND: ("arm_level", {**_HEIGHTS, **_POSTURES}),
    Part.FOREARM: ("arm_level", _HEIGHTS),
    Part.KNEE: ("knee_angle", _ANGLES),
}


def end_states(clause: CheckedClause, words: Grammar) -> tuple[Relation, ...]:
    """Return the relations that a clause's words name; empty if the words tell a different movement than the clause."""
    clauses = (entry.clause for entry in read(clause.text, words))
    matches = (
        read_clause
        for read_clause in clauses
        if (read_clause.part_name, read_clause.direction.value) == (clause.part, clause.direction)
    )
    return next((read_clause.relations for read_clause in matches), ())


def second_movements(clause: CheckedClause, relations: Iterable[Relation]) -> tuple[SlotChange, ...]:
    """Return the movement that an end state implies in addition: arms raised "out to the sides" also go outward."""
    directions = (SWINGS[relation] for relation in relations if relation in SWINGS)
    arm = plain_part(clause.part) in {Part.ARM, Part.FOREARM, Part.HAND}
    return tuple(claim for direction in directions for claim in claims(clause.part, direction.value)) if arm else ()


def end_verdicts(clause: CheckedClause, relations: Iterable[Relation], end: Mapping[str, str]) -> list[bool]:
    """Return for each named and labelled end state, and for each side, whether it is right."""
    part = plain_part(clause.part)
    if part is None or part not in _NAMES:
        return []
    name, values = _NAMES[part]
    claimed_values = [values[relation] for relation in relations if relation in values]
    labels = [end[label] for side in each_side(clause.part) if (label := f"{side}_{name}") in end]
    return [value == label for value in claimed_values for label in labels]
