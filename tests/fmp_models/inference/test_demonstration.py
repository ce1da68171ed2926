"""Texts that are read and executed by a figure."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fmp_models.describe.descriptions import describe
from fmp_models.describe.trainer_steps import speak
from fmp_models.errors import BadInputError
from fmp_models.geometry.planner import make_plan
from fmp_models.inference.demonstration import MAX_STEPS, demonstrate, demonstrate_description, demonstrate_steps
from fmp_models.languages.language_data import LANGUAGES, speech_words
from fmp_models.pose import BONES, JOINTS, Pose, PosePair
from tests.bodies import Body, random_pairs
from tests.thoroughness import one_of


def lengths(joints: np.ndarray) -> np.ndarray:
    return np.array([np.linalg.norm(joints[a] - joints[b]) for a, b in BONES])


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_a_correction_is_carried_out_step_by_step_towards_the_target(language: str) -> None:
    ways = []
    for pair in random_pairs(6, seed=2):
        description = describe(pair, language)
        demonstration = demonstrate(description.text, language, pair.current, pair.target)
        assert [step.text.lower() for step in demonstration.steps] == [
            step.text.lower().strip(".।") for step in description.steps
        ]
        assert demonstration.poses[0] == pytest.approx(pair.current.joints)
        assert len(demonstration.poses) == 1 + sum(step.carried for step in demonstration.steps)
        words = description.text.split()
        for step in demonstration.steps:
            assert " ".join(words[slice(*step.words)]).strip(".।") == step.text
        ways.append(demonstration.way)
    print(f"\nway of {len(ways)} pairs, {language}: {np.mean(ways):.2f}")  # noqa: T201
    assert np.mean(ways) > 0.2


def test_the_figure_of_a_correction_ends_on_the_goal_and_eases_into_it_only_where_something_is_left() -> None:
    demonstrations = []
    for pair in random_pairs(6, seed=2):
        speech = speak(make_plan(pair), pair, "hi")
        plans = [step.moves for step in speech.steps]
        steps = [((number, number + 1), plan) for number, plan in enumerate(plans)]
        demonstrations.append(demonstrate_steps(speech.text, "hi", steps, pair.current, pair.target))

    assert [one.poses[-1] == pytest.approx(one.target) for one in demonstrations] == [True] * 6
    assert all(len(one.poses) == 1 + len(one.steps) for one in demonstrations)
    easing = [one.steps[-1].words is None for one in demonstrations]
    assert set(easing) == {True, False}
    assert {one.steps[-1].text for one in demonstrations if one.steps[-1].words is None} == {speech_words("hi").ease}
    assert {one.way for one in demonstrations} == {None}


def test_what_a_person_types_is_carried_out_without_a_target() -> None:
    demonstration = demonstrate_description("please raise your left arm!", "en", Body().pose(), None)
    assert [step.carried for step in demonstration.steps] == [True]
    assert demonstration.target is None
    assert demonstration.way is None
    wrist = JOINTS.index("left_wrist")
    assert demonstration.poses[1][wrist, 1] < demonstration.poses[0][wrist, 1] - 0.05  # y points down


def test_a_shape_that_a_text_names_is_one_step_and_the_clauses_within_its_words_are_none() -> None:
    demonstration = demonstrate_description(
        "Raise your left arm, then come into warrior two.", "en", Body().pose(), None
    )
    arm, warrior = demonstration.steps
    assert (arm.carried, warrior.carried) == (True, True)
    assert arm.shape is None
    assert len(arm.clauses) == 1
    assert warrior.shape is not None
    assert warrior.shape.shape.name == "warrior_two"
    assert warrior.clauses == ()
    assert len(demonstration.poses) == 3


def test_hindi_in_latin_letters_is_carried_out_too() -> None:
    demonstration = demonstrate_description("apna baayan haath upar uthao", "hi", Body().pose(), None)
    assert [step.carried for step in demonstration.steps] == [True]


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("Raise your left arm and wiggle your fingers.", [True]),
        ("Raise your left arm. Jump about!", [True, False]),
        ("Bend the elbow.", [True]),
        ("The left leg cannot be seen.", [False]),
        ("Hello world", [False]),
        ("Turn your fingers out, lower your head", [False, True]),
    ],
)
def test_what_cannot_be_carried_out_is_listed_as_such_and_moves_nothing(text: str, carried: list[bool]) -> None:
    demonstration = demonstrate_description(text, "en", Body().pose(), None)
    assert [step.carried for step in demonstration.steps] == carried
    assert len(demonstration.poses) == 1 + sum(carried)
    assert all(step.text in text for step in demonstration.steps)


@pytest.mark.parametrize(("text", "code"), [("  ", "description_empty"), ("up " * 400, "description_too_long")])
def test_what_is_no_text_is_refused(text: str, code: str) -> None:
    with pytest.raises(BadInputError) as refused:
        demonstrate_description(text, "en", Body().pose(), None)
    assert refused.value.code == code


def test_the_target_is_shown_on_the_current_bones_and_floor() -> None:
    pair = random_pairs(1, seed=4)[0]
    taller = Pose(pair.target.joints * 1.3 + 0.4, pair.target.visibility)
    demonstration = demonstrate("Bend your knees", "en", pair.current, taller)
    assert lengths(demonstration.target) == pytest.approx(lengths(pair.current.joints))
    assert demonstration.target[:, 1].max() == pytest.approx(pair.current.joints[:, 1].max())


def test_who_already_stands_there_has_no_way_to_go() -> None:
    pose = Body().pose()
    assert demonstrate("Raise your left arm", "en", pose, pose).way is None
    turned = demonstrate("Turn to your left", "en", pose, Body(yaw=80).pose())
    assert turned.way > 0.5


def test_the_target_itself_is_the_whole_way_and_the_wrong_way_leads_further_away() -> None:
    pair = random_pairs(1, seed=5)[0]
    there = demonstrate("", "en", pair.current, pair.target)
    assert there.way == pytest.approx(0)
    opposite = describe(PosePair(pair.target, pair.current), "en").text
    assert demonstrate(opposite, "en", pair.current, pair.target).way < 0


def test_a_correction_that_is_typed_again_is_carried_out_alike() -> None:
    pair = random_pairs(1, seed=6)[0]
    text = describe(pair, "en").text
    demonstration = demonstrate(text, "en", pair.current, pair.target)
    typed = demonstrate_description(text, None, pair.current, pair.target)
    assert typed.as_json() == demonstration.as_json()
    assert typed.language == "en"


def test_what_is_shown_is_written_to_the_micrometre() -> None:
    pair = random_pairs(1, seed=7)[0]
    demonstration = demonstrate(describe(pair, "en").text, "en", pair.current, pair.target)
    answer = json.loads(json.dumps(demonstration.as_json(), allow_nan=False))
    assert answer["joints"] == list(JOINTS)
    assert [tuple(bone) for bone in answer["bones"]] == list(BONES)
    np.testing.assert_allclose(answer["poses"], demonstration.poses, atol=0.0000005)
    np.testing.assert_allclose(answer["target"], demonstration.target, atol=0.0000005)
    assert {*answer} == {"joints", "bones", "poses", "steps", "target", "way"}
    assert {*answer["steps"][0]} == {"text", "words", "carried"}


def test_own_words_lead_to_one_pose_whatever_the_target_is() -> None:
    pose = Body().pose()
    alone = demonstrate("Raise your arms", "en", pose, None)
    beside_target = demonstrate("Raise your arms", "en", pose, Body(yaw=60).pose())
    np.testing.assert_array_equal(alone.poses[-1], beside_target.poses[-1])


def test_a_text_of_very_many_steps_is_done_in_part() -> None:
    demonstration = demonstrate_description("Squat. Stand up. " * 50, "en", Body().pose(), None)
    carried = [step.carried for step in demonstration.steps]
    assert carried == [True] * MAX_STEPS + [False] * (len(carried) - MAX_STEPS)
    assert len(carried) > MAX_STEPS
