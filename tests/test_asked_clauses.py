"""Judging what was read against what was asked for: right, the way back, or asked for by nobody; found or not."""

from __future__ import annotations

import pytest

from fmp_models.geometry.lexicon import Clause, Direction, Part, Relation, Side
from tests.asked_clauses import Tally

UP, DOWN, REACH = Direction.UP, Direction.DOWN, Direction.REACH


@pytest.mark.parametrize(
    ("read", "precision", "opposite", "recall"),
    [
        (Clause(Side.LEFT, Part.ARM, UP), 1, 0, 1),
        (Clause(Side.LEFT, Part.HAND, UP), 1, 0, 1),
        (Clause(Side.LEFT, Part.HAND, REACH, relations=(Relation.ABOVE_HEAD,)), 1, 0, 1),
        (Clause(Side.LEFT, Part.ARM, DOWN), 0, 1, 0),
        (Clause(Side.RIGHT, Part.ARM, UP), 0, 0, 0),
        (Clause(Side.RIGHT, Part.ARM, DOWN), 0, 0, 0),
        (Clause(Side.BOTH, Part.ARM, UP), 0, 0, 1),
        (Clause(Side.LEFT, Part.LEG, UP), 0, 0, 0),
        (Clause(Side.LEFT, Part.ARM, UP, relations=(Relation.OVERHEAD,)), 1, 0, 1),
        (Clause(Side.LEFT, Part.ARM, UP, relations=(Relation.SHOULDER_HEIGHT,)), 0, 0, 1),
        (Clause(Side.NONE, Part.HEAD, Direction.FORWARD), 1, 0, 0),
    ],
)
def test_a_read_clause_is_worth_what_it_leads_to(read: Clause, precision: int, opposite: int, recall: int) -> None:
    tally = Tally.of([((read,), "left, arm|hand, up, above the head; ? none, head, any")])
    assert (tally.precision, tally.opposite, tally.recall) == (precision, opposite, recall)
