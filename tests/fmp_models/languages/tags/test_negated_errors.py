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
        ("hi", "घुटने इतने मत मोड़ो।", "both, knee, straighten"),
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


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Don't lower your arms too far.", ""),
        ("en", "Don't drop your arms too fast.", ""),
        ("en", "Don't drop your arms so quickly.", ""),
        ("en", "Don't bend your knees too much.", ""),
        ("en", "Don't turn your head too far to the left.", ""),
        ("en", "Don't lower your left hand below your hip.", ""),
        ("en", "Don't lower your left hand below hip height.", ""),
        ("en", "Don't raise your arms above your shoulders.", ""),
        ("en", "Don't bend your knees past your toes.", ""),
        ("en", "Don't move your left foot beyond your right foot.", ""),
        ("en", "Raise your arms without bending your knees too much.", "both, arm, up"),
        ("en", "Don't lower your arms too far and bend your knees.", "both, knee, bend"),
        ("en", "Don't bend your knees and lean too far forward.", "both, leg, keep; none, trunk, backward"),
        ("en", "Don't bend your knees, raise your arms quickly.", "both, leg, keep; both, arm, up"),
        ("en", "Don't lift your left foot off the floor.", "left, leg, keep"),
        ("en", "Don't bend your arm at the elbow.", "none, arm, keep"),
        ("en", "Don't raise your arms any higher.", "both, arm, keep"),
        ("hi", "घुटने ज़्यादा मत मोड़ो।", ""),
        ("hi", "घुटने मत मोड़ो ज़्यादा।", ""),
        ("hi", "हाथ बहुत नीचे मत करो।", ""),
        ("hi", "हाथ जल्दी मत उठाओ।", ""),
        ("hi", "हाथ को बहुत नीचे मत गिरने दो।", ""),
        ("hi", "हाथ को कंधे से नीचे मत गिरने दो।", ""),
        ("hi", "घुटने ज़्यादा मत मोड़ो और हाथ ऊपर करो।", "both, hand, up"),
        ("hi", "पैर अपनी जगह से मत हिलाओ।", "none, leg, keep"),
        ("hi", "हाथ थोड़ा भी मत उठाओ।", "both, arm, keep"),
        ("hi", "बायां हाथ ज़्यादा उठाओ, घुटने मत मोड़ो।", "left, hand, up; both, leg, keep"),
    ],
)
def test_what_may_go_as_far_as_a_limit_is_not_kept(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected
