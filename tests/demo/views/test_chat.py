"""Messages of a chat: a question stays text, and nothing ends the markup of a message."""

from __future__ import annotations

import json
import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from demo.i18n import text
from demo.views.chat import chat_refusal, chat_reply
from fmp_models.dialogue import Reply
from fmp_models.errors import BadInputError
from fmp_models.pose import INDEX

REPLY = Reply(
    *("And the other one?", "Bend it.", "answer", "seek(direction, node(left knee))", "seek direction"),
    parts=("left knee",),
    joints=("left_knee",),
    explanation="I looked.\n\nMeasured: 45 degrees.",
    suggestions=("How far?", "Where does it end?", "What else moves?"),
)


def messages(reply: Reply, language: str = "en") -> list[str]:
    """Return the markup of both messages."""
    return [
        content["text"] for one in json.loads(chat_reply(reply, language))["messages"] for content in one["content"]
    ]


def test_a_reply_has_its_reason_its_joints_and_the_next_questions() -> None:
    told = json.loads(chat_reply(REPLY, "hi"))

    assert [one["role"] for one in told["messages"]] == ["user", "assistant"]
    assert (told["joints"], told["rows"]) == ([INDEX["left_knee"]], ["left_knee"])
    assert (tuple(told["suggestions"]), told["language"]) == (REPLY.suggestions, "hi")
    answer = messages(REPLY, "hi")[1]
    assert text("ask.how").by_language["hi"] in answer
    assert answer.index("I looked.") < answer.index("Measured: 45 degrees.")
    assert "<details" not in messages(Reply("?", "What?", "unread"))[1]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_question_and_answer_stay_text_in_markup_without_an_empty_line(question: str, answer: str) -> None:
    markup = messages(Reply(question, answer, "unread"))

    assert [unescape(re.sub(r"<p [^<>]*>|</p>", "", one)).split() for one in markup] == [
        question.split(),
        answer.split(),
    ]
    assert not [one for one in markup if re.search(r"\n\s*\n", one.strip())]


def test_a_refusal_is_said_in_every_language() -> None:
    refused = json.loads(chat_refusal(BadInputError("history_unreadable")))["refusal"]
    assert refused == text("errors.history_unreadable").by_language
