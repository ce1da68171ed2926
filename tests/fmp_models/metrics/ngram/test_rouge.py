import pytest

from fmp_models.metrics.ngram.rouge import rouge_l


def test_a_prediction_that_is_a_reference_scores_1() -> None:
    text = ["move", "your", "left", "hand", "up"]
    assert rouge_l([text], [[["bend", "down"], text]]).value == pytest.approx(1)


def test_precision_and_recall_may_be_those_of_two_references() -> None:
    measured = rouge_l([["a", "b"]], [[["a", "b", "c", "d"], ["b"]]])
    assert measured.value == pytest.approx(1)  # all of the prediction in the first, all of the second in the prediction


def test_recall_weighs_more_than_precision() -> None:
    short, long = (rouge_l([text], [[["a", "b"]]]).value for text in (["a"], ["a", "b", "c", "d"]))
    assert short == pytest.approx(2.44 * 1 * 0.5 / (0.5 + 1.44 * 1))
    assert long == pytest.approx(2.44 * 0.5 * 1 / (1 + 1.44 * 0.5))


def test_an_empty_prediction_matches_an_empty_reference_alone() -> None:
    assert rouge_l([[]], [[["a", "b"]]]).value == 0
    assert rouge_l([[]], [[["a", "b"], []]]).value == 1
    assert rouge_l([["a"]], [[[]]]).value == 0
