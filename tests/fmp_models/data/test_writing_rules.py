import json
from pathlib import Path

import pytest

from fmp_models.data.writing_rules import broken_rules

GOOD = (
    "bring your left hand up to the level of your chin and point two fingers at the lamp. then shift all weight onto "
    "that front leg, while both knees stay soft and the torso leans slightly back"
)


def test_a_detailed_varied_text_breaks_no_rule() -> None:
    assert len(GOOD.split()) >= 30
    assert broken_rules(GOOD) == ()


def test_thirty_words_are_enough_and_twenty_nine_are_not() -> None:
    words = [f"w{number}" for number in range(30)]
    assert broken_rules(" ".join(words)) == ()
    assert broken_rules(" ".join(words[:29])) == ("too_short",)


def test_a_pair_without_a_clear_difference_may_have_a_short_text_but_no_other_fault() -> None:
    assert broken_rules("lift it", no_clear_difference=True) == ()
    assert broken_rules("lift the image", no_clear_difference=True) == ("term_image",)


@pytest.mark.parametrize("symbol", list("([])&*^%$#@"))
def test_symbols_are_refused(symbol: str) -> None:
    assert broken_rules(f"{GOOD} 45{symbol}") == ("symbols",)


def test_half_of_the_words_must_be_unique() -> None:
    words = [f"w{number}" for number in range(20)]
    assert broken_rules(" ".join(words * 2)) == ()
    assert broken_rules(" ".join([*words * 2, "w1"])) == ("repetitive",)


@pytest.mark.parametrize("term", ["image", "i", "target", "difference"])
def test_terms_are_refused_as_whole_words_in_either_case_and_beside_marks(term: str) -> None:
    for wording in (term, term.upper(), f"{term},", f"“{term}”"):
        assert broken_rules(f"{GOOD} {wording}") == (f"term_{term}",)
    assert broken_rules(f"{GOOD} x{term}y") == ()


def test_an_empty_text_is_too_short() -> None:
    assert broken_rules("") == ("too_short",)


def test_hindi_goes_by_the_same_rules() -> None:
    assert broken_rules("अपने बाएं हाथ को ऊपर उठाएं।") == ("too_short",)


@pytest.mark.real
def test_the_released_descriptions_pass_as_often_as_was_counted(shared: Path) -> None:
    entries = json.loads((shared / "data/fixmypose/valid_seen_NC.json").read_text("utf-8"))
    broken = [broken_rules(text) for entry in entries for text in entry["sents"]]
    assert broken.count(()) == 1631
    assert broken.count(("too_short",)) == 34
    assert broken.count(("repetitive",)) == 21
