from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmp_models.metrics.ngram.bleu import bleu
from fmp_models.metrics.ngram.cider import cider
from fmp_models.metrics.ngram.ngrams import (
    ORDERS,
    Counts,
    GramTables,
    Numbering,
    ReferenceSets,
    Texts,
    pack_grams,
    ranges,
)
from fmp_models.metrics.ngram.rouge import rouge_l

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
    for order, numbers in enumerate(packed, 1):
        assert same_grouping(numbers.tolist(), grams_of(texts, order))
        assert all(0 <= number * room < 2**63 for number in numbers.tolist())


@given(TEXTS, TEXTS)
def test_tables_number_n_grams_of_other_texts_like_their_own(own: list[list[int]], others: list[list[int]]) -> None:
    numbering = Numbering()
    tables = GramTables(Texts.of(own, numbering))
    numbers = np.hstack([tables.grams, tables.number(Texts.of(others, numbering))])
    for order in range(1, ORDERS + 1):
        assert same_grouping(numbers[order - 1].tolist(), grams_of([*own, *others], order))


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
