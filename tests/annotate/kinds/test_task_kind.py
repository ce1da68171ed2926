from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.errors import RefusedError
from annotate.kinds.task_kind import TRANSLATING, WRITING, demand, translation_checks, writing_checks
from fmp_models.data.statistics import broken_rules
from tests.annotate.asking import HINDI, LONG

LONG_HINDI = "अपनी बाईं बांह को ऊपर उठाएं ताकि कोहनी कंधे के बराबर आ जाए, फिर दाहिने घुटने को धीरे से मोड़ें और दूसरे पैर \
को ज़मीन पर टिकाए रखें तथा छाती खिड़की की तरफ़ घुमा लें जैसे कोई बुला रहा हो।"


def broken(text: str, language: str, *, no_clear_difference: bool = False) -> set[str]:
    checks = writing_checks(text, language, broken_rules, no_clear_difference=no_clear_difference)
    assert [check.rule for check in checks] == list(WRITING)
    return {check.rule for check in checks if not check.is_kept}


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (LONG, "en", set()),
        (LONG_HINDI, "hi", set()),
        (LONG, "hi", {"script"}),
        (LONG_HINDI, "en", {"script"}),
        (f"{LONG} TV", "en", set()),
        (f"{LONG_HINDI} TV", "hi", set()),
        ("Bend it.", "en", {"too_short"}),
        (f"{LONG} @home", "en", {"symbols"}),
        ("bend the knee now " * 10, "en", {"repetitive"}),
        (
            f"{LONG} I see the target image difference",
            "en",
            {f"term_{t}" for t in ("i", "target", "image", "difference")},
        ),
        ("", "en", {"too_short", "script"}),
        ("123", "hi", {"too_short", "script"}),
        ("\u202e\x00", "en", {"too_short", "script"}),
    ],
)
def test_a_writer_is_told_which_rules_are_broken(text: str, language: str, expected: set[str]) -> None:
    assert broken(text, language) == expected


def test_no_clear_difference_lifts_the_least_number_of_words_alone() -> None:
    assert broken("Bend it @ home.", "en", no_clear_difference=True) == {"symbols"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HINDI, set()),
        ("अपनी", {"too_much_shorter"}),
        (HINDI * 10, {"too_much_longer"}),
        ("Apni bain banh ko thoda sa upar uthaen", {"script"}),
        ("Raise your left arm up a little bit", {"script"}),
    ],
)
def test_a_translation_is_in_its_script_and_about_as_long(text: str, expected: set[str]) -> None:
    checks = translation_checks(text, "Raise your left arm up a little bit", "hi")

    assert {check.rule for check in checks if not check.is_kept} == expected


def test_what_is_broken_is_refused_with_its_rules() -> None:
    with pytest.raises(RefusedError) as refusal:
        demand(writing_checks("Bend @ it.", "en", broken_rules))
    assert (refusal.value.code, refusal.value.details) == ("rules_broken", {"rules": "too_short symbols"})

    demand(writing_checks(LONG, "en", broken_rules))


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["en", "hi", "ta"]))
def test_any_text_can_be_checked(text: str, original: str, language: str) -> None:
    assert len(writing_checks(text, language, broken_rules)) == len(WRITING)
    assert len(translation_checks(text, original, language)) == len(TRANSLATING)
