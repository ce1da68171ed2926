from __future__ import annotations

import json

from demo.live.advice_json import advice_json
from fmp_models.coach.coach import Coach, Saying
from tests.bodies import Body
from tests.exercises import FEET, RATE, tracked
from tests.thoroughness import thorough

COVERED = ["left_elbow", "left_wrist", "left_hand"]


def test_what_the_camera_does_not_show_is_shown_and_said_in_every_language() -> None:
    body = Body().pose()
    coach = Coach([body])
    advices = [coach.update(number / RATE, tracked(body, covered=COVERED)) for number in range(3 * RATE)]
    (advice_of_page,) = [advice_json(advice) for advice in advices if Saying.COVERED in advice.sayings]
    assert advice_of_page["unseen"] == advice_of_page["sayings"][-1]
    assert advice_of_page["unseen"]["en"] == "I could not see your left arm well enough to judge it."
    assert "बाईं बांह" in advice_of_page["unseen"]["hi"]
    json.dumps(advice_of_page, allow_nan=False)


def test_what_lies_outside_the_picture_comes_before_what_is_covered() -> None:
    body = Body().pose()
    coach = Coach([body])
    advices = [coach.update(number / RATE, tracked(body, FEET, COVERED)) for number in range(3 * RATE)]
    assert advice_json(advices[-1])["unseen"]["en"] == "Step back, I cannot see your feet."


@thorough
def test_whenever_an_arm_is_covered_every_frame_up_to_the_end_can_be_told() -> None:
    person = Body().pose()
    people = tracked(person), tracked(person, covered=COVERED)
    for first in range(61):
        coach = Coach([person])
        advices = [coach.update(number / RATE, people[number >= first]) for number in range(61)]
        advices_of_page = [advice_json(advice) for advice in advices]
        assert advices_of_page[-1]["phase"] == "done"
        json.dumps(advices_of_page, allow_nan=False)
