"""What belongs together in a sentence of several parts: each part keeps its own verb, way and side."""

import pytest

from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (
            "en",
            "Turn your shoulders, head and right knee to the right.",
            "none, trunk, turn right; none, head, turn right; right, foot, turn out",
        ),
        (
            "en",
            "Bend your left knee, raise your right arm and your head.",
            "left, knee, bend; right, arm, up; none, head, backward",
        ),
        (
            "en",
            "Put your left hand back to your side and your right hand must come up.",
            "left, arm, reach, hanging by the side; right, hand, up",
        ),
        ("en", "Set your left foot about 2.5 feet forwards.", "left, foot, forward"),
        ("en", "Set your right foot right next to your left foot.", "both, foot, together"),
        ("en", "Move your right foot closer to your left foot.", "both, foot, together"),
        ("en", "Bring your left and right foot together with only an inch between them.", "both, foot, together"),
        ("en", "Move your left leg away from your right leg.", "left, foot, out"),
        ("en", "Shift your right foot so that your toes are facing more to the right.", "right, foot, turn out"),
        ("en", "Lean your right shoulder downwards.", "right, shoulder, down"),
        ("en", "Bring your left hand in front of your left hip.", "left, hand, forward"),
        ("en", "Bring your elbows next to your waist.", "both, arm, in"),
        ("en", "Have your knees bent and your back straight.", "both, knee, bend; none, trunk, reach, upright"),
        (
            "en",
            "With your knees bent and your arms out to the sides.",
            "both, knee, bend; both, arm, reach, to the side",
        ),
        ("en", "Your left arm should be raised and your right arm lowered.", "left, arm, up; right, arm, down"),
        ("en", "Keep your head tilted up.", "none, head, backward"),
        ("en", "Keep your knees together.", "both, knee, together"),
        (
            "en",
            "Keep your arms where they are and step your feet together.",
            "both, arm, keep; both, foot, together",
        ),
        ("en", "It is important to bend your left knee.", "left, knee, bend"),
        ("en", "Tilt your head down and to the left.", "none, head, forward; none, head, left"),
        ("hi", "अपने घुटनों को खिड़की की ओर बाईं ओर मोड़ें।", "both, foot, turn left"),
        ("hi", "अपने दाहिने घुटने को दाईं ओर मोड़ें।", "right, knee, bend"),
        ("hi", "घुटने मोड़ो और डिब्बे को सीधा करो।", "both, knee, bend"),
        ("hi", "अपने दाहिने पैर के अंगूठे को मोड़ें।", "right, foot, turn"),
        ("hi", "दाहिना पैर आगे रखो और घुटने में थोड़ा मोड़ो।", "right, foot, forward; right, knee, bend"),
        ("hi", "बायीं भुजा को अपनी ओर और दाहिनी भुजा को आगे लाएं।", "left, arm, in; right, arm, forward"),
        ("hi", "अपने शरीर को मेज़ की तरफ़ करें।", "none, body, turn"),
        ("hi", "दाहिना पैर सीधा करके ऊपर उठाओ।", "right, knee, straighten; right, leg, up"),
        ("hi", "अपने दाहिने हाथ को शरीर से लगभग 6 इंच दूर रखें।", "right, hand, out"),
        ("hi", "बायां पैर दाहिने पैर के थोड़ा पास लाओ।", "both, foot, together"),
    ],
)
def test_parts_keep_their_own_verb_way_and_side(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("बायां हाथ मत उठाओ, नीचे करो।", "left, hand, down"),
        ("बायां हाथ उठाओ मत, नीचे करो।", "left, hand, down"),
        ("बायां हाथ मत उठाओ। नीचे करो।", "left, hand, down"),
        ("बायां हाथ मत उठाओ, बल्कि नीचे करो।", "left, hand, down"),
        ("बायां हाथ मत उठाओ, मोड़ो।", "left, elbow, bend"),
        ("हाथ नीचे मत करो, ऊपर करो।", "both, hand, up"),
        ("हाथ को गिरने मत दो, ऊपर उठाओ।", "none, hand, up"),
        ("हाथ नीचे मत गिरने दो, ऊपर ले जाओ।", "both, hand, up"),
        ("घुटने मत मोड़ो, सीधे करो।", "both, knee, straighten"),
        ("सिर मत झुकाओ, ऊपर उठाओ।", "none, head, backward"),
        ("हाथ ज़्यादा ऊपर मत उठाओ, नीचे करो।", "both, hand, down"),
        ("घुटने मत मोड़ो, आगे झुको।", "both, leg, keep; none, trunk, forward"),
        ("घुटने मत मोड़ो, पीछे जाओ।", "both, leg, keep; none, body, backward"),
        ("हाथ मत उठाओ, पैर नीचे करो।", "both, arm, keep; none, leg, down"),
        ("हाथ मत उठाओ, गेंद उठाओ।", "both, arm, keep"),
        ("हाथ मत उठाओ, नीचे मत करो।", "both, arm, keep"),
        ("न हाथ उठाओ न नीचे करो।", "both, arm, keep"),
        ("बायां हाथ मत उठाओ, नीचे रहने दो।", "left, arm, keep"),
        ("हाथ नीचे मत करो, ऊपर होने चाहिए।", "both, hand, up"),
        ("हाथ मत उठाओ। आगे झुको। नीचे करो।", "both, arm, keep; none, trunk, forward"),
        ("पैर मत हिलाओ, आगे झुको।", "none, leg, keep; none, trunk, forward"),
    ],
)
def test_a_verb_without_a_part_says_what_is_done_instead_of_what_is_denied(text: str, expected: str) -> None:
    assert as_read("hi", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't let your arms drop and bend your knees.", "both, arm, keep; both, knee, bend"),
        ("Don't let the left arm drop and raise your right leg.", "left, arm, keep; right, leg, up"),
        ("Don't let your arms come down and bend your knees.", "both, arm, keep; both, knee, bend"),
        ("Don't let your arms drop or lean forward.", "both, arm, keep"),
        ("Don't let your arms drop and raise them.", "both, arm, up"),
    ],
)
def test_what_a_part_is_not_let_do_is_not_asked_of_the_next_one(text: str, expected: str) -> None:
    assert as_read("en", text) == expected
