"""What teachers of yoga and physiotherapists say, in every language: as it is read.

An expected clause is its side, part, direction and end states.
"""

import pytest

from fmp_models.languages.transliteration import transliterated
from tests.clauses_in_short import as_read


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Your stance is too narrow.", "both, foot, apart"),
        ("en", "Your stance is too wide.", "both, foot, together"),
        ("en", "Narrow your stance.", "both, foot, together"),
        ("en", "Take a much wider stance.", "both, foot, apart"),
        ("en", "Open your stance wider.", "both, foot, apart"),
        ("en", "Open your knees wide.", "both, knee, apart"),
        ("en", "A little less bend in your knees.", "both, knee, straighten"),
        ("en", "Look straight up at the ceiling.", "none, head, backward"),
        ("en", "Make a T with your arms.", "both, arm, reach, to the side, at shoulder height"),
        ("en", "Make a T.", "both, arm, reach, to the side, at shoulder height"),
        ("en", "Shift your hips over your left foot.", "none, hips, left"),
        ("en", "Drop your head back.", "none, head, backward"),
        ("en", "Drop your head down to the left.", "none, head, forward; none, head, left"),
        ("en", "Bring your hands close to your shoulders.", "both, hand, reach, at shoulder height"),
        ("en", "Clap over your head.", "both, hand, together; both, hand, reach, above the head"),
        ("en", "Clap your hands.", "both, hand, together"),
        ("en", "Interlace your fingers behind your back.", "both, hand, together; both, hand, backward"),
        ("en", "Sit on your heels.", "none, body, reach, kneeling"),
        ("en", "Sit back into your heels.", "none, hips, backward; none, body, down"),
        ("en", "Put your left ankle on your right knee.", "left, leg, reach, against the other leg"),
        ("en", "Rest your foot over your other knee.", "none, leg, reach, against the other leg"),
        ("en", "Place your hand on your left knee.", "none, hand, reach, next to the knee"),
        ("en", "Lunge to the left.", "left, foot, out; left, knee, bend"),
        ("en", "Lunge forward with your right leg.", "right, foot, forward; right, knee, bend"),
        (
            "en",
            "Hand on hip, other hand behind head.",
            "none, hand, reach, next to the hip; none, hand, reach, next to the head",
        ),
        ("en", "Press your palms together.", "both, hand, together"),
        ("en", "Turn your palms forward.", ""),
        ("en", "Soften your knees.", "both, knee, bend"),
        ("en", "Bring your knees into your chest.", "both, leg, up"),
        ("en", "Touch your left ear with your right hand.", "right, hand, reach, next to the head"),
        ("en", "Lean your head to your left shoulder.", "none, head, left"),
        ("en", "Raise your left arm, next to your head.", "left, arm, up; left, hand, reach, next to the head"),
        ("en", "Bring your right hand down and near your body, but not on your hip.", "right, hand, down"),
        ("en", "Slide your left hand down your leg.", "left, hand, down"),
        ("en", "Stand on your left leg.", "right, leg, up; none, hips, left"),
        ("en", "Point your right hand at the ceiling.", "right, hand, up"),
        ("en", "Swing your left leg out behind you.", "left, foot, backward"),
        ("en", "Bow your head.", "none, head, forward"),
        ("en", "Turn your head over your left shoulder.", "none, head, turn left"),
        ("en", "Put your fingertips on the floor.", "both, hand, down"),
        ("en", "Wiggle your fingertips.", ""),
        ("en", "Feet together, knees soft.", "both, foot, together; both, knee, bend"),
        ("en", "Face the other way.", "none, body, turn"),
        ("en", "Feet under your hips.", "both, foot, reach, shoulder width apart"),
        ("en", "Shift forward.", "none, body, forward"),
        ("en", "Dip your left shoulder.", "left, shoulder, down"),
        ("en", "Widen the gap between your feet.", "both, foot, apart"),
        ("en", "The space between your hands is too big.", "both, hand, together"),
        ("en", "Straddle your legs and fold between them.", "both, foot, apart; none, trunk, forward"),
        ("en", "Drop onto your right knee.", "none, body, down; right, knee, bend"),
        (
            "en",
            "Bend your elbows until your hands touch your shoulders.",
            "both, elbow, bend; both, hand, reach, at shoulder height",
        ),
        ("hi", "पैरों के बीच की दूरी कम करो।", "both, foot, together"),
        ("hi", "पैरों के बीच की जगह बहुत कम है।", "both, foot, apart"),
        ("hi", "ताली बजाओ।", "both, hand, together"),
        ("hi", "उंगलियां फंसाकर हाथ ऊपर उठाओ।", "both, hand, together; both, hand, up"),
        ("hi", "एड़ियों पर बैठो।", "none, body, reach, kneeling"),
        ("hi", "दाएं पैर का टखना बाएं घुटने पर रखो।", "right, leg, reach, against the other leg"),
        ("hi", "दाईं ओर लंज करो।", "right, foot, out; right, knee, bend"),
        ("hi", "घुटने थोड़े ढीले छोड़ो।", "both, knee, bend"),
        ("hi", "घुटना छाती की ओर खींचो।", "none, leg, up"),
        ("hi", "दाएं हाथ से बायां कान पकड़ो।", "right, hand, reach, next to the head"),
        ("hi", "कान को बाएं कंधे की ओर लाओ।", "none, head, left"),
        ("hi", "घुटनों का मोड़ कम करो।", "both, knee, straighten"),
        ("hi", "कोहनी में थोड़ा और मोड़ लाओ।", "none, elbow, bend"),
        ("hi", "पंजे बाहर की ओर खुले रखो।", "both, foot, turn out"),
        ("hi", "एड़ी को कूल्हे से लगाओ।", "none, knee, bend"),
        ("hi", "पैर सामने फैलाओ।", "none, foot, forward"),
        ("hi", "दूसरी तरफ़ मुंह करो।", "none, body, turn"),
        ("hi", "सिर बाएं कंधे पर टिकाओ।", "none, head, left"),
        ("hi", "बायां पैर दाएं पैर से सटाओ।", "both, foot, together"),
        ("hi", "दाईं ओर एक क़दम चलो।", "none, body, right"),
        ("hi", "एक घुटने के बल बैठो।", "none, body, down; none, knee, bend"),
        ("hi", "टांगें चौड़ी करो।", "both, foot, apart"),
        ("hi", "मुट्ठी ठोड़ी के नीचे रखो।", "none, hand, reach, next to the head"),
        ("hi", "अपने आप को नीचे ले जाओ।", "none, body, down"),
        ("hi", "पैरों के बीच दूरी बढ़ाओ।", "both, foot, apart"),
        ("hi", "एकदम सीधे ऊपर देखो।", "none, head, backward"),
        ("hi", "हाथों से टी का आकार बनाओ।", "both, arm, reach, to the side, at shoulder height"),
        ("hi", "हाथों से टी बनाओ।", "both, arm, reach, to the side, at shoulder height"),
        ("hi", "वज़न बाएं पैर पर है।", ""),
        ("hi", "वज़न बाएं पैर पर डालो।", "none, hips, left"),
        ("hi", "सिर को पीछे की ओर गिराइए।", "none, head, backward"),
        ("hi", "हाथों को कंधों के पास लाओ।", "both, hand, reach, at shoulder height"),
        ("hi", "कमर से दाईं ओर मुड़ो।", "none, trunk, turn right"),
        (
            "hi",
            "दोनों हाथ कंधे की ऊंचाई पर लाओ, सिर के ऊपर नहीं।",
            "both, hand, reach, at shoulder height",
        ),
        ("hi", "जो घुटना आगे है उसे उठाओ।", "none, leg, up"),
        ("hi", "जैसे कुर्सी पर बैठते हैं वैसे नीचे आओ।", "none, body, down"),
    ],
)
def test_what_teachers_say_is_read_as_meant(code: str, text: str, expected: str) -> None:
    assert as_read(code, text) == expected


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("aage jhuk kar haath ghutno par rakho", "none, trunk, forward; both, hand, reach, next to the knee"),
        ("dusra haath neeche rakho", "none, hand, down"),
        ("taali bajao", "both, hand, together"),
        ("pairo ke beech thoda gap rakho", "both, foot, apart"),
    ],
)
def test_so_is_hindi_in_latin_letters(typed: str, expected: str) -> None:
    written = transliterated(typed)
    assert written is not None
    assert as_read(*written) == expected
