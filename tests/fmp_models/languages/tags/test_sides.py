"""Sides that do not stand before their part: told later, of the other limb, or in the place of a part."""

import pytest

from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import read
from fmp_models.languages.reader.unparsed import find_unparsed
from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Raise your arm. The left one.", "left, arm, up"),
        ("en", "Bend your knee, your right one, and lean forward.", "right, knee, bend; none, trunk, forward"),
        ("en", "Lift your leg. Right, please.", "right, leg, up"),
        ("en", "Raise your arm. Your left, not your right.", "left, arm, up"),
        ("en", "Raise your arm, not the right one but the left one.", "left, arm, up"),
        ("en", "Raise your arm, right?", "none, arm, up"),
        ("en", "Raise your arms. The left one.", "both, arm, up"),
        ("en", "Raise your left arm. The right one.", "left, arm, up"),
        ("en", "Bend your knee. To the left.", "none, knee, bend"),
        ("en", "Turn your head. Left.", "none, head, turn"),
        ("hi", "हाथ उठाओ। बायां वाला।", "left, hand, up"),
        ("hi", "घुटना मोड़ो, मतलब दायां।", "right, knee, bend"),
        ("hi", "हाथ उठाओ, दायां नहीं बायां।", "left, hand, up"),
        ("hi", "अपने दोनों हाथ उठाओ। बायां वाला।", "both, hand, up"),
    ],
)
def test_a_side_told_later_is_that_of_the_part_named_last(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (
            "en",
            "Bend your left knee and keep the other leg straight.",
            "left, knee, bend; right, knee, reach, straight",
        ),
        (
            "en",
            "Raise your right arm, bend your left knee and lower the other arm.",
            "right, arm, up; left, knee, bend; left, arm, down",
        ),
        ("en", "Lift the other leg.", "none, leg, up"),
        ("en", "Raise both arms and lower the other hand.", "both, arm, up; none, hand, down"),
        ("hi", "दायां हाथ ऊपर उठाओ और दूसरा हाथ नीचे करो।", "right, hand, up; left, hand, down"),
        ("hi", "दूसरे पैर को पीछे ले जाओ।", "none, foot, backward"),
    ],
)
def test_the_other_limb_is_on_the_side_that_was_not_named(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Raise your left arm and lower the right one.", "left, arm, up; right, arm, down"),
        ("en", "Bend your right knee and straighten your left.", "right, knee, bend; left, knee, straighten"),
        ("en", "Lift one hand and lower the other one.", "none, hand, up; none, hand, down"),
        (
            "en",
            "Your right foot is too far forward, your left too far back.",
            "right, foot, backward; left, foot, forward",
        ),
        (
            "en",
            "Keep your left arm where it is and raise your right one.",
            "left, arm, keep; right, arm, up",
        ),
        ("en", "Move your left foot behind your right.", "left, foot, backward"),
        ("en", "Turn your left foot to your left.", "left, foot, turn out"),
        ("hi", "एक हाथ ऊपर, दूसरा नीचे।", "none, hand, up; none, hand, down"),
        ("hi", "बाईं कोहनी मोड़ो और दाईं सीधी रखो।", "left, elbow, bend; right, elbow, reach, straight"),
        ("hi", "हाथ फैलाओ, दाएं को ऊपर उठाओ।", "both, hand, apart; right, hand, up"),
        ("hi", "बायां हाथ उठाओ और दायां वाला नीचे रखो।", "left, hand, up; right, hand, down"),
    ],
)
def test_a_side_alone_stands_for_the_part_named_last(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Lower your right arm. No, the left one.", "left, arm, down"),
        ("en", "Raise your right leg, I mean your left.", "left, leg, up"),
        ("en", "Raise your right arm. Sorry, left arm.", "left, arm, up"),
        (
            "en",
            "Bend your left knee, no, your right knee, and lean forward.",
            "right, knee, bend; none, trunk, forward",
        ),
        ("en", "Raise your right arm. Your left arm should be down.", "right, arm, up; left, arm, down"),
        ("en", "Raise your left arm, not the right one.", "left, arm, up"),
        ("hi", "दायां हाथ नीचे करो। नहीं, बायां।", "left, hand, down"),
        ("hi", "दायां घुटना मोड़ो, मतलब बायां।", "left, knee, bend"),
        ("hi", "दायां हाथ उठाओ, बायां नहीं।", "right, hand, up"),
    ],
)
def test_a_side_that_is_taken_back_gives_way_to_the_one_that_is_meant(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Raise your left or right arm.", "none, arm, up"),
        ("en", "Raise your left arm or your right arm.", "none, arm, up"),
        ("en", "Raise your left arm or your right leg.", "left, arm, up; right, leg, up"),
        ("hi", "बायां या दायां हाथ उठाओ।", "none, hand, up"),
        ("hi", "बायां हाथ या दायां हाथ उठाओ।", "none, hand, up"),
    ],
)
def test_where_either_limb_will_do_no_side_is_claimed(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Raise your arm. The left one."),
        ("en", "Raise your right arm. No, the left one."),
        ("hi", "हाथ उठाओ। बायां वाला।"),
        ("hi", "दायां हाथ उठाओ। नहीं, बायां।"),
    ],
)
def test_such_a_side_is_no_request_that_was_passed_over(code: str, text: str) -> None:
    words = grammar(code)
    assert find_unparsed(text, words, read(text, words)) == ()
