"""BLEU-1 to BLEU-4 (Papineni et al. 2002) as computed by pycocoevalcap, which the released evaluation calls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import ORDERS, Counts, Ints, ReferenceSets, Text, Texts, number, pack_grams
from fmp_models.pose import Array

# These keep every quotient finite, as in pycocoevalcap: a precision of 0 / 0 becomes 1e-6.
_TINY = 1e-15
_SMALL = 1e-9
_FOLD = 256


def bleu(predictions: Sequence[Text], references: Sequence[Sequence[Text]]) -> list[Measurement]:
    """Return BLEU of the orders 1 to 4 for n instances of tokenised texts.

    A prediction's counts are clipped by the largest count in any one reference. Its length is compared with that of
    the reference closest in length; of two equally close ones, with the shorter. Raises ValueError if there is no
    instance, if an instance has no references, or if lengths differ.
    """
    texts, sets, numbering = number(predictions, references)
    lengths = texts.lengths[:, None]
    candidates = np.maximum(lengths - np.arange(ORDERS), 0)
    matches = _matches(texts, sets, len(numbering))
    statistics = np.hstack([matches, candidates, lengths, _closest(texts, sets)[:, None]]).astype(np.float64)
    values = [partial(_value, order=order) for order in range(1, ORDERS + 1)]
    return [Measurement(value(statistics), statistics, value) for value in values]


def _matches(texts: Texts, sets: ReferenceSets, vocabulary: int) -> Ints:
    """Return the clipped number of n-grams (n, ORDERS) of each prediction that its references contain."""
    rows, columns = len(texts.lengths), sets.columns
    all_texts = texts.then(sets.texts)
    cells = np.repeat(np.concatenate([np.arange(rows) * columns, sets.cells]), all_texts.lengths)
    # Only n-grams of the prediction's tokens can match; skipping the rest gives most of the speed. A folded
    # vocabulary keeps the table small and only lets a few more n-grams through.
    folded = (cells // columns, all_texts.tokens % _FOLD)
    has = np.zeros((rows, _FOLD), np.bool_)
    has[tuple(part[: len(texts.tokens)] for part in folded)] = True
    has_tokens, remaining = has[folded], all_texts.remaining
    starts = has_tokens.copy()
    matches = np.zeros((rows, ORDERS), np.int64)
    for order, grams in enumerate(pack_grams(all_texts, vocabulary, room=rows * columns)):
        if order:
            starts[:-order] &= has_tokens[order:]
            starts &= remaining >= order
        at = np.flatnonzero(starts)
        counts = Counts.of(grams[at], cells[at], rows, columns)
        most = np.maximum.reduceat(np.where(counts.column > 0, counts.count, 0), counts.starts)
        np.add.at(matches[:, order], counts.row, np.minimum(counts.predicted, most))
    return matches


def _closest(texts: Texts, sets: ReferenceSets) -> Ints:
    """Return the length (n,) of the reference closest in length to each prediction."""
    lengths = sets.texts.lengths
    off = np.abs(lengths - np.repeat(texts.lengths, sets.sizes))
    # One integer encodes (difference, length) for ordering.
    size = int(lengths.max()) + 1
    return np.minimum.reduceat(off * size + lengths, sets.starts) % size


def _value(totals: Array, order: int) -> Array:
    """Return BLEU of summed statistics (..., 10): matches and candidates of each order, both total lengths."""
    matches, candidates = totals[..., :order], totals[..., ORDERS : ORDERS + order]
    precision = np.prod((matches + _TINY) / (candidates + _SMALL), axis=-1) ** (1 / order)
    ratio = (totals[..., -2] + _TINY) / (totals[..., -1] + _SMALL)
    return np.asarray(precision * np.exp(np.minimum(1 - 1 / ratio, 0)))
