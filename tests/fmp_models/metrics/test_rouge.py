from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.rouge.rouge import Rouge

from fmp_models.metrics.rouge import rouge_l

TEXT = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)
INSTANCES = st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=4)), min_size=1, max_size=6)


def agrees(instances: list[tuple[list[str], list[list[str]]]]) -> None:
    measured = rouge_l(*zip(*instances, strict=True))
    predictions = {i: [" ".join(prediction)] for i, (prediction, _) in enumerate(instances)}
    references = {i: [" ".join(text) for text in texts] for i, (_, texts) in enumerate(instances)}
    value, of_instances = Rouge().compute_score(references, predictions)
    assert measured.value == pytest.approx(value, rel=0, abs=1e-9)
    assert measured.instances == pytest.approx(of_instances, rel=0, abs=1e-9)


@given(INSTANCES)
def test_any_texts_score_as_in_pycocoevalcap(instances: list[tuple[list[str], list[list[str]]]]) -> None:
    agrees(instances)


def test_human_descriptions_score_as_in_pycocoevalcap(oracle: dict[str, Any]) -> None:
    told = oracle["instances"].values()
    agrees([(one["prediction"].split(), [text.split() for text in one["references"]]) for one in told])


def test_more_pairs_than_one_block_holds_score_as_in_pycocoevalcap() -> None:
    rng = np.random.default_rng(0)
    texts = [rng.choice(list("abcdefgh"), size).tolist() for size in rng.integers(0, 15, 1500)]
    agrees([(texts[i], texts[i + 1 : i + 3]) for i in range(0, len(texts) - 2, 2)])


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
