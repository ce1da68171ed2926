from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.checked_clauses import Weights, checked_clauses, end_states, evidence, weighed
from fmp_models.describe.changes import VISIBLE
from fmp_models.describe.clauses import Clause, Direction, Part, Plan, Relation, Side
from fmp_models.describe.judging import confidence
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reading import read_plan
from fmp_models.pose import PosePair
from tests.bodies import Arm, Body

STANDING = Body().pose()
LEFT_UP, RIGHT_UP = (Body(**{f"{side}_arm": Arm(lift=90, bend=0)}).pose() for side in ("left", "right"))
TO = {name: PosePair(STANDING, pose) for name, pose in (("left", LEFT_UP), ("right", RIGHT_UP), ("none", STANDING))}


def plan(text: str) -> Plan:
    found = read_plan(text, grammar("en"))
    assert found
    return found


def test_clauses_count_for_a_candidate_that_bears_them_out_and_against_one_that_denies_them() -> None:
    said = plan("Raise your left arm to shoulder height. Keep your right arm still.")

    found = evidence(said, [TO["left"], TO["right"], TO["none"]])

    assert found[:, 0].tolist() == [2, -2, 0]
    assert found[0, 1] > found[2, 1] > found[1, 1]
    assert (found[:, 1] <= 0).all()
    odds = weighed([0, 0, 0], found)
    assert odds[0] > odds[2] > odds[1]


def test_a_retrievers_scores_and_clauses_add_up() -> None:
    weights = Weights(score=2, verdict=3, chance=5)

    assert weighed([[1.0, 2.0]], np.array([[1.0, 0.0], [0.0, -1.0]]), weights).tolist() == [[5, -1]]


def test_what_nobody_could_see_counts_as_much_as_it_does_elsewhere() -> None:
    said = plan("Raise your left arm.")
    seen, unseen = [TO["left"], TO["left"], TO["right"]], [None, None]

    assert evidence(said, [*seen, None])[3] == pytest.approx(evidence(said, seen).mean(axis=0))
    assert evidence(said, unseen).tolist() == [[0, 0]] * 2
    assert evidence((), [TO["left"], None]).tolist() == [[0, 0]] * 2


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


def test_an_end_state_without_a_movement_is_an_even_chance() -> None:
    (told,) = checked_clauses(
        "Your left arm should be at shoulder height.", "en", TO["left"], lambda one, _: confidence(one, TO["left"])
    )

    assert (told.agrees, told.direction, told.confidence) == (True, "reach", 0.5)


def test_end_states_hold_wherever_the_movement_began() -> None:
    level = (Clause(Side.LEFT, Part.ARM, Direction.UP, relations=(Relation.SHOULDER_HEIGHT,)),)
    from_above = PosePair(Body(left_arm=Arm(lift=170, bend=0)).pose(), LEFT_UP)

    assert end_states(level, [TO["left"], from_above, TO["right"]]).tolist() == [1, 1, -1]
    assert evidence(level, [TO["left"], from_above, TO["right"]])[:, 0].tolist() == [1, -1, -1]
    assert end_states(plan("Raise your left arm."), [TO["left"], TO["right"]]).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("text", "language"),
    [("Stand well. Raise your left arm.", "en"), ("अच्छे से खड़े रहें। अपनी बाईं बांह उठाएं।", "hi")],
)
def test_each_clause_is_told_with_its_place_its_verdict_and_how_sure_it_is(text: str, language: str) -> None:
    places = []

    def sureness(clause: Clause, place: tuple[int, int]) -> float:
        places.append(place)
        return 0.12345 if clause.side is Side.LEFT else 0.0

    (told,) = checked_clauses(text, language, TO["left"], sureness)
    (denied,) = checked_clauses(text, language, TO["right"], sureness)

    assert (told.agrees, denied.agrees) == (True, False)
    assert told.confidence == 0.123
    assert places == [told.words] * 2
    assert text.split()[slice(*told.words)] == text.split()[-4:]
