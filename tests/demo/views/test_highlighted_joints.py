from __future__ import annotations

import pytest

from demo.views.highlighted_joints import HighlightedJoints, highlighted_joints
from fmp_models.geometry.lexicon import Part, Side
from fmp_models.pose import BODY_PARTS, INDEX, JOINTS
from tests.named_clauses import named_clause
from tests.nonempty import nonempty


def lit(*parts: str) -> HighlightedJoints:
    clauses = [named_clause(part, "move") for part in parts]
    return highlighted_joints((clause.side, clause.part) for clause in clauses)


@pytest.mark.parametrize(
    ("part", "joints", "rows"),
    [
        ("left hand", ["left_wrist", "left_hand"], ("left_hand",)),
        ("both knees", ["right_knee", "left_knee"], ("left_knee", "right_knee")),
        ("both feet", ["right_ankle", "right_foot", "left_ankle", "left_foot"], ("left_foot", "right_foot")),
        ("head", ["head"], ("head",)),
        ("body", list(JOINTS), tuple(BODY_PARTS)),
    ],
)
def test_a_part_has_its_joints_and_its_rows(part: str, joints: list[str], rows: tuple[str, ...]) -> None:
    lit_joints = lit(part)

    assert [JOINTS[number] for number in lit_joints.joints] == joints
    assert lit_joints.rows == rows


def test_clauses_of_one_step_are_lit_together() -> None:
    assert lit("left elbow", "right elbow") == lit("both elbows")
    assert lit().joints == ()


@pytest.mark.parametrize("part", Part)
def test_every_part_that_a_clause_can_name_is_lit(part: Part) -> None:
    for side in nonempty((Side.LEFT, Side.RIGHT, Side.BOTH) if part.sided else (Side.NONE,)):
        lit_joints = highlighted_joints([(side, part)])
        assert lit_joints.joints
        assert lit_joints.rows
        assert set(lit_joints.joints) <= set(INDEX.values())
