"""CIDEr (Vedantam et al. 2015) as computed by pycocoevalcap, which the released evaluation calls; also a reward.

What pycocoevalcap calls CIDEr is the paper's CIDEr-D: counts are clipped and differences in length are penalised. The
paper's plain CIDEr is available as well, on the same scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Literal, get_args

import numpy as np

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngram.ngrams import (
    ORDERS,
    Counts,
    GramTables,
    Ints,
    Numbering,
    ReferenceSets,
    Text,
    Texts,
    check_lengths,
    pack_grams,
)
from fmp_models.pose import Array

Variant = Literal["d", "plain"]
Documents = Literal["all", "batch"]

_SIGMA = 6.0  # of the Gaussian over the difference in length
_SCALE = 10.0


def cider(predictions: Sequence[Text], references: Sequence[Sequence[Text]], variant: Variant = "d") -> Measurement:
    """Return CIDEr, the mean over n instances of tokenised texts, with document frequencies from their references.

    CIDEr of a single instance is 0, because every n-gram then occurs in all documents. Raises ValueError if there is
    no instance, if an instance has no references, or if lengths differ.
    """
    check_lengths(len(predictions), len(references))
    return Measurement.mean(Cider(references, variant).scores(predictions, documents="batch"))


class Cider:
    """CIDEr against references that are indexed once, fast enough to be a reward in training.

    Tokens are either words or a tokeniser's integers, the same kind in all texts. New tokens of predictions get a
    number.
    """

    def __init__(self, references: Sequence[Sequence[Text]], variant: Variant = "d") -> None:
        """Index the references of n instances.

        Raises ValueError if there is no instance, an instance without references, or an unknown variant.
        """
        _check(variant, get_args(Variant))
        self._numbering = Numbering()
        self._sets = ReferenceSets.of(references, self._numbering)
        self._clipped = variant == "d"

    def scores(
        self, predictions: Sequence[Text], instances: Sequence[int] | None = None, documents: Documents = "all"
    ) -> Array:
        """Return the CIDEr (m,) of each prediction against the references of its instance.

        ``instances`` (m,) are instance numbers in any order, possibly repeated; without them there is one prediction
        for each instance. ``documents`` selects the documents for the document frequencies: ``all`` indexed
        instances, or those of this ``batch`` only, each counted once. Raises ValueError for lengths that differ and
        for unknown ``documents``, IndexError for an instance that is not indexed.
        """
        _check(documents, get_args(Documents))
        of = np.arange(len(self._sets.sizes)) if instances is None else np.asarray(instances)
        of = of if len(of) else of.astype(np.int64)
        check_lengths(len(predictions), len(of))
        if len(of) and not (np.issubdtype(of.dtype, np.integer) and of.min() >= 0):
            raise IndexError("instances must be whole numbers from 0")
        texts = Texts.of(predictions, self._numbering)
        sets, positions = self._sets.chosen(of)
        all_texts = texts.then(sets.texts)
        size = len(of) * sets.columns
        if documents == "all":
            grams = [*np.hstack([self._tables.number(texts), self._tables.grams[:, positions]])]
            weigh = self._weights
        else:
            grams = pack_grams(all_texts, len(self._numbering), room=size)
            weigh = partial(_weights_within, of=of)
        of_texts = np.concatenate([np.arange(0, size, sets.columns), sets.cells])
        cells, remaining = np.repeat(of_texts, all_texts.lengths), all_texts.remaining
        similarity = np.zeros((len(of), sets.columns - 1))
        for order in range(ORDERS):
            at = np.flatnonzero(remaining >= order)
            counts = Counts.of(grams[order][at], cells[at], len(of), sets.columns)
            similarity += _cosines(counts, weigh(counts, order), similarity.shape, clipped=self._clipped)
        if self._clipped:
            lengths = np.zeros(size)
            lengths[of_texts] = all_texts.lengths
            similarity *= _likeness(lengths.reshape(len(of), sets.columns))
        return np.asarray(_SCALE * similarity.sum(axis=1) / (ORDERS * sets.sizes))

    def _weights(self, counts: Counts, order: int) -> Array:
        """Return the inverse document frequency (g,) of each n-gram over all indexed instances."""
        frequencies = self._frequencies[order]
        known = np.minimum(counts.gram, len(frequencies) - 1)
        return _inverse(len(self._sets.sizes), frequencies[known])

    @cached_property
    def _tables(self) -> GramTables:
        return GramTables(self._sets.texts)

    @cached_property
    def _frequencies(self) -> list[Ints]:
        """The number of instances that contain each n-gram, by order; a final 0 stands for any other n-gram."""
        texts, rows = self._sets.texts, len(self._sets.sizes)
        owners, remaining = np.repeat(self._sets.owners, texts.lengths), texts.remaining
        frequencies = []
        for order, grams in enumerate(self._tables.grams):
            is_start = remaining >= order
            instances = np.unique(grams[is_start] * rows + owners[is_start])
            frequencies.append(np.append(np.bincount(instances // rows), 0))
        return frequencies


def _check(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ValueError(f"{name!r} must be one of {known}")


def _cosines(counts: Counts, weights: Array, shape: tuple[int, int], *, clipped: bool) -> Array:
    """Return the cosine (m, columns - 1) of each prediction and reference, with n-gram weights per group (g,)."""
    rows, columns = shape[0], shape[1] + 1
    cells = np.repeat(counts.row * columns, counts.sizes) + counts.column
    squares = np.repeat(weights**2, counts.sizes)
    predicted = np.repeat(counts.predicted, counts.sizes)
    shared = np.minimum(predicted, counts.count) if clipped else predicted
    norms, products = (
        np.bincount(cells, factor * counts.count * squares, rows * columns).reshape(rows, columns)
        for factor in (counts.count, shared)
    )
    scale = np.sqrt(norms[:, :1] * norms[:, 1:])
    return np.asarray(np.divide(products[:, 1:], scale, out=np.zeros(shape), where=scale > 0))


def _likeness(lengths: Array) -> Array:
    """Return the length similarity (m, columns - 1), from 0 to 1, of predictions and references of ``lengths``.

    ``lengths`` are (m, columns). As in pycocoevalcap the number of bigrams is compared.
    """
    bigrams = np.maximum(lengths - 1, 0)
    return np.asarray(np.exp(-((bigrams[:, 1:] - bigrams[:, :1]) ** 2) / (2 * _SIGMA**2)))


def _weights_within(counts: Counts, _: int, of: Ints) -> Array:
    """Return the inverse document frequency (g,) of each n-gram over the distinct instances (m,) of this batch."""
    distinct, first = np.unique(of, return_index=True)
    is_first = np.zeros(len(of), np.bool_)
    is_first[first] = True
    documents = counts.referenced & is_first[counts.row]
    grams = np.cumsum(np.diff(counts.gram, prepend=0) != 0)
    return _inverse(len(distinct), np.bincount(grams, documents).astype(np.int64)[grams])


def _inverse(instances: int, frequencies: Ints) -> Array:
    """Return log(instances / frequency); a frequency of 0 counts as 1."""
    of_frequency = np.log(instances) - np.log(np.maximum(np.arange(instances + 1), 1))
    return np.asarray(of_frequency[frequencies])
