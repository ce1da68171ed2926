from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from fmp_models.geometry.changes import VISIBLE
from fmp_models.geometry.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.verdicts.clause_evidence import Weights, end_states, evidence, mentioned, weighed
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.reader import read_plan
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body, pairs

STANDING = Body().pose()
LEFT_UP, RIGHT_UP = (Body(**{f"{side}_arm": Arm(lift=90, bend=0)}).pose() for side in ("left", "right"))
TO = {name: PosePair(STANDING, pose) for name, pose in (("left", LEFT_UP), ("right", RIGHT_UP), ("none", STANDING))}


def plan(text: str) -> Plan:
    clauses = read_plan(text, grammar("en"))
    assert clauses
    return clauses


def test_clauses_count_for_a_candidate_that_bears_them_out_and_against_one_that_denies_them() -> None:
    clauses = plan("Raise your left arm to shoulder height. Keep your right arm still.")

    clause_evidence = evidence(clauses, [TO["left"], TO["right"], TO["none"]])

    assert clause_evidence[:, 0].tolist() == [2, -2, 0]
    assert clause_evidence[0, 1] > clause_evidence[2, 1] > clause_evidence[1, 1]
    assert (clause_evidence <= [[2, 0, 0, 0]]).all()
    odds = weighed([0, 0, 0], clause_evidence)
    assert odds[0] > odds[2] > odds[1]


def test_a_retrievers_scores_and_clauses_add_up() -> None:
    weights = Weights(score=2, verdict=3, chance=5, reached=7, unsaid=11)
    of_clauses = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, -2.0]])

    assert weighed([[1.0, 2.0]], of_clauses, weights).tolist() == [[5, -23]]


def test_nobody_wins_by_not_being_seen() -> None:
    clauses = plan("Raise your left arm to shoulder height.")

    clause_evidence = evidence(clauses, [TO["left"], None, TO["right"], TO["none"]])
    odds = weighed([0.0] * 4, clause_evidence)

    assert clause_evidence[1] == pytest.approx(clause_evidence[[0, 2, 3]].min(axis=0))
    assert odds[1] <= odds[[0, 2, 3]].min()
    assert evidence(clauses, [None, None]).tolist() == [[0] * 4] * 2


def test_where_nothing_was_read_nothing_is_unsaid() -> None:
    assert evidence((), [TO["left"], TO["none"], None]).tolist() == [[0] * 4] * 3


def test_what_moves_without_a_word_counts_against_a_candidate() -> None:
    both = PosePair(STANDING, Body(left_arm=Arm(lift=90, bend=0), right_arm=Arm(lift=90, bend=0)).pose())

    left, two = evidence(plan("Raise your left arm."), [TO["left"], both])
    assert left[3] == 0 > two[3]
    assert evidence(plan("Raise both arms."), [both])[0, 3] == 0
    # Whatever the text says of the other arm, it speaks of it.
    assert evidence(plan("Raise your left arm."), [both], [(Side.RIGHT, Part.HAND)])[0, 3] == 0


def test_an_end_that_is_named_tells_candidates_apart_that_move_the_same_way() -> None:
    level, high = (PosePair(STANDING, Body(left_arm=Arm(lift=lift, bend=0)).pose()) for lift in (90, 175))

    shoulder = evidence(plan("Raise your left arm to shoulder height."), [level, high])
    overhead = evidence(plan("Raise your left arm straight up."), [level, high])

    assert shoulder[0, 2] > shoulder[1, 2]
    assert overhead[0, 2] < overhead[1, 2]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_part_without_a_side_may_be_either(side: str) -> None:
    clause_evidence = evidence(plan("Raise the arm."), [TO[side], TO["none"]])

    assert clause_evidence[0, 1] > clause_evidence[1, 1]


@given(pairs, pairs)
def test_a_mirror_image_has_the_evidence_of_the_mirrored_words(one: PosePair, two: PosePair) -> None:
    clauses = plan("Raise your left arm to shoulder height. Bend your right knee. Lean to the left.")
    mirrored = plan("Raise your right arm to shoulder height. Bend your left knee. Lean to the right.")

    assert evidence(mirrored, [one.mirrored, two.mirrored]) == pytest.approx(evidence(clauses, [one, two]), abs=1e-6)


@pytest.mark.parametrize("text", ["Raise your left arm.", "Raise your left arm to shoulder height."])
def test_what_is_hidden_lies_between_what_is_borne_out_and_what_is_denied(text: str) -> None:
    hidden, dim = (
        PosePair(STANDING, replace(LEFT_UP, visibility=np.full(20, visible))) for visible in (0.0, VISIBLE + 0.05)
    )

    right, dimly, unseen, wrong = weighed([0] * 4, evidence(plan(text), [TO["left"], dim, hidden, TO["right"]]))

    assert right > dimly > unseen > wrong


def test_what_is_said_twice_counts_once() -> None:
    once, often = plan("Raise your left arm."), plan("Raise your left arm. " * 40)

    assert evidence(once, [TO["left"]]).tolist() == evidence(often, [TO["left"]]).tolist()


def test_end_states_hold_wherever_the_movement_began() -> None:
    level = (Clause(Side.LEFT, Part.ARM, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),)
    from_above = PosePair(Body(left_arm=Arm(lift=170, bend=0)).pose(), LEFT_UP)

    assert end_states(level, [TO["left"], from_above, TO["right"]]).tolist() == [1, 1, -1]
    assert evidence(level, [TO["left"], from_above, TO["right"]])[:, 0].tolist() == [1, -1, -1]
    assert end_states(plan("Raise your left arm."), [TO["left"], TO["right"]]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "spoken_of"),
    [
        ("Straighten your right knee.", True),
        ("Bend both knees.", True),
        ("Bring your feet closer together.", True),
        ("Bring your hands closer together.", False),
        ("Move your right foot forward.", False),
    ],
)
def test_who_bends_a_knee_or_spreads_the_feet_speaks_of_the_bodys_height(text: str, spoken_of: bool) -> None:  # noqa: FBT001
    regions = mentioned((clause.side, clause.part, clause.direction) for clause in plan(text))
    assert ((Side.NONE, Part.HIPS) in regions) is spoken_of
