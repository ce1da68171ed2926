import numpy as np
import pytest
import torch
from pycocoevalcap.cider.cider import Cider as TheirCider

from fmp_models.metrics.ngram.cider import Cider, cider
from tests.captions import theirs, varied


def test_of_a_single_instance_it_is_0() -> None:
    assert cider([["a", "b"]], [[["a", "b"]]]).value == 0


def test_references_without_any_word_score_0() -> None:
    assert cider([["a"], []], [[[]], [[], []]]).instances.tolist() == [0, 0]


def test_a_prediction_that_is_its_only_reference_scores_10() -> None:
    texts = [["move", "your", "left", "hand", "up"], ["bend", "the", "right", "knee", "a", "bit"]]
    for variant in ("d", "plain"):
        assert cider(texts, [[text] for text in texts], variant).instances == pytest.approx([10, 10])


def test_the_plain_variant_is_the_mean_cosine_of_the_weighed_counts() -> None:
    predictions, references = [["a", "a", "a", "b"], ["c"]], [[["a", "b", "b"]], [["c", "d"]]]
    # Every weight is log 2. Single words: a 3, b with a, b 2; pairs: aa 2, ab with ab, bb; nothing longer is shared.
    expected = 10 * (5 / np.sqrt(10 * 5) + 1 / np.sqrt(5 * 2)) / 4
    assert cider(predictions, references, "plain").instances[0] == pytest.approx(expected)


def test_repeated_words_and_a_wrong_length_cost_in_the_released_variant_only() -> None:
    references = [[["raise", "your", "arm"]], [["bend", "down"]]]
    honest, padded = (cider([text, ["turn"]], references) for text in (["raise", "arm"], ["raise", "arm"] * 6))
    assert padded.instances[0] < honest.instances[0] * 0.5
    once, often = (cider([["arm"] * n, ["turn"]], references, "plain") for n in (1, 9))
    assert once.instances[0] == pytest.approx(often.instances[0])


def test_a_reward_within_a_batch_is_pycocoevalcap_s_of_that_batch_alone() -> None:
    instances = varied(1)
    reward = Cider([texts for _, texts in instances])
    batch = [5, 0, 3]
    expected = theirs(TheirCider(), [instances[i] for i in batch])[1]
    predictions = [instances[i][0] for i in batch]
    assert reward.scores(predictions, batch, "batch") == pytest.approx(expected, abs=1e-9)
    assert reward.scores(predictions, batch) != pytest.approx(expected, abs=1e-3)


def test_a_reward_among_all_documents_does_not_depend_on_the_batch() -> None:
    instances = varied(2)
    reward = Cider([texts for _, texts in instances])
    expected = np.array(theirs(TheirCider(), instances)[1])
    batch = [5, 0, 3, 5]
    assert reward.scores([instances[i][0] for i in batch], batch) == pytest.approx(expected[batch], abs=1e-9)


@pytest.mark.parametrize("documents", ["all", "batch"])
def test_several_samples_of_an_instance_score_as_each_alone(documents: str) -> None:
    instances = varied(3)
    reward = Cider([texts for _, texts in instances])
    first, second = [[prediction[:size] for prediction, _ in instances] for size in (9, 4)]
    together = reward.scores([*first, *second], [*range(8), *range(8)], documents)
    alone = [reward.scores(samples, documents=documents) for samples in (first, second)]
    assert together == pytest.approx(np.concatenate(alone))


def test_a_reward_does_not_depend_on_what_was_scored_before() -> None:
    instances = varied(4)
    references = [texts for _, texts in instances]
    predictions = [prediction for prediction, _ in instances]
    reward = Cider(references)
    reward.scores([["words", "never", "read", "before"]] * 8)
    assert np.array_equal(reward.scores(predictions), Cider(references).scores(predictions))


def test_numbers_of_tokens_score_as_words_do() -> None:
    instances = varied(5)
    numbers: dict[str, int] = {}

    def numbered(text: list[str]) -> list[int]:
        return [numbers.setdefault(word, 50_000 - len(numbers)) for word in text]

    references = [[numbered(text) for text in texts] for _, texts in instances]
    predictions = [np.array(numbered(prediction)) for prediction, _ in instances]
    assert Cider(references).scores(predictions) == pytest.approx(theirs(TheirCider(), instances)[1])


def test_what_cannot_be_scored_is_refused() -> None:
    reward = Cider([[["a"]], [["b"]]])
    with pytest.raises(ValueError, match="1 predictions but references of 2 instances"):
        reward.scores([["a"]])
    with pytest.raises(ValueError, match="no instance"):
        reward.scores([], [])
    with pytest.raises(ValueError, match="no instance"):
        Cider([])
    with pytest.raises(ValueError, match="instance 1 has no references"):
        Cider([[["a"]], []])
    with pytest.raises(IndexError):
        reward.scores([["a"]], [2])


def test_what_a_reward_would_silently_get_wrong_is_refused() -> None:
    reward = Cider([[["a"]], [["b"]]])
    with pytest.raises(ValueError, match="'D' must be one"):
        Cider([[["a"]]], "D")
    with pytest.raises(ValueError, match="'batches' must be one"):
        reward.scores([["a"], ["b"]], documents="batches")
    for instances in ([-1], [0.5]):
        with pytest.raises(IndexError, match="whole numbers"):
            reward.scores([["a"]], instances)
    with pytest.raises(TypeError, match="whole numbers"):
        reward.scores([[0.5], ["b"]])


def test_tensors_of_numbers_are_read_as_numbers() -> None:
    texts = [[1, 2, 3, 4, 5], [6, 7, 8, 9]]
    reward = Cider([[torch.tensor(text)] for text in texts])
    assert reward.scores([torch.tensor(text) for text in texts]) == pytest.approx([10, 10])
