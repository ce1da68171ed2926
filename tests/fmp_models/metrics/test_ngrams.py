"""Numbered texts, and BLEU, CIDEr and ROUGE-L on small examples."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.cider.cider import Cider as TheirCider

from fmp_models.metrics.ngrams import (
    ORDERS,
    Cider,
    Counts,
    GramTables,
    Numbering,
    ReferenceSets,
    Texts,
    bleu,
    cider,
    pack_grams,
    ranges,
    rouge_l,
)
from tests.captions import theirs, varied
from tests.nonempty import nonempty

Metric = Callable[..., Any]

TEXTS = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=1, max_size=5)


def grams_of(texts: list[list[int]], order: int) -> list[tuple[int, ...] | None]:
    """Give the n-gram that starts at each position, None where the text ends before."""
    return [tuple(text[i : i + order]) if i + order <= len(text) else None for text in texts for i in range(len(text))]


def same_grouping(numbers: list[int], grams: list[tuple[int, ...] | None]) -> bool:
    pairs = {(number, gram) for number, gram in zip(numbers, grams, strict=True) if gram is not None}
    return len(pairs) == len({number for number, _ in pairs}) == len({gram for _, gram in pairs})


@given(TEXTS, st.sampled_from([1, 2**54]))
def test_packed_n_grams_are_numbered_alike_where_they_are_alike(texts: list[list[int]], room: int) -> None:
    numbering = Numbering()
    packed = pack_grams(Texts.of(texts, numbering), len(numbering), room)
    for order, numbers in enumerate(nonempty(packed), start=1):
        assert same_grouping(numbers.tolist(), grams_of(texts, order))
        assert all(0 <= number * room < 2**63 for number in numbers.tolist())


@given(TEXTS, TEXTS)
def test_tables_number_n_grams_of_other_texts_like_their_own(own: list[list[int]], others: list[list[int]]) -> None:
    numbering = Numbering()
    tables = GramTables(Texts.of(own, numbering))
    numbers = np.hstack([tables.grams, tables.number(Texts.of(others, numbering))])
    assert len(numbers) == ORDERS
    for order, of_order in enumerate(numbers, 1):
        assert same_grouping(of_order.tolist(), grams_of([*own, *others], order))


@given(TEXTS, TEXTS)
def test_counts_are_those_of_each_text(predictions: list[list[int]], references: list[list[int]]) -> None:
    rows = min(len(predictions), len(references))
    texts = [text for pair in zip(predictions, references, strict=False) for text in pair]
    every = Texts.of(texts, Numbering())
    cells = np.repeat(np.arange(2 * rows), every.lengths)
    counts = Counts.of(every.tokens, cells, rows, 2)
    row, gram = (np.repeat(of_groups, counts.sizes) for of_groups in (counts.row, counts.gram))
    counted = Counter(dict(zip(zip(gram, row * 2 + counts.column, strict=True), counts.count, strict=True)))
    assert counted == Counter(zip(every.tokens, cells, strict=True))
    groups = set(zip(counts.gram, counts.row, counts.predicted, counts.referenced, strict=True))
    assert groups == {
        (token, cell // 2, counted[token, cell // 2 * 2], counted[token, cell // 2 * 2 + 1] > 0)
        for token, cell in counted
    }


def test_more_n_grams_than_can_be_numbered_are_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        pack_grams(Texts.of([["a", "b", "a"]], Numbering()), 2, room=2**62)


def test_ranges_skip_what_is_empty() -> None:
    assert ranges(np.array([4, 9, 0]), np.array([2, 0, 3])).tolist() == [4, 5, 0, 1, 2]


def test_chosen_references_keep_their_texts() -> None:
    sets = ReferenceSets.of([[[1, 2], [3]], [[4]], [[], [5, 6]]], Numbering())
    chosen, positions = sets.chosen(np.array([2, 0, 2]))
    assert chosen.sizes.tolist() == [2, 2, 2]
    assert chosen.texts.lengths.tolist() == [0, 2, 2, 1, 0, 2]
    assert positions.tolist() == [4, 5, 0, 1, 2, 4, 5]
    assert chosen.texts.tokens.tolist() == sets.texts.tokens[positions].tolist()


@pytest.mark.parametrize("metric", [bleu, cider, rouge_l])
class TestWhatCannotBeScored:
    def test_no_instance(self, metric: Metric) -> None:
        with pytest.raises(ValueError, match="no instance"):
            metric([], [])

    def test_an_instance_without_references(self, metric: Metric) -> None:
        with pytest.raises(ValueError, match="instance 1 has no references"):
            metric([["a"], ["b"]], [[["a"]], []])

    def test_lengths_that_differ(self, metric: Metric) -> None:
        with pytest.raises(ValueError, match="2 predictions but references of 1 instances"):
            metric([["a"], ["b"]], [[["a"]]])

    def test_texts_that_were_not_split_into_tokens(self, metric: Metric) -> None:
        with pytest.raises(TypeError, match="sequence of tokens"):
            metric(["a b"], [[["a", "b"]]])
        with pytest.raises(TypeError, match="sequence of tokens"):
            metric([["a", "b"]], [["a b"]])


@pytest.mark.parametrize("metric", [lambda *texts: bleu(*texts)[3], cider, rouge_l])
def test_instances_may_have_any_number_of_references(metric: Metric) -> None:
    text = ["a", "b", "c", "d", "e"]
    one = metric([text, text], [[["a", "b", "x", "c"]], [["y"]]])
    more = metric([text, text], [[["a", "b", "x", "c"]] * 3, [["y"]]])
    assert more.instances == pytest.approx(one.instances)


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


def test_a_prediction_that_is_one_of_two_references_has_rouge_1() -> None:
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
