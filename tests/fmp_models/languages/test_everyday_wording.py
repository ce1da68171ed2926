"""People's everyday wording, and slips of the pen, in both languages: what the reader makes of it.

An expected clause is its side, part, direction and end states; sentences that say nothing measurable have none.
"""

import pytest

from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.languages.grammar import grammar
from fmp_models.languages.reader.reader import read_plan


def in_short(clause: Clause) -> str:
    return ", ".join([clause.side.value, clause.part.value, clause.direction.value, *clause.relations])


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Put your hands on your hips.", "both, hand, reach, next to the hip"),
        ("en", "Stand up straight.", "none, body, reach, standing; none, trunk, reach, upright"),
        ("en", "Sit down on the chair.", "none, body, reach, sitting"),
        ("en", "Lie on your back.", "none, body, reach, lying"),
        ("en", "Get on all fours.", "none, trunk, forward; both, hand, down"),
        ("en", "Cross your arms.", "both, hand, in"),
        ("en", "Cross your arms over your chest.", "both, hand, in"),
        ("en", "Touch your toes.", "none, trunk, forward; both, hand, down"),
        ("en", "Step forward with the left foot.", "left, foot, forward"),
        ("en", "Turn around to your right.", "none, body, turn right"),
        ("en", "Squat lower.", "none, body, down"),
        ("en", "Come up out of the squat.", "none, body, up"),
        ("en", "Raise both arms above your head.", "both, arm, up; both, hand, reach, above the head"),
        ("en", "Kick your left leg out straight in front of you.", "left, foot, forward"),
        ("en", "Raise your right arm. Bend it at the elbow.", "right, arm, up; right, elbow, bend"),
        ("en", "Lift your left leg and bend the knee.", "left, leg, up; left, knee, bend"),
        ("en", "Stretch both arms out to the sides.", "both, elbow, straighten; both, arm, out"),
        ("en", "Your left hand should be at shoulder height.", "left, hand, reach, at shoulder height"),
        ("en", "Keep your legs straight.", "both, knee, reach, straight"),
        ("en", "Keep your back straight.", "none, trunk, reach, upright"),
        ("en", "Arms straight up.", "both, arm, reach, straight up"),
        ("en", "Feet shoulder width apart.", "both, foot, reach, shoulder width apart"),
        ("en", "Stand with your feet about four feet apart.", "both, foot, reach, wide apart"),
        ("en", "Bring your feet closer together, about six inches apart.", "both, foot, together"),
        ("en", "Bend your elbows at 90 degrees.", "both, elbow, bend, at a right angle"),
        ("en", "Lean to the right.", "none, trunk, right"),
        ("en", "Lean back slightly.", "none, trunk, backward"),
        ("en", "Bend forward at the waist.", "none, trunk, forward"),
        ("en", "Bend over and touch the floor.", "none, trunk, forward; none, trunk, forward; both, hand, down"),
        ("en", "Twist your torso to the left.", "none, trunk, turn left"),
        ("en", "Turn your head to the left.", "none, head, turn left"),
        ("en", "Look up.", "none, head, backward"),
        ("en", "Look over your left shoulder.", "none, head, turn left"),
        ("en", "Drop your chin to your chest.", "none, head, forward"),
        ("en", "Put your weight on your left foot.", "none, hips, left"),
        ("en", "Kneel down.", "none, body, reach, kneeling"),
        ("en", "Kneel on your left knee.", "none, body, down; left, knee, bend"),
        ("en", "Put your right hand behind your head.", "right, hand, reach, next to the head"),
        ("en", "Put your left hand behind your back.", "left, hand, backward"),
        ("en", "Hold your hands in front of your chest.", "both, hand, forward"),
        ("en", "Let your arms hang by your sides.", "both, arm, reach, hanging by the side"),
        ("en", "Make your right arm straight.", "right, elbow, reach, straight"),
        ("en", "Extend your left leg back.", "left, knee, straighten; left, foot, backward"),
        ("en", "Spread your legs wider.", "both, foot, apart"),
        ("en", "Step back with your right foot.", "right, foot, backward"),
        ("en", "Move your left foot behind your right foot.", "left, foot, backward"),
        ("en", "Cross your left leg over your right leg.", "left, foot, in"),
        ("en", "Point your toes out.", "both, foot, turn out"),
        ("en", "Turn your feet out.", "both, foot, turn out"),
        ("en", "Shrug your shoulders.", "both, shoulder, up"),
        ("en", "Drop your left shoulder.", "left, shoulder, down"),
        ("en", "Turn your body to face the window.", "none, body, turn"),
        ("en", "Move your right hand towards the lamp.", "right, hand, move"),
        ("en", "Don't bend your knees.", "both, leg, keep"),
        ("en", "You shouldn't move your left leg.", "left, leg, keep"),
        ("en", "Avoid bending your left arm.", "left, arm, keep"),
        ("en", "Raise your left arm, but try not to lean forward.", "left, arm, up"),
        ("en", "Stop leaning forward.", ""),
        ("en", "There is no need to bend your knees.", ""),
        ("en", "You don't have to raise your arms.", ""),
        ("en", "Don't let your knees go past your toes.", ""),
        ("en", "Lift your right knee to hip height.", "right, leg, up, at hip height"),
        ("en", "Open your arms wide.", "both, hand, apart"),
        ("en", "Strighten your rigth leg.", "right, knee, straighten"),
        ("en", "Rotate your hips to the right.", "none, body, turn right"),
        ("en", "Push your hips forward.", "none, hips, forward"),
        ("en", "Raise both hands above your head as if you are cheering.", "both, hand, up, above the head"),
        ("en", "Keep your left arm where it is, but lower the right one.", "left, arm, keep"),
        ("en", "Your right foot should be flat on the floor.", "right, leg, reach, on the ground"),
        ("en", "Bring your right hand to your ear.", "right, hand, reach, next to the head"),
        ("en", "Rest your hands on your knees.", "both, hand, reach, next to the knee"),
        ("en", "Clasp your hands together in front of you.", "both, hand, together"),
        ("en", "Tuck your elbows in.", "both, arm, in"),
        ("en", "Tilt your head to the right.", "none, head, right"),
        ("en", "Get down on your knees.", "none, body, reach, kneeling"),
        ("en", "Swing your left arm backwards.", "left, arm, backward"),
        ("hi", "हाथ कमर पर रखें।", "none, hand, reach, next to the hip"),
        ("hi", "सीधे खड़े हो जाएँ।", "none, body, reach, standing; none, trunk, reach, upright"),
        ("hi", "घुटनों के बल बैठें।", "none, body, reach, kneeling"),
        ("hi", "कुर्सी पर बैठ जाइए।", "none, body, reach, sitting"),
        ("hi", "पीठ के बल लेट जाएँ।", "none, body, reach, lying"),
        ("hi", "आगे की ओर झुकें।", "none, trunk, forward"),
        ("hi", "थोड़ा पीछे झुकें।", "none, trunk, backward"),
        ("hi", "दाईं ओर झुकें।", "none, trunk, right"),
        ("hi", "अपना दायाँ हाथ ऊपर उठाइए।", "right, hand, up"),
        ("hi", "बायाँ हाथ नीचे करो।", "left, hand, down"),
        ("hi", "दोनों हाथ सिर के ऊपर ले जाएँ।", "both, hand, up, above the head"),
        ("hi", "अपनी बाहें बगल में फैलाएँ।", "both, hand, apart"),
        ("hi", "दोनों हाथ सामने की ओर फैलाएँ।", "both, hand, forward"),
        ("hi", "दाहिने हाथ को कोहनी से मोड़ें।", "right, elbow, bend"),
        ("hi", "अपनी कोहनियों को 90 डिग्री पर मोड़ें।", "both, elbow, bend, at a right angle"),
        ("hi", "बायाँ घुटना मोड़ें।", "left, knee, bend"),
        ("hi", "घुटनों को थोड़ा मोड़ें।", "both, knee, bend"),
        ("hi", "दोनों पैर सीधे रखें।", "both, knee, reach, straight"),
        ("hi", "पीठ सीधी रखें।", "none, trunk, reach, upright"),
        ("hi", "अपने पैरों को कंधों की चौड़ाई जितना खोलें।", "both, foot, apart, shoulder width apart"),
        ("hi", "पैरों को तीन फुट की दूरी पर रखें।", "both, foot, reach, wide apart"),
        ("hi", "पैरों को पास-पास लाएँ।", "both, foot, together"),
        ("hi", "दाहिना पैर एक कदम आगे रखें।", "right, foot, forward"),
        ("hi", "बाएँ पैर को पीछे ले जाएँ।", "left, foot, backward"),
        ("hi", "अपने बाएं पैर को दाहिने पैर के पीछे ले जाएं।", "left, foot, backward"),
        ("hi", "दाहिना पैर ज़मीन से ऊपर उठाएँ।", "right, leg, up"),
        ("hi", "अपना सिर बाईं ओर घुमाएँ।", "none, head, turn left"),
        ("hi", "सिर झुकाइए।", "none, head, forward"),
        ("hi", "ऊपर देखें।", "none, head, backward"),
        ("hi", "नीचे की ओर देखिए।", "none, head, forward"),
        ("hi", "अपनी गर्दन दाईं ओर झुकाएं।", "none, head, right"),
        ("hi", "अपने धड़ को बाईं ओर घुमाएं।", "none, trunk, turn left"),
        ("hi", "अपने शरीर को खिड़की की ओर घुमाएं।", "none, body, turn"),
        ("hi", "अपने दाहिने हाथ को लैंप की तरफ ले जाएं।", "right, hand, move"),
        ("hi", "अपना वज़न बाएं पैर पर डालें।", "none, hips, left"),
        ("hi", "कमर से आगे झुकें।", "none, trunk, forward"),
        ("hi", "अपने दाहिने हाथ को अपने सिर के पीछे रखें।", "right, hand, reach, next to the head"),
        ("hi", "अपने हाथ घुटनों पर रखें।", "none, hand, reach, next to the knee"),
        ("hi", "हाथों को शरीर के बगल में रखें।", "both, arm, reach, hanging by the side"),
        ("hi", "अपना हाथ कान के पास लाएं।", "none, hand, reach, next to the head"),
        ("hi", "दाहिने कंधे को ऊपर उठाएं।", "right, shoulder, up"),
        ("hi", "कंधे ढीले छोड़कर नीचे करें।", "none, shoulder, down"),
        ("hi", "हाथ जोड़ें।", "both, hand, together"),
        ("hi", "अपनी बाहें छाती पर बांध लें।", "both, hand, in"),
        ("hi", "स्क्वाट करें।", "none, body, down"),
        ("hi", "स्क्वाट से उठिए।", "none, body, up"),
        ("hi", "दोनों हाथों से गेंद सिर के ऊपर ले जाइए।", "both, hand, up, above the head"),
        ("hi", "दाएं हाथ से डंबल को नीचे लाएं।", "right, hand, down"),
        ("hi", "पैर पास लाइए और दायाँ पैर सीधा कीजिए।", "both, foot, together; right, knee, straighten"),
        ("hi", "दोनों बाँहें छाती पर बाँध लीजिए।", "both, hand, in"),
        ("hi", "बायाँ घुटना मोड़ लीजिएगा।", "left, knee, bend"),
        ("hi", "नीचे बैठें।", "none, body, down"),
        ("hi", "पंजों को बाहर की ओर मोड़ें।", "both, foot, turn out"),
        ("hi", "बाएं पैर के पंजे को बाहर की ओर घुमाएं।", "left, foot, turn out"),
        ("hi", "घुटने मत मोड़ें।", ""),
        ("hi", "बिना घुटने मोड़े आगे झुकें।", "none, trunk, forward"),
        ("hi", "उंगलियों को गूंथे बिना दोनों हाथों को एक साथ लाएं।", "both, hand, together"),
        ("hi", "कोहनी मोड़े बिना बायां हाथ ऊपर उठाएं।", "left, hand, up"),
        ("hi", "अपने बाएं घुटने को कूल्हे की ऊंचाई तक उठाएं।", "left, leg, up, at hip height"),
        ("hi", "अपने बाएं हाथ को ऊपर उठाएं। इसे कोहनी पर मोड़ें।", "left, hand, up; left, elbow, bend"),
        ("hi", "बाएं हाथ को सीधा करें।", "left, elbow, straighten"),
        ("hi", "आपका बायां हाथ कंधे की ऊंचाई पर होना चाहिए।", "left, hand, reach, at shoulder height"),
        ("hi", "अपने कूल्हों को पीछे की ओर ले जाएं।", "none, hips, backward"),
        ("hi", "अपने कूल्हों को थोड़ा बाईं ओर खिसकाएं।", "none, hips, left"),
        ("hi", "दोनों हाथ ऊपर उठाएं जैसे कि आप कुर्सी पर बैठे हों।", "both, hand, up"),
        ("hi", "बायां पैर सीधा करके पीछे ले जाएं।", "left, knee, straighten; left, foot, backward"),
        ("hi", "अपने दाएं पैर को बाएं पैर के ऊपर से क्रॉस करें।", "right, foot, in"),
        ("hi", "बाईं ओर मुड़ें।", "none, body, turn left"),
        ("hi", "पीछे मुड़ें।", "none, body, turn"),
        ("hi", "दाहिनी बांह को दो इंच नीचे लाएं।", "right, arm, down"),
        ("hi", "दाहिना हाथ पीठ के पीछे ले जाएं।", "right, hand, backward"),
        ("hi", "ज़मीन पर लेट जाएं।", "none, body, reach, lying"),
        ("hi", "अपने दोनों हाथ ज़मीन पर रखें।", "both, hand, down"),
        ("en", "Turn your left palm up.", ""),
        ("en", "Look at the window.", ""),
        ("en", "Spread your fingers.", ""),
        ("en", "Place your palms on the floor.", "both, hand, down"),
        ("en", "Face the wall behind you.", "none, body, turn"),
        ("en", "Your palm should be facing the wall.", ""),
        ("en", "Move your left foot to the left of the lamp.", "left, foot, move"),
        ("en", "Lift your arm up without bending your knees.", "none, arm, up; both, leg, keep"),
        ("en", "Shift your weight as if you are about to sit down.", "none, hips, move"),
        ("hi", "खिड़की को देखें।", ""),
        ("hi", "अपनी हथेलियों को ऊपर की ओर घुमाएं।", ""),
        ("hi", "अपनी उंगलियां फैलाएं।", ""),
        ("hi", "अपनी हथेलियों को छाती के पास लाएं।", "both, hand, reach, at chest height"),
    ],
)
def test_everyday_wording_is_read_as_meant(code: str, text: str, expected: str) -> None:
    assert "; ".join(map(in_short, read_plan(text, grammar(code)))) == expected


