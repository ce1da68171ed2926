"""Reading people's questions: what is asked, what "it" means, and what is not read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fmp_models.dialogue import SceneGraph, converse
from fmp_models.dialogue.accuracy import read_asked
from tests.dialogues import graph_of, lunge


def programs(questions: str | Sequence[str], language: str = "en", graph: SceneGraph | None = None) -> list[str]:
    asked = questions.split("|") if isinstance(questions, str) else questions
    return [reply.program for reply in converse(graph or lunge(), asked, language)]


@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("how many parts move up?", "count(filter(direction, up, parts()))"),
        ("How many things do I need to fix", "count(filter(moves, yes, parts()))"),
        ("which parts don't move", "which(filter(moves, no, parts()))"),
        ("Which leg should be bent?", "which(filter(direction, bend, each(knee)))"),
        (
            "which parts of my right arm move",
            "which(filter(moves, yes, filter(side, right, filter(chain, arm, parts()))))",
        ),
        ("does anything on my left side move?", "exist(filter(moves, yes, filter(side, left, parts())))"),
        ("what is the biggest change", "name(most(parts()))"),
        ("which knee bends more", "name(most(each(knee)))"),
        ("which moves more, my left or my right arm?", "compare(node(left arm), node(right arm))"),
        ("can you tell me which way my hips go?", "seek(direction, node(hips))"),
        ("do my arms go up or forward?", "seek(direction, node(left arm)); seek(direction, node(right arm))"),
        ("how deep should I squat", "seek(degree, node(body))"),
        ("where is my left hand now", "seek(start, node(left hand))"),
        ("how far apart do my feet go", "seek(end, node(both feet))"),
        ("what angle should my right knee be", "seek(angle, node(right knee))"),
        ("shuld i bend my rigth knee more", "exist(filter(direction, bend, these(right knee)))"),
        (
            "Isn't my left knee bent enough?",
            "exist(except(these(left knee), filter(direction, bend, these(left knee))))",
        ),
        ("am I leaning too far forward?", "exist(filter(direction, backward, these(trunk)))"),
        ("is my left arm in the right position", "exist(filter(moves, no, these(left arm)))"),
        ("should i leave my head where it is?", "exist(filter(moves, no, these(head)))"),
        ("does my left arm move a lot", "exist(filter(degree, far, these(left arm)))"),
        ("are my arms straight", "exist(filter(start, straight, each(elbow)))"),
        ("Dear me, is it my left or right knee that's meant to bend?", "which(filter(direction, bend, each(knee)))"),
        ("I keep losing track. Which arm goes up?", "which(filter(direction, up, each(arm)))"),
        ("just my head, really?", "which(filter(moves, yes, parts()))"),
        (
            "Should my right elbow be higher than my shoulder?",
            "exist(filter(side, right, filter(part, elbow, relate(above, target, node(right shoulder)))))",
        ),
        (
            "is my right foot in front of my left foot?",
            "exist(filter(side, right, filter(part, foot, relate(front, current, node(left foot)))))",
        ),
    ],
)
def test_english_questions_are_read(question: str, program: str) -> None:
    assert programs([question]) == [program]


@pytest.mark.parametrize(
    ("question", "program"),
    [
        ("कितने अंग ऊपर जाएंगे?", "count(filter(direction, up, parts()))"),
        ("किस घुटने को मोड़ना है?", "which(filter(direction, bend, each(knee)))"),
        ("सबसे ज़्यादा कौन सा हिस्सा बदलेगा?", "name(most(parts()))"),
        ("बायां घुटना कितना मोड़ूं?", "seek(degree, node(left knee))"),
        ("पैर कितने दूर रखूं?", "seek(end, node(both feet))"),
        ("सिर ऊपर करूं या नीचे?", "seek(direction, node(head))"),
        ("क्या मैं ज़्यादा आगे झुक रहा हूं?", "exist(filter(direction, backward, these(trunk)))"),
        ("क्या मेरा बायां हाथ सही जगह पर है?", "exist(filter(moves, no, these(left hand)))"),
        ("नज़र... मतलब सिर नीचे रखना है कि ऊपर", "seek(direction, node(head))"),
        ("kaunsa ghutna modna hai", "which(filter(direction, bend, each(knee)))"),
        ("mera baya hath kahan jayega", "seek(end, node(left hand))"),
        ("kya right knee bend karna hai", "exist(filter(direction, bend, these(right knee)))"),
        (
            "बायां हाथ दाएं हाथ से ऊपर है क्या?",
            "exist(filter(side, left, filter(part, hand, relate(above, current, node(right hand)))))",
        ),
    ],
)
def test_hindi_questions_are_read_in_both_scripts(question: str, program: str) -> None:
    assert programs([question], "hi") == [program]


@pytest.mark.parametrize(
    ("conversation", "read"),
    [
        (
            "Which knee bends?|how far?|And the other one?|does it move at all?",
            ["seek(degree, focus())", "seek(degree, other(focus()))", "exist(filter(moves, yes, these(left knee)))"],
        ),
        (
            "what about my arms?|which of them moves more?|where do they end up?|anything else?",
            [
                "name(most(last()))",
                "seek(end, node(left arm)); seek(end, node(right arm))",
                "exist(except(filter(moves, yes, parts()), mentioned()))",
            ],
        ),
        (
            "is my left arm right?|which way then?|and right?|how many other parts move up?|which ones?",
            [
                "seek(direction, focus())",
                "seek(direction, node(right arm))",
                "count(except(filter(direction, up, parts()), mentioned()))",
                "which(last())",
            ],
        ),
        (
            "Does my right knee bend?|and my head?|How far does the knee from before go?|which one did I name first?",
            ["seek(direction, node(head))", "seek(degree, first(each(knee)))", "name(first(mentioned()))"],
        ),
        (
            "does anything on my left side change?|and on the right side?|which parts go up?|and down?",
            [
                "exist(filter(moves, yes, filter(side, right, parts())))",
                "which(filter(direction, up, parts()))",
                "which(filter(direction, down, parts()))",
            ],
        ),
        ("does my left arm go up?|and on the right side?", ["exist(filter(direction, up, these(right arm)))"]),
    ],
)
def test_a_conversation_says_what_is_meant(conversation: str, read: list[str]) -> None:
    assert programs(conversation)[1:] == read


def test_a_hindi_conversation_says_what_is_meant() -> None:
    assert programs("कौन सा घुटना मुड़ेगा?|कितना?|और दूसरा?|क्या वह हिलेगा?|और पहले वाला घुटना कहां जाएगा?|और कुछ?", "hi")[1:] == [
        "seek(degree, focus())",
        "seek(degree, other(focus()))",
        "exist(filter(moves, yes, these(left knee)))",
        "seek(end, first(each(knee)))",
        "exist(except(filter(moves, yes, parts()), mentioned()))",
    ]


def test_the_front_and_the_lifted_one_are_those_of_the_pose() -> None:
    graph = graph_of("warrior three left, half lifted", "warrior three left")
    assert programs("is the lifted leg high enough?", graph=graph)[0].count("left leg") == 2


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("do my shoes fit", "en"),
        ("am I breathing right?", "en"),
        ("where do I look", "en"),
        ("what is the capital of France", "en"),
        ("and?", "en"),
        ("🤸", "en"),
        ("क्या मुझे दर्द होगा?", "hi"),
        ("जूते उतार दूं क्या?", "hi"),
        ("<script>alert(1)</script>", "hi"),
    ],
)
def test_what_cannot_be_read_is_said_to_be_so_with_questions_that_can_be_asked(question: str, language: str) -> None:
    (reply,) = converse(lunge(), [question], language)
    assert (reply.outcome, reply.program, len(reply.suggestions)) == ("unread", "", 3)
    assert all(converse(lunge(), [one], language)[0].outcome == "answer" for one in reply.suggestions)


PIECES = (
    "and|the other one|it|them|they|left|right|knee|arms|head|elbow|my|how far|which way|most|first|"
    "before|enough|ok|bent|straight|up|down|above|below|in front of|behind me|higher than my head|"
    "next to|hands together|my feet apart|more|than|or|a lot|move|moves|many parts|else|does|is|are|"
    "should|not|don't|where|how high|angle|same|?|,|on my left side|shrug|lean|squat|parts of|besides|और|"
    "दूसरा|वह|घुटना|कितना|किस ओर|ऊपर|हाथ|क्या|है|कौन सा|पहले वाला|सिर के ऊपर|के आगे|दोनों|से ज़्यादा|"
    "ज़मीन पर|aur|kitna|sir ke upar"
)
WORDS = st.sampled_from(PIECES.split("|"))


@given(st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_no_words_make_the_reader_fail(questions: list[str]) -> None:
    replies = [converse(lunge(), questions, language) for language in ("en", "hi")]
    assert {reply.outcome for each in replies for reply in each} <= {"answer", "none", "unseen", "unread"}


@pytest.mark.parametrize(("language", "least"), [("en", 325), ("hi", 420)])
def test_questions_asked_by_hand_for_development_are_read(language: str, least: int) -> None:
    read = read_asked(language, "development")
    assert sum(one.same_answer for one in read) >= least
