import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.bleu.bleu import Bleu

from fmp_models.metrics.bleu import bleu

# Few words, so that n-grams repeat within and between texts, and empty texts among them.
TEXT = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)
INSTANCES = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=4)), min_size=1, max_size=6)


def theirs(instances: list[tuple[list[str], list[list[str]]]]) -> tuple[list[float], list[list[float]]]:
    predictions = {i: [" ".join(prediction)] for i, (prediction, _) in enumerate(instances)}
    references = {i: [" ".join(text) for text in texts] for i, (_, texts) in enumerate(instances)}
    return Bleu(4).compute_score(references, predictions, verbose=0)


def agrees(instances: list[tuple[list[str], list[list[str]]]]) -> None:
    measured = bleu(*zip(*instances, strict=True))
    values, of_instances = theirs(instances)
    assert [measurement.value for measurement in measured] == pytest.approx(values, rel=0, abs=1e-9)
    for measurement, expected in zip(measured, of_instances, strict=True):
        assert measurement.instances == pytest.approx(expected, rel=0, abs=1e-9)


@given(INSTANCES)
def test_any_texts_score_as_in_pycocoevalcap(instances: list[tuple[list[str], list[list[str]]]]) -> None:
    agrees(instances)


def test_human_descriptions_score_as_in_pycocoevalcap(oracle: dict[str, Any]) -> None:
    told = oracle["instances"].values()
    agrees([(one["prediction"].split(), [text.split() for text in one["references"]]) for one in told])


def test_a_long_vocabulary_is_numbered_without_overflow() -> None:
    words = np.random.default_rng(0).integers(0, 60_000, (40, 3, 900)).astype(str).tolist()
    agrees([(first[:300] + second[300:], [first, second, third]) for first, second, third in words])


def test_a_prediction_that_is_a_reference_scores_1() -> None:
    text = ["move", "your", "left", "hand", "up"]
    measured = bleu([text], [[["bend", "down"], text]])
    assert [measurement.value for measurement in measured] == pytest.approx([1, 1, 1, 1])


def test_counts_are_clipped_by_the_reference_that_has_most() -> None:
    measured = bleu([["the"] * 4], [[["the", "cat", "the", "mat"], ["the", "cat", "sat", "down"]]])
    assert measured[0].value == pytest.approx(2 / 4)


def test_the_shorter_of_two_references_as_close_sets_the_length() -> None:
    assert bleu([["a"] * 4], [[["a"] * 5, ["a"] * 3]])[0].value == pytest.approx(1)
    assert bleu([["a"] * 4], [[["a"] * 5, ["a"] * 2]])[0].value == pytest.approx(math.exp(1 - 5 / 4))


def test_an_empty_prediction_scores_0() -> None:
    assert [measurement.value for measurement in bleu([[]], [[["a", "b"]]])] == pytest.approx([0, 0, 0, 0])


def test_the_value_of_a_sample_follows_from_its_statistics() -> None:
    predictions = ["raise the left arm", "bend the knee a lot", "turn to the wall"]
    references = [["raise your left arm", "lift the left arm"], ["bend the knee"], ["turn right to the wall now"]]
    told = [text.split() for text in predictions], [[text.split() for text in texts] for texts in references]
    drawn = [2, 0, 0]
    sample = bleu([told[0][i] for i in drawn], [told[1][i] for i in drawn])
    for whole, part in zip(bleu(*told), sample, strict=True):
        assert whole.of_totals(whole.statistics[drawn].sum(axis=0)) == pytest.approx(part.value)
        two = np.stack([whole.statistics.sum(axis=0), whole.statistics[drawn].sum(axis=0)])
        assert whole.of_totals(two) == pytest.approx([whole.value, part.value])
