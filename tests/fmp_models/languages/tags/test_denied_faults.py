"""What is done too far or is to stop asks for the reverse; what is only denied does not."""

import pytest

from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Don't bend your knees so much.", "both, knee, straighten"),
        ("en", "Don't raise your right arm so high.", "right, arm, down"),
        ("en", "Don't turn your head so far to the left.", "none, head, turn right"),
        ("en", "Don't spread your feet so wide.", "both, foot, together"),
        ("en", "Don't keep your legs so straight.", "both, knee, bend"),
        ("en", "Your left arm doesn't need to be so high.", "left, arm, down"),
        ("en", "Don't hunch so much.", "none, trunk, reach, upright"),
        ("en", "Bend your knees, but not so much.", "both, knee, bend"),
        ("en", "Raise your arm so high that it is straight.", "none, arm, up; none, arm, up"),
        ("hi", "घुटने इतने मत मोड़ो।", "none, knee, straighten"),
        ("hi", "हाथों को इतना ऊपर न ले जाएं।", "both, hand, down"),
        ("hi", "सिर इतना दाईं ओर मत घुमाओ।", "none, head, turn left"),
        ("hi", "पैर इतने चौड़े मत रखो।", "both, foot, together"),
        ("hi", "इतना मत झुको।", "none, trunk, reach, upright"),
        ("hi", "दायां हाथ उठाकर इतना आगे मत झुको।", "right, hand, up; none, trunk, backward"),
        ("hi", "हाथ इतना ऊपर उठाओ कि वह सीधा हो।", "none, hand, up; none, elbow, reach, straight"),
    ],
)
def test_what_is_not_to_go_so_far_goes_back(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Stop bending your left knee.", "left, knee, straighten"),
        ("en", "Stop leaning forward and raise your arm.", "none, trunk, backward; none, arm, up"),
        ("en", "Stop slouching.", "none, trunk, reach, upright"),
        ("hi", "झुककर मत खड़े हो।", "none, trunk, reach, upright"),
        ("en", "Stop moving.", ""),
        ("en", "Stop when your left arm is up.", "left, arm, up"),
        ("en", "Do not lean forward.", ""),
        ("hi", "आगे झुकना बंद करो।", "none, trunk, backward"),
        ("hi", "झुकना बंद कीजिए।", "none, trunk, reach, upright"),
        ("hi", "आगे मत झुको।", ""),
    ],
)
def test_what_is_to_stop_goes_back(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected
