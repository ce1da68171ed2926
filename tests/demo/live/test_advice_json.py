from __future__ import annotations

import json

from demo.live.advice_json import advice_json
from fmp_models.coach.coaching import Coach, SpokenCue
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.languages.speech import speech_words
from tests.bodies import Arm, Body
from tests.exercises import FEET, RATE, tracked
from tests.thoroughness import thorough

COVERED = ["left_elbow", "left_wrist", "left_hand"]


def test_what_the_camera_does_not_show_is_shown_and_said_in_every_language() -> None:
    body = Body().pose()
    coach = Coach([body])
    advices = [coach.update(number / RATE, tracked(body, covered=COVERED)) for number in range(3 * RATE)]
    (advice_of_page,) = [advice_json(advice) for advice in advices if SpokenCue.COVERED in advice.sayings]
    assert advice_of_page["unseen"] == advice_of_page["sayings"][-1]
    for language in LANGUAGES:
        assert speech_words(language).unseen_parts["arm"]["left"] in advice_of_page["unseen"][language]
    json.dumps(advice_of_page, allow_nan=False)


def test_what_is_shown_and_said_is_the_whole_movement_in_every_language() -> None:
    goal = Body(left_arm=Arm(lift=90), right_arm=Arm(lift=90)).pose()
    coach = Coach([goal])
    advices = [coach.update(number / RATE, tracked(Body().pose())) for number in range(3 * RATE)]
    (advice,) = [advice for advice in advices if SpokenCue.MOVE in advice.sayings]
    advice_of_page = advice_json(advice)
    assert advice_of_page["instruction"] == advice_of_page["sayings"][-1]
    for language in LANGUAGES:
        said = speech_words(language).shapes["arms_t"]["into"][0]
        assert advice_of_page["instruction"][language].casefold().startswith(said.casefold())


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
