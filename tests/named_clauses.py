"""Clauses by the names that ``--json`` gives to their part and direction."""

from __future__ import annotations

from fmp_models.geometry.lexicon import Clause, Direction, Part, Side

_PARTS = {
    Clause(side, part, Direction.KEEP).part_name: (side, part)
    for part in Part
    for side in Side
    if part.sided is (side is not Side.NONE)
}


def named_clause(part: str, direction: str) -> Clause:
    """Return the clause; raise KeyError for an unknown part, ValueError for an unknown direction."""
    return Clause(*_PARTS[part], Direction(direction))
