import json
from pathlib import Path
from typing import Any

import pytest

from fmp_models.metrics.task.moved_joints import GROUPS
from fmp_models.metrics.task.word_lists import LANGUAGES_WITH_WORDS, word_lists


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
