"""Conversations: answers, the parts they light, how they were found, and questions that cannot be taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fmp_models.dialogue import SceneGraph, ask_about, converse, first_questions
from fmp_models.errors import BadInputError
from fmp_models.pose import INDEX, JOINTS, PosePair
from tests.dialogues import lunge, pair_of


def test_a_reply_names_the_parts_and_joints_that_it_is_about() -> None:
    reply = ask_about(lunge(), " Which way does my left foot go? ", "en")
    assert (reply.question, reply.outcome, reply.kind) == (
        "Which way does my left foot go?",
        "answer",
        "seek direction",
    )
    assert (reply.parts, reply.joints) == (("left foot",), ("left_ankle", "left_foot"))
    assert reply.answer.startswith("Move your left foot")
    assert "your left foot: back by about " in reply.explanation
    assert len(set(reply.suggestions)) == 3


def test_earlier_questions_say_what_a_later_one_means() -> None:
    earlier = ["Which knee bends?", "How far?"]
    assert ask_about(lunge(), "and the other one?", "en", earlier).parts == ("left knee",)
    assert ask_about(lunge(), "और दूसरा?", "hi", earlier).parts == ("left knee",)
    assert converse(lunge(), [*earlier, "and the other one?"], "en")[-1] == ask_about(
        lunge(), "and the other one?", "en", earlier
    )


def test_a_question_that_was_not_read_does_not_change_what_it_means() -> None:
    with_noise = ["Which knee bends?", "bla bla", "am I breathing right?"]
    assert ask_about(lunge(), "how far?", "en", with_noise).parts == ("right knee",)


def test_a_question_of_which_only_the_part_is_understood_gets_what_is_certain_of_it() -> None:
    partly = "I did not understand all of that, but this is certain."
    assert ask_about(lunge(), "is my right knee cromulent?", "en").answer.startswith(f"{partly} Bend your right knee")
    assert ask_about(lunge(), "क्या मेरा दायां घुटना लचकदार है?", "hi").answer.startswith("मैं पूरा सवाल समझ नहीं पाया")
    assert partly not in ask_about(lunge(), "is my right knee straight?", "en").answer


def test_the_answer_is_in_the_language_of_the_page_whatever_the_question_is_in() -> None:
    assert ask_about(lunge(), "kaunsa ghutna modna hai", "en").answer == "Your right knee."
    assert ask_about(lunge(), "which knee bends", "hi").answer == "आपका दाहिना घुटना।"


def test_no_side_said_answers_for_both() -> None:
    reply = ask_about(lunge(), "how far do my knees bend?", "en")
    assert reply.parts == ("left knee", "right knee")
    assert reply.program == "seek(degree, node(left knee)); seek(degree, node(right knee))"


def test_photographs_that_do_not_show_a_part_say_so() -> None:
    seen = pair_of("standing, right arm up", "warrior one right")
    hidden = replace(seen.target, visibility=seen.target.visibility * 0)
    graph = SceneGraph.of_pair(PosePair(seen.current, hidden))
    replies = converse(graph, ["does my left knee bend?", "how many parts move?"], "en")
    assert [reply.outcome for reply in replies] == ["unseen", "unseen"]
    assert replies[0].answer == "That cannot be told for certain from the photographs."


@pytest.mark.parametrize(("visible", "outcome"), [(1.0, "answer"), (0.0, "unseen")])
def test_a_part_of_which_photographs_hide_a_joint_is_not_said_to_stay(visible: float, outcome: str) -> None:
    pose = pair_of("standing, right arm up", "warrior one right").target
    visibility = np.ones(len(JOINTS))
    photographed = replace(pose, visibility=visibility.copy(), pose_samples=pose.joints[None])
    visibility[INDEX["left_foot"]] = visible
    graph = SceneGraph.of_pair(PosePair(photographed, replace(photographed, visibility=visibility)))
    assert ask_about(graph, "does my left foot move?", "en").outcome == outcome


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_first_questions_can_be_asked(language: str) -> None:
    questions = first_questions(lunge(), language)
    assert len(set(questions)) == 3
    assert {ask_about(lunge(), question, language).outcome for question in questions} == {"answer"}


@pytest.mark.parametrize(
    ("questions", "language", "message"),
    [
        ([""], "en", "1 to 500 characters"),
        (["  \u200b "], "en", "1 to 500 characters"),
        (["a" * 501], "en", "1 to 500 characters"),
        (["how far?"] * 51, "en", "at most 50 questions"),
        (["how far?"], "fr", "en, hi"),
    ],
)
def test_what_cannot_be_taken_is_refused_in_one_sentence(questions: list[str], language: str, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        converse(lunge(), questions, language)
