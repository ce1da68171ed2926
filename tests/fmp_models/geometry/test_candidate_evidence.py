"""Evidence for candidates: what supports one, what decides, and what unknown poses get."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from fmp_models.geometry import candidate_evidence as by_candidate
from fmp_models.geometry.candidate_evidence import (
    EVIDENCE_WEIGHTS,
    Candidate,
    EvidenceWeights,
    ExecutionResult,
    candidate_log_odds,
    mentioned_regions,
    share_held,
)
from fmp_models.geometry.lexicon import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.geometry.measured_changes import VISIBLE
from fmp_models.geometry.shape import NamedShape
from fmp_models.geometry.shapes import SHAPES_BY_NAME
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_plan
from fmp_models.pose import JOINTS, Array, Pose, PosePair, mirror
from tests.bodies import Arm, Body, Leg, pairs

STANDING = Body().pose()
LEFT_UP, RIGHT_UP = (Body(**{f"{side}_arm": Arm(lift=90, bend=0)}).pose() for side in ("left", "right"))
TO = {name: PosePair(STANDING, pose) for name, pose in (("left", LEFT_UP), ("right", RIGHT_UP), ("none", STANDING))}


def evidence(clauses: Plan, pairs: Sequence[PosePair | None], *more: Any) -> Array:  # noqa: ANN401
    return by_candidate.evidence(clauses, candidates(pairs), *more)


def candidates(pairs: Sequence[PosePair | None]) -> list[Candidate | None]:
    return [None if pair is None else Candidate(pair, pair.target) for pair in pairs]


def plan(text: str) -> Plan:
    clauses = read_plan(text, grammar("en"))
    assert clauses
    return clauses


def test_clauses_count_for_a_candidate_that_bears_them_out_and_against_one_that_denies_them() -> None:
    clauses = plan("Raise your left arm to shoulder height. Keep your right arm still.")

    clause_evidence = evidence(clauses, [TO["left"], TO["right"], TO["none"]])

    assert clause_evidence[0, 0] > clause_evidence[2, 0] > clause_evidence[1, 0]
    assert (clause_evidence <= 0).all()
    odds = candidate_log_odds([0, 0, 0], clause_evidence)
    assert odds[0] > odds[2] > odds[1]


def test_a_retrievers_scores_and_clauses_add_up() -> None:
    weights = EvidenceWeights(score=2, chance=3, reached=5, shape=7, done=11, kept=13)
    of_clauses = np.array([[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, -2.0, -1.0]])

    by_scores = candidate_log_odds([[1.0, 2.0]], np.zeros((2, 5)), weights)
    assert candidate_log_odds([[1.0, 2.0]], of_clauses, weights) - by_scores == pytest.approx(np.array([[3, -40]]))


def test_a_retriever_ranks_by_its_scores_and_is_never_certain() -> None:
    doubtful, certain = (
        candidate_log_odds(scores, np.zeros((3, 5))) for scores in ([2.0, 1.0, 0.0], [200.0, 100.0, 0.0])
    )

    assert doubtful.argsort().tolist() == [2, 1, 0]
    assert certain[0] - certain[2] == pytest.approx(EVIDENCE_WEIGHTS.score * np.log(101))
    assert candidate_log_odds([1.0, -np.inf, 0.0], np.zeros((3, 5)))[1] == -np.inf


def test_nobody_wins_by_not_being_seen() -> None:
    clauses = plan("Raise your left arm to shoulder height.")

    clause_evidence = evidence(clauses, [TO["left"], None, TO["right"], TO["none"]])
    odds = candidate_log_odds([0.0] * 4, clause_evidence)

    assert clause_evidence[1] == pytest.approx(clause_evidence[[0, 2, 3]].min(axis=0))
    assert odds[1] <= odds[[0, 2, 3]].min()
    assert evidence(clauses, [None, None]).tolist() == [[0] * 5] * 2


def led(pose: Pose, *goals: Clause | NamedShape) -> ExecutionResult:
    return ExecutionResult(goals, pose.joints[None])


def test_without_anything_done_nothing_is_done_or_kept() -> None:
    assert evidence((), [TO["left"], TO["none"], None]).tolist() == [[0] * 5] * 3


def test_who_comes_out_as_doing_the_text_did_is_likelier() -> None:
    clauses = plan("Raise your left arm.")
    done = led(LEFT_UP, *clauses)

    left, right, none = evidence(clauses, [TO["left"], TO["right"], TO["none"]], (), (), done)

    assert left[3:].tolist() == [0, 0]
    assert none[3] == right[3] < 0
    assert none[4] == 0 > right[4]


def test_of_two_bodies_that_may_be_meant_the_one_that_a_candidate_is_nearer_to_counts() -> None:
    clauses = plan("Raise the arm.")
    either = ExecutionResult(clauses, np.stack([LEFT_UP.joints, RIGHT_UP.joints]))

    assert evidence(clauses, [TO["left"], TO["right"]], (), (), either)[:, 3].tolist() == [0, 0]


def test_what_moves_without_a_word_counts_against_a_candidate() -> None:
    both = PosePair(STANDING, Body(left_arm=Arm(lift=90, bend=0), right_arm=Arm(lift=90, bend=0)).pose())
    clauses = plan("Raise your left arm.")
    done = led(LEFT_UP, *clauses)

    left, two = evidence(clauses, [TO["left"], both], (), (), done)
    assert left[4] == 0 > two[4]
    # Whatever the text says of the other arm, it speaks of it.
    assert evidence(clauses, [both], [(Side.RIGHT, Part.HAND)], (), done)[0, 4] == 0


def test_of_what_could_not_be_done_nothing_is_compared() -> None:
    clauses = plan("Raise your left arm.")

    assert evidence(clauses, [TO["left"]], (), (), led(STANDING))[0, 3:].tolist() == [0, 0]


def test_whichever_way_a_body_is_turned_round_it_did_the_same() -> None:
    clauses = plan("Raise your left arm.")
    turned = PosePair(STANDING, Body(yaw=70, left_arm=Arm(lift=90, bend=0)).pose())

    assert evidence(clauses, [turned], (), (), led(LEFT_UP, *clauses))[0, 3:] == pytest.approx([0, 0], abs=1e-6)


def test_bones_that_are_hidden_are_not_compared() -> None:
    clauses = plan("Raise your left arm.")
    dark = PosePair(STANDING, replace(RIGHT_UP, visibility=np.zeros(20), pose_samples=RIGHT_UP.joints[None]))

    assert evidence(clauses, [dark], (), (), led(LEFT_UP, *clauses))[0, 3:].tolist() == [0, 0]


def test_an_end_that_is_named_tells_candidates_apart_that_move_the_same_way() -> None:
    level, high = (PosePair(STANDING, Body(left_arm=Arm(lift=lift, bend=0)).pose()) for lift in (90, 175))

    shoulder = evidence(plan("Raise your left arm to shoulder height."), [level, high])
    overhead = evidence(plan("Raise your left arm straight up."), [level, high])

    assert shoulder[0, 1] > shoulder[1, 1]
    assert overhead[0, 1] < overhead[1, 1]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_part_without_a_side_may_be_either(side: str) -> None:
    clause_evidence = evidence(plan("Raise the arm."), [TO[side], TO["none"]])

    assert clause_evidence[0, 0] > clause_evidence[1, 0]


@given(pairs, pairs)
def test_a_mirror_image_has_the_evidence_of_the_mirrored_words(one: PosePair, two: PosePair) -> None:
    clauses = plan("Raise your left arm to shoulder height. Bend your right knee. Lean to the left.")
    mirrored = plan("Raise your right arm to shoulder height. Bend your left knee. Lean to the right.")

    assert evidence(mirrored, [one.mirrored, two.mirrored]) == pytest.approx(evidence(clauses, [one, two]), abs=1e-6)


@pytest.mark.parametrize("text", ["Raise your left arm.", "Raise your left arm to shoulder height."])
def test_what_is_hidden_lies_between_what_is_borne_out_and_what_is_denied(text: str) -> None:
    doubtful = np.stack([LEFT_UP.joints, LEFT_UP.joints, STANDING.joints])
    hidden, dim = (
        PosePair(STANDING, replace(LEFT_UP, visibility=np.full(20, visible), pose_samples=doubtful))
        for visible in (0.0, VISIBLE + 0.05)
    )

    right, dimly, unseen, wrong = candidate_log_odds(
        [0] * 4, evidence(plan(text), [TO["left"], dim, hidden, TO["right"]])
    )

    assert right > dimly > unseen > wrong


def test_what_is_said_twice_counts_once() -> None:
    once, often = plan("Raise your left arm."), plan("Raise your left arm. " * 40)

    assert evidence(once, [TO["left"]]).tolist() == evidence(often, [TO["left"]]).tolist()


SQUATTING, SEATED = (
    Body(pitch=pitch, left_leg=leg, right_leg=leg)
    for pitch, leg in ((40, Leg(lift=80, swing=88, bend=105)), (0, Leg(lift=88, bend=90)))
)
SQUAT = NamedShape(SHAPES_BY_NAME["squat"], Side.BOTH)


def test_a_shape_counts_for_the_candidate_that_holds_it_wherever_the_movement_began() -> None:
    for start in (STANDING, SQUATTING.pose()):
        shape = evidence((), [PosePair(start, body.pose()) for body in (SQUATTING, SEATED, Body())], (), [SQUAT])[:, 2]
        assert shape[0] == pytest.approx(0)
        assert shape[1:].max() < -1


def test_of_two_candidates_that_do_not_hold_a_shape_the_nearer_one_is_likelier() -> None:
    half = Body(pitch=20, left_leg=Leg(lift=35, bend=45), right_leg=Leg(lift=35, bend=45)).pose()

    nearer, farther = evidence((), [PosePair(STANDING, half), TO["none"]], (), [SQUAT])[:, 2]

    assert 0 > nearer > farther


@pytest.mark.parametrize(("named", "side"), [("left", "left"), ("none", "left"), ("none", "right")])
def test_a_shape_without_a_side_may_be_held_on_either(named: str, side: str) -> None:
    lunge = NamedShape(SHAPES_BY_NAME["lunge"], Side(named))
    legs = {"left_leg": Leg(lift=75, bend=85), "right_leg": Leg(lift=40, swing=-90, bend=30)}
    pose = Body(**legs).pose() if side == "left" else mirror(Body(**legs).pose())

    assert share_held(lunge, pose) == pytest.approx(1)
    assert share_held(NamedShape(lunge.shape, Side(side).mirrored), pose) < 0.1


def test_a_text_that_says_where_arms_are_says_nothing_of_the_trunk() -> None:
    hanging = NamedShape(SHAPES_BY_NAME["arms_down"], Side.BOTH)
    bent = Body(pitch=90, left_arm=Arm(lift=90, swing=90), right_arm=Arm(lift=90, swing=90))

    assert share_held(hanging, bent.pose()) == pytest.approx(1)
    assert share_held(hanging, bent.change(left_arm=Arm()).pose()) < 0.5
    assert share_held(NamedShape(SHAPES_BY_NAME["squat"], Side.BOTH), SQUATTING.change(pitch=140).pose()) < 0.5


def test_a_shape_whose_joints_are_hidden_is_neither_held_nor_denied() -> None:
    held, not_held = (replace(body.pose(), visibility=np.zeros(20)) for body in (SQUATTING, Body()))

    assert share_held(SQUAT, SQUATTING.pose()) > share_held(SQUAT, held) > 0.5
    assert share_held(SQUAT, Body().pose()) < share_held(SQUAT, not_held) < 0.5


def test_where_a_movement_ends_is_seen_though_the_current_photograph_hides_it() -> None:
    legs_hidden = replace(
        STANDING, visibility=np.array([0.0 if re.search("knee|ankle|foot", n) else 1.0 for n in JOINTS])
    )
    clauses = (Clause(Side.BOTH, Part.KNEE, Direction.REACH, relations=(Relation.STRAIGHT,)),)
    squatting, standing = (Candidate(PosePair(legs_hidden, pose), pose) for pose in (SQUATTING.pose(), STANDING))

    of_both = by_candidate.evidence(clauses, [squatting, standing], (), [SQUAT])

    assert of_both[0, 2] == pytest.approx(0)
    assert of_both[1, 2] < -1
    assert of_both[0, 1] < of_both[1, 1]


def test_what_a_shape_is_about_need_not_be_kept() -> None:
    legs_and_arm = PosePair(STANDING, SQUATTING.change(left_arm=Arm(lift=90, bend=0)).pose())
    done = led(STANDING)

    squat, star, nothing = (
        evidence((), [legs_and_arm], (), shapes, done)[0, 4]
        for shapes in ([SQUAT], [NamedShape(SHAPES_BY_NAME["star"], Side.BOTH)], [])
    )

    assert 0 == star > squat > nothing


def test_what_tells_the_winner_from_the_others_is_deciding() -> None:
    both_up = PosePair(STANDING, Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose())
    up_and_down = PosePair(STANDING, SQUATTING.change(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose())
    clauses = plan("Raise your left arm. Raise your right arm.")

    decisive = by_candidate.deciding_statements(
        clauses, [SQUAT], candidates([TO["left"], up_and_down, both_up, None]), 1
    )

    assert decisive.tolist() == [False, True, True]
    assert not by_candidate.deciding_statements(clauses, [SQUAT], candidates([up_and_down]), 0).any()
    assert by_candidate.deciding_statements((), (), candidates([up_and_down, both_up]), 0).tolist() == []


def test_end_states_hold_wherever_the_movement_began() -> None:
    level = (Clause(Side.LEFT, Part.ARM, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),)
    from_above = PosePair(Body(left_arm=Arm(lift=170, bend=0)).pose(), LEFT_UP)

    assert by_candidate.end_states(level, candidates([TO["left"], from_above, TO["right"]])).tolist() == [1, 1, -1]
    ways = evidence(level, [TO["left"], from_above, TO["right"]])[:, 0]
    assert ways[0] > ways[1:].max()
    assert by_candidate.end_states(plan("Raise your left arm."), candidates([TO["left"], TO["right"]])).tolist() == [
        0,
        0,
    ]


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
    regions = mentioned_regions((clause.side, clause.part, clause.direction) for clause in plan(text))
    assert ((Side.NONE, Part.HIPS) in regions) is spoken_of
