"""What whoever asks for one thing at a time says: a clause with what else belongs to the same movement."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from fmp_models.describe.trainer_steps import TrainerStep, step_of, step_text
from fmp_models.geometry.lexicon import Clause, Part
from fmp_models.geometry.measured_changes import changes
from fmp_models.geometry.planner import clauses_beyond
from fmp_models.geometry.shapes import held_shapes
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, Leg, bodies
from tests.exercises import tracked
from tests.nonempty import nonempty

STANDING = Body()
PRAYER = Body(left_arm=Arm(lift=35, swing=60, bend=115, roll=60), right_arm=Arm(lift=35, swing=60, bend=115, roll=60))
CROSS = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90))
WARRIOR = CROSS.change(left_leg=Leg(lift=55, swing=0, bend=60), right_leg=Leg(lift=40, swing=0, bend=0))


def off_of(current: Body, goal: Body) -> tuple[list[Clause], PosePair]:
    """Return the errors of a person who is tracked, and the pair."""
    pair = PosePair(tracked(current.pose()).pose, goal.pose())
    return [clause for clause, _ in clauses_beyond(changes(pair), 1.0, pair)], pair


def step(clause: Clause, off: list[Clause], pair: PosePair) -> TrainerStep:
    return step_of(clause, off, pair, held_shapes(pair.target))


@given(bodies, bodies)
def test_whatever_is_off_has_words_in_every_language(current: Body, goal: Body) -> None:
    off, pair = off_of(current, goal)
    assume(off)
    for clause in nonempty(off):
        one = step(clause, off, pair)
        assert clause in one.clauses
        assert all(step_text(one, language) for language in LANGUAGES)


def test_both_arms_that_go_into_a_new_shape_are_told_that_shape_whatever_of_them_is_off_most() -> None:
    off, pair = off_of(STANDING, PRAYER)
    of_arms = {step(clause, off, pair).movement for clause in off}
    assert {movement.key for movement in of_arms} == {"palms_chest"}
    assert step_text(step(off[0], off, pair), "en") == "Bring your palms together in front of your chest."


def test_arms_of_a_shape_of_the_whole_body_are_told_by_themselves() -> None:
    assert "warrior_two" in {held.shape.name for held in held_shapes(WARRIOR.pose())}
    off, pair = off_of(STANDING, WARRIOR)
    parts = {clause.part: step(clause, off, pair) for clause in off}
    assert parts[Part.ARM].movement.key == "arms_t"
    assert {clause.part for clause in parts[Part.ARM].clauses} <= {Part.ARM, Part.ELBOW, Part.HAND, Part.FOREARM}
    assert parts[Part.FOOT].movement.key == "feet_apart"


@pytest.mark.parametrize("side", ["left", "right"])
def test_one_arm_that_is_off_is_told_alone(side: str) -> None:
    off, pair = off_of(CROSS.change(**{f"{side}_arm": Arm()}), CROSS)
    assert {step(clause, off, pair).movement.side for clause in off} == {side}
