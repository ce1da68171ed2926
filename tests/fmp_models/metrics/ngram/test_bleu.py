import math

import numpy as np
import pytest

from fmp_models.metrics.ngram.bleu import bleu
from tests.nonempty import nonempty


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
    tokens = [text.split() for text in predictions], [[text.split() for text in texts] for texts in references]
    drawn = [2, 0, 0]
    sample = bleu([tokens[0][i] for i in drawn], [tokens[1][i] for i in drawn])
    for whole, part in nonempty(zip(bleu(*tokens), sample, strict=True)):
        assert whole.of_totals(whole.statistics[drawn].sum(axis=0)) == pytest.approx(part.value)
        two = np.stack([whole.statistics.sum(axis=0), whole.statistics[drawn].sum(axis=0)])
        assert whole.of_totals(two) == pytest.approx([whole.value, part.value])