@pytest.mark.parametrize(
    ("code", "text", "meant"),
    [
        ("en", "Bring both arms down from above your head.", "Lower both arms."),
        ("en", "Lower your arms from shoulder height.", "Lower both arms."),
        ("en", "Bring your left hand forward from behind your head.", "Bring your left hand forward."),
        ("hi", "दोनों बांहों को सिर के ऊपर से नीचे लाएं।", "दोनों बांहों को नीचे लाएं।"),
        ("hi", "दोनों बांहों को कंधे के बराबर से नीचे लाएं।", "दोनों बांहों को नीचे लाएं।"),
    ],
)
def test_where_a_limb_comes_from_is_no_end(code: str, text: str, meant: str) -> None:
    assert read_plan(text, grammar(code)) == read_plan(meant, grammar(code))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Raise your left hand.", "Raise your left hand. Lower your right arm and bend it."),
        ("Bend the elbow.", "Raise your right arm. Bend the elbow."),
    ],
)
def test_a_pronoun_or_a_bare_part_means_what_was_named_before(text: str, meant: str) -> None:
    alone, told = (read_plan(one, grammar("en")) for one in (text, meant))
    assert told != alone
    assert all(clause.side is not Side.NONE for clause in told)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("Turn your body to face the door.", Direction.TURN),
        ("Turn your body left to face the door.", Direction.TURN_LEFT),
    ],
)
def test_a_turn_towards_a_thing_has_its_way_only_where_it_is_told(text: str, way: Direction) -> None:
    assert [(one.part, one.direction) for one in read_plan(text, grammar("en"))] == [(Part.BODY, way)]
