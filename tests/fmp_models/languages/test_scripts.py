import pytest

from fmp_models.languages.scripts import is_foreign, language_of, share_in_script


@pytest.mark.parametrize(
    ("text", "language", "foreign"),
    [
        ("bend your knees", "en", False),
        ("अपने घुटने मोड़ें।", "hi", False),
        ("अपने घुटने मोड़ें।", "en", True),
        ("согните колени", "hi", True),
        ("bend your knees", "hi", False),  # the release has untranslated texts among the Hindi ones
        ("12 %", "en", False),
        ("", "hi", False),
    ],
)
def test_most_letters_of_another_script_make_a_foreign_text(text: str, language: str, *, foreign: bool) -> None:
    assert is_foreign(text, language) == foreign


def test_the_share_counts_letters_and_not_signs() -> None:
    assert share_in_script("bend, bend: मोमो", "en") == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("bend your knees", "en"),
        ("अपने घुटने मोड़ें।", "hi"),
        ("अपने घुटने squat में मोड़ें और नीचे बैठें।", "hi"),
        ("Do the पद्मासन as well as you can", "en"),
        ("согните колени", None),
        ("膝を曲げて bend", None),
        ("12 %", None),
        ("", None),
    ],
)
def test_a_text_is_in_the_language_of_most_of_its_letters(text: str, language: str | None) -> None:
    assert language_of(text) == language
