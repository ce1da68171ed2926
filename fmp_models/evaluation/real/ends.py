"""End states that a text names ("to shoulder height", "at a right angle"), against the limbs in the target.

They are parsed from a clause's words, so that they can be judged in every language with a parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fmp_models.evaluation.real.slots import SlotChange, claims
from fmp_models.geometry.lexicon import SWINGS, Part, Relation
from fmp_models.inference.corrector import CheckedClause
from fmp_models.languages.language_data import Grammar
from fmp_models.languages.reader import read_clauses

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
    clauses = (entry.clause for entry in read_clauses(clause.text, words))
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
