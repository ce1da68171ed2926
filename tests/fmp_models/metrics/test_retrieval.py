import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.metrics.measurement import confidence_interval
from fmp_models.metrics.retrieval import retrieval_scores
from tests.thoroughness import examples

TEN = [0.1, 0.9, 0.3, 0.2, 0.8, 0.0, 0.4, 0.7, 0.6, 0.5]


def values(scores: list[list[float]], answers: list[int]) -> dict[str, float]:
    return {name: measured.value for name, measured in retrieval_scores(scores, answers).items()}


def test_the_best_candidate_is_the_answer_or_is_not() -> None:
    scores = values([TEN, TEN], [1, 4])
    assert scores == {"accuracy": 0.5, "recall_at_3": 1, "recall_at_5": 1, "mean_rank": 1.5}


def test_a_model_that_scores_all_alike_is_as_good_as_chance() -> None:
    scores = values([[0.3] * 10] * 3, [0, 4, 9])
    assert scores["accuracy"] == pytest.approx(0.1)
    assert scores["recall_at_5"] == pytest.approx(0.5)
    assert scores["mean_rank"] == pytest.approx(5.5)


def test_instances_may_differ_in_how_many_candidates_they_have() -> None:
    assert values([[1, 2], TEN], [1, 5])["mean_rank"] == pytest.approx(5.5)


@examples(25)
@given(st.lists(st.integers(-3, 3), min_size=2, max_size=12), st.integers(0, 11))
def test_equal_scores_count_as_the_mean_over_all_orders(scores: list[int], answer: int) -> None:
    """Drawn with noise that is too small to change any other order."""
    answer %= len(scores)
    noisy = np.array(scores) + np.random.default_rng(0).uniform(0, 0.1, (4000, len(scores)))
    drawn = retrieval_scores(list(noisy), [answer] * len(noisy))
    measured = retrieval_scores([scores], [answer])
    for name, slack in (("accuracy", 0.04), ("recall_at_3", 0.04), ("mean_rank", 0.3)):
        assert measured[name].value == pytest.approx(drawn[name].value, abs=slack)


@pytest.mark.parametrize(
    ("scores", "answers"),
    [([], []), ([TEN], []), ([TEN], [10]), ([TEN], [-1]), ([[0.1, float("nan")]], [0]), ([[[0.1]]], [0])],
)
def test_what_has_no_rank_is_refused(scores: list[list[float]], answers: list[int]) -> None:
    with pytest.raises(ValueError, match=r"answers|no rank"):
        retrieval_scores(scores, answers)


def test_its_numbers_have_intervals() -> None:
    rng = np.random.default_rng(1)
    measured = retrieval_scores(list(rng.normal(size=(300, 10))), [0] * 300)["accuracy"]
    low, high = confidence_interval(measured) or (np.nan, np.nan)
    assert 0.04 < low < measured.value < high < 0.18
