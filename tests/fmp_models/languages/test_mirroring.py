"""A mirrored text means the mirrored plan, in every wording, and mirroring it again gives the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.data.features import FEATURES
from fmp_models.data.folder import SPLITS
from fmp_models.data.sample import sample_rows
from fmp_models.describe.descriptions import describe_in_scene
from fmp_models.errors import BadInputError
from fmp_models.languages.language_data import LANGUAGES, grammar
from fmp_models.languages.mirroring import mirrored_text
from fmp_models.languages.reader import read_plan
from fmp_models.pose import PosePair
from tests.bodies import pairs
from tests.nonempty import nonempty
from tests.plans import mirror_plan


def says_the_mirror_image(text: str, code: str) -> bool:
    mirrored = mirrored_text(text, code)
    assert mirrored is not None
    return mirrored_text(mirrored, code) == text and read_plan(mirrored, grammar(code)) == mirror_plan(
        read_plan(text, grammar(code))
    )


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_text_of_the_sample_has_a_mirror_image(code: str) -> None:
    rows = [row for config in FEATURES for split in SPLITS for row in sample_rows(config, split)]
    texts = [text for row in rows for text in row[f"descriptions_{code}"]]
    assert texts
    assert [text for text in texts if not says_the_mirror_image(text, code)] == []


@given(pair=pairs, seed=st.integers(0, 10_000))
def test_every_description_of_any_pair_has_a_mirror_image(pair: PosePair, seed: int) -> None:
    for code, told in nonempty(describe_in_scene(pair, (), seed).items()):
        assert says_the_mirror_image(told.text, code)


@pytest.mark.parametrize(
    ("code", "text", "mirrored"),
    [
        ("en", "Left arm to the right.", "Right arm to the left."),
        ("en", "A right angle, right above your left knee.", "A right angle, right above your right knee."),
        ("en", "Move to the right at hip height.", "Move to the left at hip height."),
        ("en", "There is no bend left in your left leg.", "There is no bend left in your right leg."),
        ("en", "Put your left hand right above your hips.", "Put your right hand right above your hips."),
        ("en", "Stand on the floor right next to the bed.", "Stand on the floor right next to the bed."),
        ("en", "Move your left and right below the bar.", "Move your right and left below the bar."),
        ("en", "Move it to the right over your head.", "Move it to the left over your head."),
        ("en", "Turn clockwise.", "Turn anticlockwise."),
        ("en", "Stand upright, all right?", "Stand upright, all right?"),
        ("hi", "अपने बाएं हाथ को दाईं ओर ले जाएं।", "अपने दाहिने हाथ को बाईं ओर ले जाएं।"),
        ("hi", "अपनी दाहिनी बांह को बाईं तरफ़ लाएं।", "अपनी बाईं बांह को दाईं तरफ़ लाएं।"),
        ("hi", "आपका बायां कंधा दाहिने कंधे से ऊंचा हो।", "आपका दाहिना कंधा बाएं कंधे से ऊंचा हो।"),
        ("hi", "दायाँ पैर, बायें हाथ", "बायाँ पैर, दायें हाथ"),
        ("hi", "भलाई और दाएंबाएं", "भलाई और दाएंबाएं"),
    ],
)  # fmt: skip
def test_sides_change_places_and_nothing_else_does(code: str, text: str, mirrored: str) -> None:
    assert mirrored_text(text, code) == mirrored


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Point your right arm at three o'clock."),
        ("en", "Point it at a nine oclock angle."),
        ("en", "Point your right arm at three o’clock."),
        ("en", "Point your right arm at three o clock."),
        ("en", "Make the letter K with your arms."),
        ("en", "As if you were left-handed."),
        ("hi", "अपने पैर को 2 बजे की दिशा में मोड़ें।"),
    ],
)
def test_a_text_that_words_cannot_mirror_has_no_mirror_image(code: str, text: str) -> None:
    assert mirrored_text(text, code) is None


def test_letters_that_a_mirror_does_not_change_do_no_harm() -> None:
    assert mirrored_text("Make the letter T with your body.", "en") == "Make the letter T with your body."


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(BadInputError, match="one of: en, hi"):
        mirrored_text("left", "fr")
