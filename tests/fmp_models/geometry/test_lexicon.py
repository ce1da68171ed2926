"""The lexicon of the body: every part and direction has its facts, and few tables repeat them elsewhere."""

from pathlib import Path

import pytest

from fmp_models.evaluation.real import slots
from fmp_models.geometry import lexicon
from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.lexicon import Frame
from fmp_models.pose import JOINTS
from tests.body_tables import body_tables

_ROOT = Path(__file__).parents[3]
_MAX_TABLES = 40


@pytest.mark.parametrize(
    ("table", "members"), [(lexicon._PARTS, Part), (lexicon._DIRECTIONS, Direction), (slots._HIDES, Part)]
)
def test_every_part_and_direction_has_a_row(table: dict[str, object], members: type[Part | Direction]) -> None:
    assert table.keys() == {*members}


@pytest.mark.parametrize("part", Part)
@pytest.mark.parametrize("side", Side)
def test_joints_of_a_part_are_joints_of_the_body(part: Part, side: Side) -> None:
    assert part.joints(side)
    assert {*part.joints(side)} <= {*JOINTS}


def test_joints_of_one_side_are_half_of_those_of_both() -> None:
    assert Part.LEG.joints(Side.BOTH) == (*Part.LEG.joints(Side.LEFT), *Part.LEG.joints(Side.RIGHT))
    assert Part.HIPS.joints(Side.NONE) == ("hip", "left_hip", "right_hip")


def test_limbs_bend_at_their_hinge_and_end_at_their_end() -> None:
    assert [(limb, limb.hinge, limb.end, limb.ends(Side.LEFT)) for limb in lexicon.LIMBS] == [
        (Part.ARM, Part.ELBOW, Part.HAND, ("left_elbow", "left_wrist")),
        (Part.LEG, Part.KNEE, Part.FOOT, ("left_knee", "left_ankle")),
    ]
    assert {part for part in Part if part.of_limb} == {part for parts in lexicon.LIMBS.values() for part in parts}


@pytest.mark.parametrize("direction", Direction)
def test_reversed_or_mirrored_twice_a_direction_is_itself(direction: Direction) -> None:
    assert direction.reverse.reverse is direction
    assert direction.mirrored.mirrored is direction
    assert (direction.reverse is direction) is (direction.sign == 0)


@pytest.mark.parametrize(
    ("direction", "side", "expected"),
    [
        (Direction.LEFT, Side.LEFT, Direction.OUT),
        (Direction.LEFT, Side.RIGHT, Direction.IN),
        (Direction.TURN_RIGHT, Side.RIGHT, Direction.TURN_OUT),
        (Direction.UP, Side.LEFT, Direction.UP),
        (Direction.LEFT, Side.BOTH, Direction.LEFT),
    ],
)
def test_a_direction_of_the_person_leads_a_part_out_or_in(
    direction: Direction, side: Side, expected: Direction
) -> None:
    assert direction.of_part(side) is expected
    assert expected.of_person(side) is direction


def test_frames_and_turns_keep_the_sense_of_a_direction() -> None:
    assert (Direction.OUT.within(Frame.PAIR), Direction.TOGETHER.within(Frame.PART)) == (Direction.APART, Direction.IN)
    assert (Direction.LEFT.turn, Direction.IN.turn, Direction.UP.turn) == (
        Direction.TURN_LEFT,
        Direction.TURN_IN,
        Direction.UP,
    )


def test_few_tables_name_parts_and_directions() -> None:
    modules = [path for room in ("fmp_models", "demo") for path in (_ROOT / room).rglob("*.py")]
    tables = [name for path in modules for name in body_tables(path)]
    assert 0 < len(tables) <= _MAX_TABLES
