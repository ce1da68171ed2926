from __future__ import annotations

import json

import numpy as np
import pytest

from demo.views.demonstration import played
from fmp_models.geometry.lexicon import Clause, Direction, Part, Side
from fmp_models.inference.demonstration import demonstrate, demonstrate_steps
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.languages.speech import speech_words
from fmp_models.pose import INDEX, Pose
from tests.demo.views.test_figures import arm_out, standing

BODY = Pose(standing(), np.ones(20))
GOAL = Pose(arm_out(), np.ones(20))


def played_json(text: str, language: str = "en", target: Pose | None = GOAL) -> dict[str, object]:
    return json.loads(json.dumps(played(demonstrate(text, language, BODY, target))))


@pytest.mark.parametrize(
    ("text", "language"),
    [("Raise your left arm. Bend both knees.", "en"), ("बाईं बांह उठाएं। दोनों घुटनों को मोड़ें।", "hi")],
)
def test_each_step_has_its_words_its_poses_and_the_joints_that_it_is_about(text: str, language: str) -> None:
    demonstration = played_json(text, language)

    assert [(step["from"], step["to"]) for step in demonstration["steps"]] == [(0, 1), (1, 2)]
    assert " ".join(step["text"] for step in demonstration["steps"]) == text
    assert demonstration["steps"][0]["lit"] == ["left_shoulder", "left_elbow", "left_wrist", "left_hand"]
    assert demonstration["steps"][1]["lit"] == ["right_knee", "left_knee"]
    assert demonstration["unmoved"] == []
    assert demonstration["language"] == language
    assert len(demonstration["poses"]) == 3
    assert np.allclose(demonstration["poses"][0], BODY.joints, atol=0.001)


def test_a_shape_lights_the_parts_that_it_says_all_about() -> None:
    (step,) = played_json("Squat down.", target=None)["steps"]
    assert {"left_knee", "right_ankle"} <= {*step["lit"]}
    assert not {"left_wrist", "head"} & {*step["lit"]}


ARM = Clause(Side.LEFT, Part.ARM, Direction.UP)
KNEES = Clause(Side.BOTH, Part.KNEE, Direction.BEND)
UNSEEN = Clause(Side.RIGHT, Part.ARM, Direction.UNSEEN)


def test_a_step_of_several_clauses_is_one_move_with_the_joints_of_all() -> None:
    text = "Raise your left arm, knees bent. Keep in mind: shoulders low. Bend both knees. I could not see it."
    plans = [((0, 6), (ARM, KNEES)), ((6, 11), ()), ((11, 14), (KNEES,)), ((14, 19), (UNSEEN,))]

    demonstration = played(demonstrate_steps(text, "en", plans, BODY, GOAL))

    assert [(step["text"], step["words"], step["from"], step["to"]) for step in demonstration["steps"]] == [
        ("Raise your left arm, knees bent.", (0, 6), 0, 1),
        ("Bend both knees.", (11, 14), 1, 2),
    ]
    assert {"left_wrist", "left_knee", "right_knee"} <= set(demonstration["steps"][0]["lit"])
    assert demonstration["unmoved"] == []
    assert len(demonstration["poses"]) == 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_steps_leave_is_a_last_step_in_words_of_its_own_that_lights_nothing(language: str) -> None:
    demonstration = played(demonstrate_steps("Bend both knees.", language, [((0, 3), (KNEES,))], BODY, GOAL))

    assert [(step["words"], step["from"], step["to"]) for step in demonstration["steps"]] == [
        ((0, 3), 0, 1),
        (None, 1, 2),
    ]
    assert demonstration["steps"][1]["text"] == speech_words(language).ease
    assert demonstration["steps"][1]["lit"] == []
    assert demonstration["unmoved"] == []
    assert np.allclose(demonstration["poses"][-1], demonstration["target"])


def test_what_shares_its_words_is_one_step() -> None:
    demonstration = played_json("Raise your left hand and your left foot.")

    assert len(demonstration["steps"]) == 1
    assert len(demonstration["poses"]) == 1 + demonstration["steps"][0]["to"]
    assert {"left_hand", "left_foot"} <= set(demonstration["steps"][0]["lit"])


def test_what_cannot_be_carried_out_is_listed_once_and_moves_nothing() -> None:
    demonstration = played_json("Raise your left arm. Sing a song. Sing a song.")

    assert [step["text"] for step in demonstration["steps"]] == ["Raise your left arm."]
    assert demonstration["unmoved"] == ["Sing a song."]
    assert len(demonstration["poses"]) == 2


def test_what_was_not_seen_is_neither_done_nor_reproached() -> None:
    demonstration = played_json("Bend both knees. I could not see your left arm.")

    assert [step["text"] for step in demonstration["steps"]] == ["Bend both knees."]
    assert demonstration["unmoved"] == []


def test_without_a_target_there_is_no_ghost_and_no_way() -> None:
    demonstration = played_json("Raise your left arm.", target=None)

    assert demonstration["target"] is demonstration["way"] is None


def test_a_text_of_ten_steps_is_a_few_kilobytes() -> None:
    text = " ".join(["Raise your left arm.", "Lower your left arm."] * 5)

    assert len(json.dumps(played_json(text))) < 9_500


def test_joints_are_named_as_bodies_are() -> None:
    assert played_json("Raise your left arm.")["joints"] == list(INDEX)
