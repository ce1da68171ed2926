"""The word lists of the release, the search for their entries, and object-match."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.metrics.body_parts import GROUPS
from fmp_models.metrics.word_lists import (
    LANGUAGES_WITH_WORDS,
    object_match,
    phrases_in,
    plain_words,
    released_entries,
    word_lists,
)


@pytest.fixture
def released(shared: Path, language: str) -> dict[str, Any]:
    words: dict[str, Any] = json.loads((shared / "facts" / "metric_words.json").read_bytes())[language]
    return words


def test_the_two_languages_of_the_release_have_words() -> None:
    assert LANGUAGES_WITH_WORDS == ("en", "hi")


def test_a_language_without_words_is_refused_with_those_that_have_some() -> None:
    with pytest.raises(ValueError, match=r"“de”.*en, hi"):
        word_lists("de")
    with pytest.raises(ValueError, match="no word lists"):
        word_lists("../words_en")


def test_every_group_of_joints_has_its_words(language: str) -> None:
    assert list(word_lists(language).body_part_groups) == list(GROUPS)


def test_objects_are_those_of_the_release_in_the_order_of_its_file(released: dict[str, Any], language: str) -> None:
    objects = list(word_lists(language).object_words)
    assert objects[: len(released["object_words"])] == released["object_words"]
    assert sorted(objects) == sorted(released.get("object_words_with_wordnet", released["object_words"]))


def test_body_parts_are_those_of_the_release_for_both_metrics(released: dict[str, Any], language: str) -> None:
    groups = [list(words) for words in word_lists(language).body_part_groups.values()]
    assert groups == released["body_part_groups"] == released["direction"]["body_part_synonyms"]


def test_lists_of_directions_are_those_of_the_release(released: dict[str, Any], language: str) -> None:
    lists, directions = word_lists(language), released["direction"]
    assert [list(group) for group in lists.direction_synonyms] == directions["direction_synonyms"]
    assert list(lists.rights) == directions.get("rights", ["right"])
    assert list(lists.lefts) == directions.get("lefts", ["left"])
    for name, words in lists.direction.items():
        assert list(words) == directions["colors" if name == "colours" else name]


PHRASES = {("pizza", "box"), ("box",), ("pizza",), ("first", "aid", "kit")}


def test_the_release_finds_an_entry_inside_a_word() -> None:
    assert list(released_entries("a candle", ["lamp", "can"])) == ["can"]


def test_the_release_minds_case_and_keeps_marks() -> None:
    assert list(released_entries("the Sofa", ["sofa"])) == []


def test_the_second_word_of_a_found_entry_is_not_looked_for_after_it() -> None:
    assert list(released_entries("pizza box", ["pizza box", "pizza", "box"])) == ["pizza box", "pizza"]
    assert list(released_entries("pizza box", ["box", "pizza box"])) == ["box", "pizza box"]


def test_an_entry_is_found_once() -> None:
    assert list(released_entries("knee knee", ["knee", "knee"])) == ["knee"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Raise your Left knee.", ["raise", "your", "left", "knee"]),
        ("knee,elbow? (head)/neck", ["knee", "elbow", "head", "neck"]),
        ("अपना सिर झुकाएं। ऊपर॥", ["अपना", "सिर", "झुकाएं", "ऊपर"]),
        ("don't half-turn", ["don't", "half-turn"]),
        ("  ", []),
        ("", []),
    ],
)
def test_plain_words_are_without_case_and_marks(text: str, words: list[str]) -> None:
    assert plain_words(text) == words


def test_the_longest_phrase_is_found_and_its_words_are_not() -> None:
    words = ["a", "pizza", "box", "box", "pizza", "first", "aid", "box"]
    assert list(phrases_in(words, PHRASES)) == [
        (1, ("pizza", "box")),
        (3, ("box",)),
        (4, ("pizza",)),
        (7, ("box",)),
    ]


@given(st.lists(st.sampled_from(["pizza", "box", "first", "aid", "kit", "the"])))
def test_found_phrases_stand_where_they_are_found_and_never_overlap(words: list[str]) -> None:
    free = 0
    for start, phrase in phrases_in(words, PHRASES):
        assert tuple(words[start : start + len(phrase)]) == phrase
        assert start >= free
        free = start + len(phrase)
    assert sum(word == "box" for word in words) == sum("box" in phrase for _, phrase in phrases_in(words, PHRASES))


def released_score(prediction: str, *references: str, language: str = "en") -> float:
    return object_match([prediction], [references], language).value


def intended(prediction: str, *references: str, language: str = "en") -> float:
    return object_match([prediction], [references], language, intended=True).value


def test_every_instance_scores_as_in_the_release(oracle: dict[str, Any], language: str) -> None:
    instances = oracle["instances"].values()
    scores = object_match(
        [instance["prediction"] for instance in instances], [instance["references"] for instance in instances], language
    )
    released_scores = [instance["scores"]["object_match"] for instance in instances]
    np.testing.assert_allclose(scores.instances, released_scores, atol=1e-6)
    assert scores.value == pytest.approx(oracle["corpus"]["object_match"], abs=1e-6)


def test_an_object_scores_for_each_reference_that_names_it() -> None:
    assert released_score("face the sofa", "look at the sofa now", "the sofa is there", "look up") == pytest.approx(
        2 / 3
    )
    assert released_score("बेड को देखें", "बेड के पास", language="hi") == 1


@pytest.mark.parametrize(
    ("prediction", "reference", "as_released", "as_intended"),
    [
        ("face the sofa", "face the sofa.", 0, 1),  # a mark on a word of the reference
        ("Face the Sofa", "face the sofa", 0, 1),  # case
        ("hold a candle", "you can bend", 1, 0),  # "can" in "candle"
        ("the first aid kit", "the first aid kit", 0, 1),  # an entry of several words
        ("the drying rack", "the drying rack", 0, 1),
        ("face the window", "face the wall", 0, 0),
    ],
)
def test_what_the_release_mistakes_is_mended_beside_it(
    prediction: str, reference: str, as_released: int, as_intended: int
) -> None:
    assert released_score(prediction, reference) == as_released
    assert intended(prediction, reference) == as_intended


def test_an_object_named_twice_counts_once() -> None:
    assert released_score("sofa sofa", "sofa sofa") == intended("sofa sofa", "sofa sofa") == 1


def test_hindi_full_stops_do_not_hide_an_intended_object() -> None:
    assert released_score("बेड को देखें", "यह बेड।", language="hi") == 0
    assert intended("बेड को देखें", "यह बेड।", language="hi") == 1


def test_only_three_references_count() -> None:
    assert released_score("sofa", "lamp", "lamp", "sofa", "sofa") == pytest.approx(1 / 3)


def test_each_instance_has_its_own_mean() -> None:
    scores = object_match(["sofa lamp", "no object"], [["sofa lamp", "lamp"], ["sofa"]], "en")
    assert scores.instances.tolist() == [1.5, 0]
    assert scores.value == 0.75


def test_instances_without_references_and_of_other_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="instance 1 has no references"):
        object_match(["sofa", "lamp"], [["sofa"], []], "en")
    with pytest.raises(ValueError, match="2 predictions"):
        object_match(["sofa", "lamp"], [["sofa"]], "en")


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="“de”"):
        object_match(["sofa"], [["sofa"]], "de")
