"""What a film measures is labelled as somebody would label it by eye."""

from __future__ import annotations

import pytest
from hypothesis import given

from fmp_models.evaluation.films.measured_truth import measured_truth
from fmp_models.evaluation.real.pairs import SLOTS
from tests.bodies import Arm, Body, Leg, bodies
from tests.fmp_models.evaluation.films.film_of_body import in_room

STANDING = Body()
RAISED = Body(left_arm=Arm(lift=150))
SQUAT = Body(left_leg=Leg(lift=80, bend=95), right_leg=Leg(lift=80, bend=95), pitch=15)

FOLD = Body(pitch=95, lean=-3)  # the neck is below the hips


@pytest.mark.parametrize(
    ("target", "slot", "sign"),
    [
        (RAISED, "left_arm_up", 1),
        (RAISED, "left_hand_up", 1),
        (RAISED, "right_arm_up", 0),
        (Body(right_arm=Arm(lift=85)), "right_arm_out", 1),
        (Body(right_arm=Arm(lift=85, swing=90)), "right_arm_forward", 1),
        (Body(right_arm=Arm(bend=90)), "right_elbow_bend", 1),
        (SQUAT, "left_knee_bend", 1),
        (SQUAT, "hips_down", 1),
        (SQUAT, "left_leg_up", 0),
        (Body(right_leg=Leg(lift=60, bend=60)), "right_leg_up", 1),
        (Body(left_leg=Leg(lift=25, swing=0)), "left_foot_side", 1),
        (Body(left_leg=Leg(lift=25, swing=0)), "feet_apart", 1),
        (Body(right_leg=Leg(lift=30)), "right_foot_forward", 1),
        (Body(pitch=40), "trunk_forward", 1),
        (Body(lean=25), "trunk_left", 1),
        (FOLD, "trunk_forward", 1),
        (FOLD, "trunk_left", 0),
        (Body(yaw=40), "body_turn_left", 1),
        (Body(twist=40), "trunk_twist_left", 1),
    ],
)
def test_a_movement_has_its_sign_and_the_way_back_the_other(target: Body, slot: str, sign: int) -> None:
    there, _ = measured_truth(in_room(STANDING), in_room(target))
    back, _ = measured_truth(in_room(target), in_room(STANDING))
    assert there[slot] == sign
    assert back[slot] == -sign


@given(bodies)
def test_who_stays_has_no_change_and_nothing_that_must_be_said(body: Body) -> None:
    truth, must = measured_truth(in_room(body), in_room(body))
    assert set(truth.values()) == {0}
    assert must == ()
    assert set(truth) <= set(SLOTS)


def test_what_anybody_would_mention_is_the_largest_and_an_arm_is_mentioned_once() -> None:
    _, must = measured_truth(in_room(STANDING), in_room(Body(left_arm=Arm(lift=150), right_arm=Arm(bend=60))))
    assert len(must) == 2
    assert must[0] in {"left_arm_up", "left_hand_up"}
    assert must[1] == "right_elbow_bend"


def test_what_changes_by_neither_little_nor_much_has_no_label() -> None:
    truth, _ = measured_truth(in_room(STANDING), in_room(Body(left_arm=Arm(lift=20))))
    assert truth["left_arm_up"] is None


def test_a_stride_is_no_other_stance_though_the_feet_come_apart_or_together() -> None:
    aside, ahead = Body(left_leg=Leg(lift=25, swing=0)), Body(left_leg=Leg(lift=35, swing=60))
    wider, must = measured_truth(in_room(STANDING), in_room(aside))
    stride, _ = measured_truth(in_room(STANDING), in_room(ahead))
    back, _ = measured_truth(in_room(ahead), in_room(STANDING))
    assert wider["feet_apart"] == 1
    assert "feet_apart" in must
    assert stride["left_foot_side"] == 1
    assert stride["feet_apart"] is None
    assert back["feet_apart"] is None


def test_feet_that_stay_have_no_other_stance_however_they_are_measured() -> None:
    unsteady = Body(left_leg=Leg(lift=6), right_leg=Leg(lift=3))
    truth, _ = measured_truth(in_room(STANDING), in_room(unsteady))
    assert truth["feet_apart"] == 0
