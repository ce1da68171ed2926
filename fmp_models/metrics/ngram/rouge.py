"""ROUGE-L (Lin 2004) as computed by pycocoevalcap, which the released evaluation calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import Ints, Text, Texts, number

_BETA_SQUARED = 1.2**2
_BLOCK = 512  # pairs compared at once
_NO_TOKEN, _PREDICTION_ENDED, _REFERENCE_ENDED = -1, -2, -3


def rouge_l(predictions: Sequence[Text], references: Sequence[Sequence[Text]]) -> Measurement:
    """Return ROUGE-L with beta 1.2, the mean over n instances of tokenised texts.

    Precision and recall are each the maximum over the references, possibly of two different ones. An empty text
    counts as one empty token, as in pycocoevalcap: it matches only another empty text. Raises ValueError if there is
    no instance, if an instance has no references, or if lengths differ.
    """
    texts, sets, _ = number(predictions, references)
    owners = sets.owners
    common = _common(texts, owners, sets.texts)
    precision = np.maximum.reduceat(common / np.maximum(texts.lengths, 1)[owners], sets.starts)
    recall = np.maximum.reduceat(common / np.maximum(sets.texts.lengths, 1), sets.starts)
    weighted = recall + _BETA_SQUARED * precision
    score = (1 + _BETA_SQUARED) * precision * recall / np.where(weighted > 0, weighted, 1)
    return Measurement.mean(score)


def _common(texts: Texts, owners: Ints, references: Texts) -> Ints:
    """Return the length (r,) of the longest common subsequence of each reference and its prediction."""
    common = np.zeros(len(owners), np.int64)
    # Pairs of similar length share a block, so that there is little padding.
    order = np.argsort(references.lengths, kind="stable")
    for pairs in np.split(order, range(_BLOCK, len(order), _BLOCK)):
        reference = _columns(references, pairs, _REFERENCE_ENDED)
        best = np.zeros((len(reference) + 1, len(pairs)), np.int32)
        for token in _columns(texts, owners[pairs], _PREDICTION_ENDED):
            # best[j]: longest common subsequence of the prediction so far and the reference's first j tokens.
            extended = np.maximum(best[1:], best[:-1] + (reference == token))
            np.maximum.accumulate(extended, axis=0, out=best[1:])
        common[pairs] = best[-1]
    return common


def _columns(texts: Texts, rows: Ints, ended: int) -> Ints:
    """Return the chosen texts as columns (longest, c), padded at their ends."""
    lengths = texts.lengths[rows]
    columns = np.full((max(int(lengths.max()), 1), len(rows)), ended)
    mask = np.arange(len(columns))[:, None] < lengths
    positions = texts.starts[rows] + np.arange(len(columns))[:, None]
    columns[mask] = texts.tokens[positions[mask]]
    columns[0, lengths == 0] = _NO_TOKEN
    return columns
