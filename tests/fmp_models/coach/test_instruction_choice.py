"""What is asked for stays steady, however the joints tremble."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from fmp_models.coach.coaching import Advice, Coach, Tolerance
from fmp_models.coach.instruction_choice import HELD, TURNING, InstructionChoice, alone, are_opposites
from fmp_models.describe.movements import Movement
from fmp_models.describe.trainer_steps import StepKind, TrainerStep
from fmp_models.geometry.lexicon import Clause, Direction, Part, Plan, Side
from tests.bodies import Arm, Body, Leg
from tests.exercises import RATE, exercise
from tests.thoroughness import some, thorough

STANDING = Body()
GOALS = {
    "arms to the sides": Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)),
    "one arm up, one knee bent": Body(left_arm=Arm(lift=170), right_leg=Leg(lift=60, bend=80)),
    "squat": Body(pitch=30, left_leg=Leg(lift=80, bend=95), right_leg=Leg(lift=80, bend=95), left_arm=Arm(85, 90)),
    "half turned, leaning": Body(yaw=40, lean=20, right_arm=Arm(lift=150), left_arm=Arm(lift=40, bend=80)),
}
RAISE, LOWER = (Clause(Side.LEFT, Part.ARM, way) for way in (Direction.UP, Direction.DOWN))
BEND = Clause(Side.RIGHT, Part.KNEE, Direction.BEND)
STEP = 1 / RATE


def shown(advices: list[tuple[float, Advice]]) -> list[tuple[float, float, Clause]]:
    """Each instruction with the first and the last moment at which it was shown."""
    instructions: list[tuple[float, float, Clause]] = []
    last: Clause | None = None
    for at, advice in advices:
        clause = advice.instruction
        if clause is not None:
            if clause == last:
                instructions[-1] = (instructions[-1][0], at, clause)
            else:
                instructions.append((at, at, clause))
        last = clause
    return instructions


@thorough
@pytest.mark.parametrize(("name", "tolerance", "seed"), some(product(GOALS, Tolerance, range(3)), 4))
def test_noise_never_makes_an_instruction_hasty_or_contradict_the_last_one(
    name: str, tolerance: Tolerance, seed: int
) -> None:
    # On the way somebody stops, goes back, and on.
    half = Body(left_arm=Arm(lift=45), right_arm=Arm(lift=45))
    frames = exercise(STANDING, half, STANDING, GOALS[name], seed=seed, still=3.0)
    coach = Coach([GOALS[name].pose()])
    instructions = shown([(at, coach.update(at, person, tolerance)) for at, person in frames])
    assert instructions
    for (began, ended, clause), (next_began, _, following) in pairwise(instructions):
        assert next_began - began >= HELD - 1e-9, (clause, following)
        assert next_began - ended >= TURNING - 1e-9 or not are_opposites(clause, following), (clause, following)


def choose(
    choice: InstructionChoice, now: float, *off: Clause, nearly: tuple[Clause, ...] = (), together: Plan = ()
) -> Clause | None:
    """Return the instruction for these errors, largest first; those ``together`` are one movement."""

    def step_of(clause: Clause) -> TrainerStep:
        if clause in together:
            return TrainerStep(StepKind.STEP, Movement("together"), tuple(one for one in together if one in off))
        return alone(clause)

    chosen = choice.update(now, [(clause, 2.0 - n) for n, clause in enumerate(off)], (*off, *nearly), step_of)
    return None if chosen is None else chosen.clause


def run(choice: InstructionChoice, start: float, seconds: float, *off: Clause) -> list[Clause | None]:
    return [choose(choice, start + n * STEP, *off) for n in range(round(seconds * RATE))]


def test_what_is_off_for_a_moment_alone_is_not_asked_for() -> None:
    choice = InstructionChoice()
    assert run(choice, 0.0, 0.25, RAISE) == [None] * 3
    assert run(choice, 0.25, 0.25) == [None] * 3
    assert run(choice, 0.5, 0.25, RAISE) == [None] * 3
    assert run(choice, 0.75, 1.0, RAISE)[-1] == RAISE


def test_what_matters_most_is_asked_for_until_it_has_arrived() -> None:
    choice = InstructionChoice()
    assert run(choice, 0.0, 3.0, RAISE, BEND)[-1] == RAISE
    assert run(choice, 3.0, 2.0, BEND)[-1] == BEND


def test_a_part_within_the_tolerance_but_not_well_within_it_goes_on_being_asked_for() -> None:
    choice = InstructionChoice()
    run(choice, 0.0, 2.0, RAISE)
    assert [choose(choice, 2.0 + n * STEP, nearly=(RAISE,)) for n in range(30)] == [RAISE] * 30


def test_the_opposite_comes_only_where_the_part_arrived_and_went_surely_too_far() -> None:
    choice = InstructionChoice()
    run(choice, 0.0, 2.0, RAISE)
    run(choice, 2.0, 0.5)  # arrived
    asked = run(choice, 2.5, 1.5, LOWER)
    assert asked[: round(0.5 * RATE)] == [None] * round(0.5 * RATE)
    assert asked[-1] == LOWER


def test_where_the_part_did_not_arrive_the_opposite_waits_two_seconds() -> None:
    choice = InstructionChoice()
    run(choice, 0.0, 2.0, RAISE)
    choice.drop(2.0, reached=False)
    asked = run(choice, 2.0, 4.0, LOWER)
    waits = round((TURNING - STEP) * RATE)
    assert asked[:waits] == [None] * waits
    assert asked[-1] == LOWER


def test_who_is_stuck_is_asked_for_something_else() -> None:
    choice = InstructionChoice()
    asked = run(choice, 0.0, 20.0, RAISE, BEND)
    assert asked[round(10 * RATE)] == RAISE
    assert asked[-1] == BEND


ELBOW = Clause(Side.LEFT, Part.ELBOW, Direction.STRAIGHTEN)


def test_of_one_movement_that_has_arrived_in_part_the_rest_comes_before_all_else() -> None:
    choice, one = InstructionChoice(), (RAISE, ELBOW)
    asked = [choose(choice, n * STEP, RAISE, BEND, ELBOW, together=one) for n in range(2 * RATE)]
    assert asked[-1] == RAISE
    arrived, begun = [], choice.chosen
    for n in range(2 * RATE, 4 * RATE):
        asked.append(choose(choice, n * STEP, BEND, ELBOW, together=one))
        arrived.append(choice.arrived)
    assert asked[-1] == ELBOW
    assert BEND not in asked
    assert not any(arrived)  # not yet: it is one movement
    assert begun is not None
    assert choice.chosen is not None
    assert choice.chosen.since == begun.since  # the same words go on
    for n in range(4 * RATE, 5 * RATE):
        asked.append(choose(choice, n * STEP, BEND, together=one))
        arrived.append(choice.arrived)
    assert asked[-1] == BEND
    assert [movements for movements in arrived if movements] == [{Movement("together")}]


def test_while_one_movement_is_asked_for_the_opposite_of_no_part_of_it_is() -> None:
    choice, bent = InstructionChoice(), Clause(Side.LEFT, Part.ELBOW, Direction.BEND)
    for n in range(2 * RATE):
        choose(choice, n * STEP, RAISE, ELBOW, together=(RAISE, ELBOW))
    asked = [choose(choice, n * STEP, bent, RAISE, together=(RAISE, ELBOW)) for n in range(2 * RATE, 4 * RATE)]
    assert set(asked) == {RAISE}


def test_words_are_asked_for_only_when_another_clause_is_chosen() -> None:
    choice, asked = InstructionChoice(), list[Clause]()

    def step_of(clause: Clause) -> TrainerStep:
        asked.append(clause)
        return alone(clause)

    for n in range(10 * RATE):
        choice.update(n * STEP, [(RAISE, 2.0), (BEND, 1.0)], (RAISE, BEND), step_of)
    assert asked == [RAISE]


def test_an_arm_and_its_hand_in_opposite_ways_contradict_each_other() -> None:
    assert are_opposites(RAISE, Clause(Side.BOTH, Part.HAND, Direction.DOWN))
    assert not are_opposites(RAISE, Clause(Side.RIGHT, Part.HAND, Direction.DOWN))
    assert not are_opposites(RAISE, BEND)


def test_what_becomes_far_worse_than_what_is_asked_for_comes_first() -> None:
    choice = InstructionChoice()
    run(choice, 0.0, 4.0, RAISE)
    worse = [choice.update(4.0 + n * STEP, [(BEND, 9.0), (RAISE, 2.0)], [BEND, RAISE]) for n in range(RATE)]
    assert worse[-1] is not None
    assert worse[-1].clause == BEND


def test_what_is_near_enough_is_not_asked_for_for_ever_where_something_else_is_off() -> None:
    choice = InstructionChoice()
    run(choice, 0.0, 2.0, RAISE)
    asked = [choose(choice, 2.0 + n * STEP, BEND, nearly=(RAISE,)) for n in range(3 * RATE)]
    assert asked[0] == RAISE
    assert asked[-1] == BEND
