from __future__ import annotations

import pytest

from fmp_models.evaluation.real.ends import end_states, end_verdicts, second_movements
from fmp_models.inference.corrector import CheckedClause
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_clauses
from tests.named_clauses import named_clause

LABELS = {"left_arm_level": "shoulder", "right_arm_level": "above_head", "left_knee_angle": "right_angle"}


def clause(text: str, language: str) -> CheckedClause:
    """Return the first clause of the text."""
    found = read_clauses(text, grammar(language))[0].clause
    return CheckedClause(text, found, None, 0.5, (0, 1))


def verdicts(text: str, language: str) -> list[bool]:
    one = clause(text, language)
    return end_verdicts(one, end_states(one, grammar(language)), LABELS)


@pytest.mark.parametrize(
    ("english", "hindi", "expected"),
    [
        ("Raise your left arm to shoulder height.", "अपनी बाईं बांह को कंधे की ऊंचाई तक उठाएं।", [True]),
        ("Raise your right arm to shoulder height.", "अपनी दाहिनी बांह को कंधे की ऊंचाई तक उठाएं।", [False]),
        ("Raise both arms to shoulder height.", "अपनी दोनों बांहों को कंधों की ऊंचाई तक उठाएं।", [True, False]),
        ("Raise your right arm straight up.", "अपनी दाहिनी बांह को छत की ओर सीधा उठाएं।", [True]),
        ("Bring your left hand up to head height.", "अपने बाएं हाथ को सिर की ऊंचाई तक उठाएं।", [False]),
        ("Bend your left knee to a right angle.", "अपने बाएं घुटने को समकोण तक मोड़ें।", [True]),
        ("Straighten your left knee all the way.", "अपने बाएं घुटने को पूरी तरह सीधा करें।", [False]),
        ("Bend your right knee to a right angle.", "अपने दाहिने घुटने को समकोण तक मोड़ें।", []),
        ("Raise your left arm.", "अपनी बाईं बांह को ऊपर उठाएं।", []),
        # Of a forearm alone "straight up" does not tell where the hand is.
        ("Raise your left forearm until it points straight up.", "अपनी बाईं निचली बांह को छत की ओर सीधा उठाएं।", []),
    ],
)
def test_end_states_are_judged_in_both_languages(english: str, hindi: str, expected: list[bool]) -> None:
    assert verdicts(english, "en") == expected
    assert verdicts(hindi, "hi") == expected


@pytest.mark.parametrize(
    ("text", "language", "slot"),
    [
        ("Raise both arms out to the sides to shoulder height.", "en", "left_arm_out"),
        ("अपनी दोनों बांहों को बगल की ओर कंधों की ऊंचाई तक उठाएं।", "hi", "left_arm_out"),
        ("Raise both arms in front of you.", "en", "right_arm_forward"),
        ("अपनी दोनों बांहों को शरीर के सामने उठाएं।", "hi", "right_arm_forward"),
    ],
)
def test_an_end_state_says_a_second_movement(text: str, language: str, slot: str) -> None:
    one = clause(text, language)
    found = second_movements(one, end_states(one, grammar(language)))
    assert (slot, 1) in {(claim.slots[0], claim.sign) for claim in found}


def test_words_that_say_another_clause_say_nothing_of_this_one() -> None:
    one = CheckedClause("Bend your left knee to a right angle.", named_clause("left arm", "up"), None, 0.5, (0, 1))
    assert end_states(one, grammar("en")) == ()


def test_what_was_not_seen_has_no_end_state() -> None:
    one = CheckedClause(
        "I could not see your left arm at shoulder height.", named_clause("left arm", "unseen"), None, 0.9, (0, 1)
    )
    assert end_verdicts(one, end_states(one, grammar("en")), LABELS) == []
