"""What a trainer says of a plan: few steps in the order of doing, each limb at most twice, nothing said that stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.describe.movements import Movement
from fmp_models.describe.trainer_steps import MAX_OF_LIMB, MAX_STEPS, StepKind, TrainerStep, speak, trainer_steps
from fmp_models.estimators.base import sampled_joints
from fmp_models.geometry.lexicon import Clause, Degree, Direction, Part, Side
from fmp_models.geometry.planner import make_plan
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import JOINTS, Pose, PosePair
from tests.bodies import Arm, Body, Leg, bodies, pairs

STANDING = Body()
SQUAT = Body(pitch=25, left_leg=Leg(lift=85, bend=95), right_leg=Leg(lift=85, bend=95))
PRAYER = Body(left_arm=Arm(lift=35, swing=60, bend=115, roll=60), right_arm=Arm(lift=35, swing=60, bend=115, roll=60))
CROSS = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90))
OVERHEAD = Body(left_arm=Arm(lift=175), right_arm=Arm(lift=175))


def photographed(pose: Pose) -> Pose:
    visible = np.ones(len(JOINTS))
    return replace(pose, pose_samples=sampled_joints(pose.joints[None], visible, visible.astype(bool)))


def steps_of(current: Body, target: Body) -> tuple[TrainerStep, ...]:
    pair = PosePair(photographed(current.pose()), photographed(target.pose()))
    return trainer_steps(make_plan(pair), pair)


def said(steps: tuple[TrainerStep, ...]) -> list[TrainerStep]:
    return [step for step in steps if step.kind is StepKind.STEP]


doubtful_pairs = st.builds(lambda a, b: PosePair(photographed(a.pose()), photographed(b.pose())), bodies, bodies)


@given(st.one_of(pairs, doubtful_pairs))
def test_at_most_five_steps_none_of_what_stays_and_no_clause_twice(pair: PosePair) -> None:
    steps = trainer_steps(make_plan(pair), pair)
    clauses = Counter(clause for step in steps for clause in step.clauses)
    assert len(said(steps)) <= MAX_STEPS
    assert all(clause.direction is not Direction.KEEP for clause in clauses)
    assert all(times <= len(clause.side.each) for clause, times in clauses.items())  # each side in a step of its own


@given(st.one_of(pairs, doubtful_pairs))
def test_no_limb_is_told_to_move_three_times(pair: PosePair) -> None:
    steps = [step for step in trainer_steps(make_plan(pair), pair) if step.kind in {StepKind.STEP, StepKind.FINE}]
    told = Counter(
        limb
        for step in steps
        for limb in {(side, c.part.limb) for c in step.clauses if c.part.of_limb for side in c.side.each}
    )
    assert max(told.values(), default=0) <= MAX_OF_LIMB


@given(st.one_of(pairs, doubtful_pairs))
def test_the_largest_change_is_always_among_the_steps(pair: PosePair) -> None:
    plan = [clause for clause in make_plan(pair) if clause.direction not in {Direction.KEEP, Direction.UNSEEN}]
    assert bool(plan) == bool(said(trainer_steps(make_plan(pair), pair)))


@given(st.one_of(pairs, doubtful_pairs))
def test_what_was_not_seen_is_one_line_at_the_end(pair: PosePair) -> None:
    kinds = [step.kind for step in trainer_steps(make_plan(pair), pair)]
    order = [StepKind.STEP, StepKind.FINE, StepKind.WATCH, StepKind.UNSEEN]
    assert kinds == sorted(kinds, key=order.index)
    assert kinds.count(StepKind.UNSEEN) <= 1


@given(doubtful_pairs)
def test_a_mirrored_pair_is_told_the_mirrored_steps(pair: PosePair) -> None:
    plan = make_plan(pair)
    there = {frozenset(c.mirrored for c in step.clauses) for step in said(trainer_steps(plan, pair))}
    mirrored = trainer_steps(tuple(clause.mirrored for clause in plan), pair.mirrored)
    assert there == {frozenset(step.clauses) for step in said(mirrored)}


@given(st.one_of(pairs, doubtful_pairs), st.sampled_from(LANGUAGES), st.one_of(st.none(), st.integers(0, 9)))
def test_every_step_has_words_in_every_language(pair: PosePair, language: str, seed: int | None) -> None:
    plan = make_plan(pair)
    speech = speak(plan, pair, language, seed)
    assert speech == speak(plan, pair, language, seed)
    assert "{" not in speech.text
    assert "  " not in speech.text
    assert [speech.text[slice(*step.span)] for step in speech.steps] == [step.text for step in speech.steps]


def test_a_squat_is_one_step_and_begins_with_the_legs() -> None:
    first, *_ = said(steps_of(STANDING, SQUAT))
    assert first.movement.key in {"squat", "sink"}
    assert {(c.part, c.direction) for c in first.clauses} >= {(Part.KNEE, Direction.BEND)}


def test_palms_that_come_together_are_said_and_their_arms_are_not_listed_again() -> None:
    steps = said(steps_of(STANDING, PRAYER))
    assert [step.movement.key for step in steps] == ["palms_chest"]


@pytest.mark.parametrize(("target", "key"), [(CROSS, "arms_t"), (OVERHEAD, "arms_overhead")])
def test_both_arms_take_the_name_of_their_shape(target: Body, key: str) -> None:
    assert [step.movement.key for step in said(steps_of(STANDING, target))] == [key]


def test_who_leans_is_told_to_come_up_tall() -> None:
    assert "upright" in [step.movement.key for step in said(steps_of(Body(pitch=40), STANDING))]


def test_a_side_bend_that_is_largest_comes_before_the_feet() -> None:
    bent = Body(lean=-38, left_leg=Leg(swing=20, lift=14))
    keys = [step.movement.key for step in said(steps_of(STANDING, bent))]
    assert "bend_side" in keys
    assert keys.index("bend_side") < next((i for i, key in enumerate(keys) if key.startswith(("foot", "feet"))), 9)


def test_the_details_come_after_what_is_large() -> None:
    steps = said(steps_of(STANDING, OVERHEAD.change(pitch=22)))
    assert len(steps) > 1
    assert [step.movement.small for step in steps] == sorted(step.movement.small for step in steps)


def test_what_could_not_be_seen_of_two_limbs_is_said_once() -> None:
    pair = PosePair(photographed(STANDING.pose()), photographed(CROSS.pose()))
    unseen = [Clause(Side.BOTH, Part.LEG, Direction.UNSEEN), Clause(Side.LEFT, Part.FOREARM, Direction.UNSEEN)]
    steps = [step for step in trainer_steps((*make_plan(pair), *unseen), pair) if step.kind is StepKind.UNSEEN]
    assert [set(step.clauses) >= set(unseen) for step in steps] == [True]


def test_a_movement_with_an_end_is_no_detail() -> None:
    assert Movement("raise", "arm", Side.LEFT, Degree.SLIGHT).small
    assert not Movement("raise", "arm", Side.LEFT, Degree.SLIGHT, ends=("shoulder",)).small


def test_what_two_steps_say_of_each_side_moves_that_side_alone() -> None:
    target = Body(left_arm=Arm(lift=90, bend=90), right_arm=Arm(lift=175))
    pair = PosePair(photographed(STANDING.pose()), photographed(target.pose()))
    speech = speak(make_plan(pair), pair, "en")
    shared = Clause(Side.BOTH, Part.ARM, Direction.UP, Degree.FAR)
    assert [shared in step.clauses for step in speech.steps] == [True, True]
    raised = [clause.side for step in speech.steps for clause in step.moves if clause.direction is Direction.UP]
    assert sorted(raised) == [Side.LEFT, Side.RIGHT]
