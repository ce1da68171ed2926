"""A fault that is stated as a fact asks for the reverse, and one that a command takes back asks for nothing else."""

import pytest

from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.parse import read
from fmp_models.languages.reader.unparsed import find_unparsed
from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your left arm is higher than your right.", "left, arm, down"),
        ("en", "Your right shoulder is slightly lower than the left one.", "right, shoulder, up"),
        ("en", "Your left foot is further forward than your right foot.", "left, foot, backward"),
        ("en", "Your right knee is more bent than your left.", "right, knee, straighten"),
        ("en", "Your elbows are lower than your shoulders.", "both, arm, up"),
        ("en", "Your left arm should be higher than your right.", "left, arm, up"),
        ("en", "Raise your left arm so that it is higher than your right.", "left, arm, up; left, arm, up"),
        ("en", "Your right hand should be as high as the left.", "right, hand, up"),
        ("en", "Your right hand should be level with your left.", "right, hand, move"),
        ("hi", "बायां कंधा दाएं से ऊंचा है।", "left, shoulder, down"),
        ("hi", "आपका दायां हाथ बाएं हाथ से नीचे है।", "right, hand, up"),
        ("hi", "बायां घुटना दूसरे से ज़्यादा मुड़ा हुआ है।", "left, knee, straighten"),
        ("hi", "बायां हाथ दाएं से ऊपर होना चाहिए।", "left, hand, up"),
        ("hi", "बायां हाथ उठाओ ताकि वह दाएं से ऊंचा हो।", "left, hand, up"),
    ],
)
def test_what_is_further_than_the_other_goes_back(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your hips have drifted to the left.", "none, hips, right"),
        ("en", "Your right shoulder is hiked up.", "right, shoulder, down"),
        ("en", "Your knees are caving in.", "both, knee, out"),
        ("en", "Your weight is too far over your right leg.", "none, hips, left"),
        ("en", "Your shoulders are up by your ears.", "both, shoulder, down"),
        ("en", "Now your body has moved to the right.", "none, body, right"),
        ("hi", "आपका सिर दाईं तरफ़ झुक गया है।", "none, head, left"),
        ("hi", "आप बहुत आगे झुके हुए हैं।", "none, trunk, backward"),
        ("hi", "तुम बहुत आगे झुके हुए हो।", "none, trunk, backward"),
        ("hi", "वज़न दाईं तरफ़ ज़्यादा है।", "none, hips, left"),
        ("hi", "कंधे कानों तक चढ़ गए हैं।", "both, shoulder, down"),
        ("hi", "कंधे ऊपर चढ़े हुए हैं, ढीले छोड़ो।", "both, shoulder, down"),
        ("hi", "बायां कंधा उचका हुआ है।", "left, shoulder, down"),
        ("hi", "दायां हाथ ऊपर उठ गया है।", "right, hand, down"),
        ("hi", "हाथ ऊपर रखा गया है।", "none, hand, up"),
    ],
)
def test_what_has_gone_astray_goes_back(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your legs aren't straight yet.", "both, knee, reach, straight"),
        ("en", "Your right elbow isn't bent enough.", "right, elbow, bend"),
        ("en", "Your arms are not quite straight.", "both, elbow, reach, straight"),
        ("en", "Your legs are not wide enough.", "both, foot, apart"),
        ("en", "Feet not wide enough.", "both, foot, apart"),
        ("en", "Your hands aren't close enough.", "both, hand, together"),
        ("hi", "आपका दायां पैर सीधा नहीं है।", "right, knee, reach, straight"),
        ("hi", "बायां हाथ उतना ऊपर नहीं है।", "left, hand, up"),
        ("hi", "दोनों पैर काफ़ी दूर नहीं हैं।", "both, foot, apart"),
        ("hi", "घुटने मोड़ना नहीं है।", ""),
    ],
)
def test_what_is_not_so_yet_is_to_be_so(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your arm is bent, straighten it.", "none, elbow, straighten"),
        ("en", "You are looking down, lift your chin.", "none, head, backward"),
        ("en", "Your legs are straight, bend them.", "both, knee, bend"),
        ("en", "Your left hand is up. Lower it.", "left, hand, down"),
        ("en", "Your left arm is bent and your right arm is up.", "left, elbow, bend; right, arm, up"),
        ("en", "Raise your left arm so that it is up, then lower it.", "left, arm, up; left, arm, up; left, arm, down"),
        ("en", "Straighten your left knee, it is bent.", "left, knee, straighten"),
        ("en", "Straighten your left knee, your right knee is bent.", "left, knee, straighten; right, knee, bend"),
        ("en", "You are leaning to the left, straighten up.", "none, trunk, reach, upright"),
        ("en", "Your feet are close together, move them apart.", "both, foot, apart"),
        ("en", "Your left arm is up but should be down.", "left, arm, down"),
        ("en", "Your arms are too high, lower them a little.", "both, arm, down"),
        ("en", "Your left arm is raised, bend it.", "left, arm, up; left, elbow, bend"),
        ("en", "Your arms are crossed, let them hang.", "both, arm, reach, hanging by the side"),
        ("en", "Your legs are crossed, uncross them.", "both, foot, apart"),
        ("en", "Your left arm is raised. Put your left hand on your hip.", "left, hand, reach, next to the hip"),
        ("en", "Your arms are crossed.", "both, hand, in"),
        ("hi", "आपका दायां घुटना मुड़ा है, उसे सीधा करो।", "right, knee, straighten"),
        ("hi", "बायां घुटना सीधा करें, वह मुड़ा हुआ है।", "left, knee, straighten"),
        ("hi", "बायां हाथ ऊपर है, नीचे करो।", "left, hand, down"),
        ("hi", "बायां हाथ नीचे लटका हुआ है, उसे ऊपर उठाओ।", "left, hand, up"),
        ("hi", "घुटने मुड़े हुए हैं, सीधे करो।", "both, knee, straighten"),
        ("hi", "पैर बहुत पास-पास हैं, थोड़ा खोलो।", "both, foot, apart"),
        ("hi", "बायां हाथ ऊपर है लेकिन नीचे होना चाहिए।", "left, hand, down"),
        ("hi", "आप नीचे देख रहे हैं, सिर ऊपर उठाओ।", "none, head, backward"),
    ],
)
def test_what_a_command_takes_back_is_not_asked_for(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "You're twisted to the left, come back to face me.", "none, body, turn right"),
        ("en", "You are leaning to the right. Come back to the middle.", "none, trunk, left"),
        ("en", "Bring your chin level again, you are looking down.", "none, head, backward"),
        ("en", "Lean to the left, then come back.", "none, trunk, left; none, body, backward"),
        ("hi", "आप बाईं ओर झुक रहे हैं, सीधे हो जाएं।", "none, trunk, right"),
        ("hi", "तुम आगे झुके हुए हो, सीधे हो जाओ।", "none, trunk, backward"),
        ("hi", "सिर सीधा कीजिए, आप नीचे देख रहे हैं।", "none, head, backward"),
        ("hi", "सिर सीधा कीजिए और घुटने मोड़िए।", "both, knee, bend"),
    ],
)
def test_who_is_to_come_back_goes_against_the_way_that_is_stated(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text"), [("en", "Your arm is bent, straighten it."), ("hi", "दायां घुटना मुड़ा है, उसे सीधा करो।")]
)
def test_a_fact_that_is_taken_back_is_no_request_that_was_passed_over(code: str, text: str) -> None:
    words = grammar(code)
    assert find_unparsed(text, words, read(text, words)) == ()
