"""Statistics of a dataset, and the rules of writing."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fmp_models.data.pairs import parse_uid
from fmp_models.data.statistics import broken_rules, common_words, measure, tokens


def row(english: list[str], hindi: list[str], moved: float | None = None, room: int = 3) -> dict[str, Any]:
    still = np.zeros((20, 3))
    target = still.copy()
    target[1:, 2] = moved or 0
    return {
        "current_joints": None if moved is None else still.tolist(),
        "target_joints": target.tolist(),
        "descriptions_en": english,
        "descriptions_hi": hindi,
        "animation": 1,
        "room": room,
        "character": 5,
    }


def no_properties(_text: str, _language: str) -> list[str]:
    return []


def test_distances_are_those_of_the_pairs_whose_joints_are_known() -> None:
    statistics = measure([row([], [], 0.2), row([], [], 0.4), row([], [])], no_properties)
    assert statistics.pairs == 3
    assert statistics.joint_distance == pytest.approx((0.3 * 19 / 20, 0.1 * 19 / 20, 0.0, 0.3))


def test_without_joints_there_is_no_distance() -> None:
    assert measure([row(["up"], [])], no_properties).joint_distance is None


def test_lengths_are_counted_in_words_between_spaces() -> None:
    statistics = measure([row(["lift it up.", "lift  the left hand.bring it"], ["ऊपर उठाएं।"])], no_properties)
    assert statistics.texts["en"].length == (4.0, 1.0, 3, 5)
    assert statistics.texts["hi"].length == (2.0, 0.0, 2, 2)


def test_no_text_at_all_has_no_length_and_no_share() -> None:
    statistics = measure([row([], [])], no_properties).texts["hi"]
    assert (statistics.texts, statistics.length, statistics.share(0)) == (0, (0.0, 0.0, 0, 0), 0.0)


def test_english_tokens_are_the_released_captioner_s() -> None:
    assert tokens("Lift your foot.bring it, o'clock!? ", "en") == [
        "lift",
        "your",
        "footbring",
        "it",
        "o",
        "'",
        "clock",
        "!",
        "?",
    ]
    assert tokens("अपने हाथ को ऊपर, उठाएं।", "hi") == ["अपने", "हाथ", "को", "ऊपर,", "उठाएं।"]


def test_common_words_leave_out_stop_words_and_marks() -> None:
    statistics = measure(
        [row(["lift the arm and the arm. lift the leg - and the arm"], ["हाथ को ऊपर हाथ।"])], no_properties
    )
    assert common_words(statistics.texts["en"], "en") == [("arm", 3), ("lift", 2), ("leg", 1)]
    assert common_words(statistics.texts["hi"], "hi", 1) == [("हाथ", 2)]


def test_properties_count_once_a_text() -> None:
    statistics = measure([row(["a b", "a"], [])], lambda text, _: text.split() * 2)
    assert statistics.texts["en"].properties == Counter(a=2, b=1)
    assert statistics.texts["en"].share(1) == 0.5


def test_statistics_of_two_halves_add_up_to_those_of_the_whole() -> None:
    rows = [row(["lift the arm", "bend it"], ["ऊपर"], number / 10, room=number % 2) for number in range(8)]
    whole, halves = measure(rows, no_properties), measure(rows[:3], no_properties) + measure(rows[3:], no_properties)
    assert (whole.pairs, whole.texts, whole.rooms) == (halves.pairs, halves.texts, halves.rooms)
    np.testing.assert_array_equal(whole.distances, halves.distances)


@pytest.mark.real
def test_the_released_validation_measures_as_it_was_counted(shared: Path) -> None:
    entries = json.loads((shared / "data/fixmypose/valid_seen_NC.json").read_text("utf-8"))
    rows = [
        {**row(entry["sents"], entry["sents_hindi"]), "character": parse_uid(entry["uid"]).character}
        for entry in entries
    ]
    statistics = measure(rows, no_properties)
    english, hindi = statistics.texts["en"], statistics.texts["hi"]
    assert (statistics.pairs, english.texts, len(english.tokens), len(hindi.tokens)) == (562, 1686, 1566, 2048)
    assert english.length == pytest.approx((42.81, 13.17, 20, 131), abs=0.005)
    assert hindi.length == pytest.approx((45.75, 14.51, 0, 138), abs=0.005)
    assert english.well_written == 1631
    assert len(statistics.characters) == 6
    assert [word for word, _ in common_words(english, "en", 4)] == ["right", "left", "bring", "hand"]


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
