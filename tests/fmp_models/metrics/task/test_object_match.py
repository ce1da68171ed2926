from typing import Any

import numpy as np
import pytest

from fmp_models.metrics.task.object_match import object_match


def released(prediction: str, *references: str, language: str = "en") -> float:
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
    assert released("face the sofa", "look at the sofa now", "the sofa is there", "look up") == pytest.approx(2 / 3)
    assert released("बेड को देखें", "बेड के पास", language="hi") == 1


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
    assert released(prediction, reference) == as_released
    assert intended(prediction, reference) == as_intended


def test_an_object_named_twice_counts_once() -> None:
    assert released("sofa sofa", "sofa sofa") == intended("sofa sofa", "sofa sofa") == 1


def test_hindi_full_stops_do_not_hide_an_intended_object() -> None:
    assert released("बेड को देखें", "यह बेड।", language="hi") == 0
    assert intended("बेड को देखें", "यह बेड।", language="hi") == 1


def test_only_three_references_count() -> None:
    assert released("sofa", "lamp", "lamp", "sofa", "sofa") == pytest.approx(1 / 3)


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
