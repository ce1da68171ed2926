"""BLEU, CIDEr and ROUGE-L as computed by pycocoevalcap, which the released evaluation calls.

Tokenised texts and their n-grams are integers, so that array operations score many texts at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from fmp_models.metrics.measurement import Measurement
from fmp_models.pose import Array

Token = str | int
Text = Sequence[Token] | NDArray[np.integer[Any]]
Ints = NDArray[np.int64]

ORDERS = 4  # BLEU and CIDEr both count n-grams of 1 to 4 tokens
_MAX_KEY = 2**63  # exclusive upper bound of keys


class Numbering(dict[Token, int]):
    """A mapping from tokens to integers, in the order of first use."""

    def __missing__(self, token: Token) -> int:
        """Assign the next number to a new token."""
        self[token] = number = len(self)
        return number


@dataclass(frozen=True)
class Texts:
    """Concatenated texts: ``tokens`` (p,) as numbers, ``lengths`` (t,) in tokens."""

    tokens: Ints
    lengths: Ints

    @classmethod
    def of(cls, texts: Sequence[Text], numbering: Numbering) -> Self:
        """Replace the tokens of texts by numbers; raise TypeError for a text that is not split into tokens."""
        lists = [_tokens(text) for text in texts]
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        numbers = map(numbering.__getitem__, chain.from_iterable(lists))
        return cls(np.fromiter(numbers, np.int64, int(lengths.sum())), lengths)

    @property
    def starts(self) -> Ints:
        """The position (t,) of the first token of each text."""
        return np.cumsum(self.lengths) - self.lengths

    def then(self, others: Texts) -> Texts:
        """Return these texts followed by ``others``."""
        return Texts(np.concatenate([self.tokens, others.tokens]), np.concatenate([self.lengths, others.lengths]))

    @property
    def remaining(self) -> Ints:
        """The number of tokens (p,) that follow each token in its text."""
        return np.repeat(self.starts + self.lengths - 1, self.lengths) - np.arange(len(self.tokens))


@dataclass(frozen=True)
class ReferenceSets:
    """The references of each instance: all ``texts`` (r) concatenated, and their number (n,) for each instance."""

    texts: Texts
    sizes: Ints

    def __post_init__(self) -> None:
        """Raise ValueError if there is no instance."""
        if not len(self.sizes):
            raise ValueError("there is no instance to score")

    @classmethod
    def of(cls, references: Sequence[Sequence[Text]], numbering: Numbering) -> Self:
        """Replace the references' tokens by numbers; raise ValueError without instances or without references."""
        sizes = reference_counts(references)
        return cls(Texts.of(list(chain.from_iterable(references)), numbering), sizes)

    @property
    def starts(self) -> Ints:
        """The number (n,) of the first reference of each instance."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def owners(self) -> Ints:
        """The instance (r,) of each reference."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def columns(self) -> int:
        """The number of columns of a table with a prediction and all references of an instance in each row."""
        return int(self.sizes.max()) + 1

    @property
    def cells(self) -> Ints:
        """The cell (r,) of each reference, row x columns + column; predictions have column 0."""
        first = np.arange(len(self.sizes)) * self.columns + 1
        return ranges(first, self.sizes)

    def chosen(self, instances: Ints) -> tuple[Self, Ints]:
        """Return the references of ``instances`` (m,) in that order, and the positions of their tokens."""
        sizes = self.sizes[instances]
        references = ranges(self.starts[instances], sizes)
        lengths = self.texts.lengths[references]
        positions = ranges(self.texts.starts[references], lengths)
        return type(self)(Texts(self.texts.tokens[positions], lengths), sizes), positions


def _tokens(text: Text) -> Sequence[Token]:
    """Return a text's tokens in a comparable form; elements of a tensor would be compared by identity."""
    tokens = text if isinstance(text, (list, tuple)) else text.tolist() if hasattr(text, "tolist") else text
    if isinstance(tokens, str) or (tokens and not isinstance(tokens[0], (str, int))):
        raise TypeError("a text must be a sequence of tokens: strings or whole numbers")
    return tokens


def number(predictions: Sequence[Text], references: Sequence[Sequence[Text]]) -> tuple[Texts, ReferenceSets, Numbering]:
    """Replace the tokens of n predictions and their references by numbers; raise ValueError if lengths differ."""
    check_lengths(len(predictions), len(references))
    numbering = Numbering()
    return Texts.of(predictions, numbering), ReferenceSets.of(references, numbering), numbering


def reference_counts(references: Sequence[Sequence[object]]) -> Ints:
    """Return the number of references (n,) of each instance; raise ValueError if an instance has none."""
    sizes = np.fromiter(map(len, references), np.int64, len(references))
    if len(sizes) and not sizes.all():
        raise ValueError(f"instance {np.argmin(sizes)} has no references")
    return sizes


def check_lengths(predictions: int, references: int) -> None:
    """Raise ValueError unless there is one set of references for each prediction."""
    if predictions != references:
        raise ValueError(f"there are {predictions} predictions but references of {references} instances")


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return consecutive ranges of integers, one for each start and length, concatenated."""
    return np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())


def pack_grams(texts: Texts, vocabulary: int, room: int) -> list[Ints]:
    """Return the numbers of the n-grams of each order that start at each position (p,).

    The tokens are the digits of one number. Shorter n-grams are replaced by their ranks only where number x ``room``
    would reach 2^63, so p x ``vocabulary`` x ``room`` must stay below that. The number of an n-gram that would run
    past the end of its text is meaningless.
    """
    grams = [texts.tokens]
    bound = vocabulary
    for order in range(1, ORDERS):
        shorter = grams[-1]
        if bound * vocabulary * room >= _MAX_KEY:
            ranked, shorter = np.unique(shorter, return_inverse=True)
            bound = len(ranked)
            if bound * vocabulary * room >= _MAX_KEY:
                raise ValueError(f"{bound} n-grams of {vocabulary} tokens in {room} texts are too many to be numbered")
        following = np.zeros_like(texts.tokens)
        following[:-order] = texts.tokens[order:]
        grams.append(shorter * vocabulary + following)
        bound *= vocabulary
    return grams


class GramTables:
    """The numbers of the n-grams of some texts.

    ``grams`` (ORDERS, p) are those that start at each position; the number of an n-gram that would run past the end
    of its text is meaningless.
    """

    def __init__(self, texts: Texts) -> None:
        self._tables: list[Ints] = []
        self.grams = np.zeros((ORDERS, len(texts.tokens)), np.int64)
        self.grams[0] = texts.tokens
        for order, at in _longer(texts):
            table, self.grams[order, at] = np.unique(_pairs(self.grams, texts, order, at), return_inverse=True)
            self._tables.append(table)

    def number(self, texts: Texts) -> Ints:
        """Return the numbers of the n-grams (ORDERS, p) of other texts that use the same token numbers.

        An n-gram that is not in the tables gets a number above all of theirs, valid within this call only.
        """
        grams = np.zeros((ORDERS, len(texts.tokens)), np.int64)
        grams[0] = texts.tokens
        for order, at in _longer(texts):
            pairs, table = _pairs(grams, texts, order, at), self._tables[order - 1]
            numbers = np.searchsorted(table, pairs)
            lacking = np.append(table, -1)[numbers] != pairs
            numbers[lacking] = len(table) + np.unique(pairs[lacking], return_inverse=True)[1]
            grams[order, at] = numbers
        return grams


def _longer(texts: Texts) -> Iterator[tuple[int, Ints]]:
    """Return the orders above 1, counted from 0, and the positions where their n-grams start."""
    remaining = texts.remaining
    return ((order, np.flatnonzero(remaining >= order)) for order in range(1, ORDERS))


def _pairs(grams: Ints, texts: Texts, order: int, at: Ints) -> Ints:
    """Encode an n-gram as the number of its first n - 1 tokens and that of its last token; both are below 2^31."""
    return np.asarray(grams[order - 1, at] << 32 | texts.tokens[at + order])


@dataclass(frozen=True)
class Counts:
    """The count of each n-gram of one order in each text: an entry (e,) for each n-gram of a text.

    Each instance has a row of texts: its prediction in column 0, then its references. The entries are sorted by
    n-gram, row and column; those of one n-gram and one row are a *group* (g,).
    """

    count: Ints  # (e,)
    column: Ints  # (e,)
    starts: Ints  # (g,) the first entry of each group
    gram: Ints  # (g,)
    row: Ints  # (g,)

    @classmethod
    def of(cls, grams: Ints, cells: Ints, rows: int, columns: int) -> Self:
        """Count the n-grams (p,) of the texts ``cells`` (p,), row x columns + column."""
        keys, count = np.unique(grams * (rows * columns) + cells, return_counts=True)
        # Remainders by subtraction, which is far faster than divmod.
        groups = keys // columns
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        distinct = groups[starts]
        gram = distinct // rows
        return cls(count, keys - groups * columns, starts, gram, distinct - gram * rows)

    @cached_property
    def sizes(self) -> Ints:
        """The number of entries of each group (g,)."""
        return np.diff(self.starts, append=len(self.count))

    @property
    def predicted(self) -> Ints:
        """The count (g,) of each group's n-gram in the prediction."""
        return np.where(self.column[self.starts] == 0, self.count[self.starts], 0)

    @property
    def referenced(self) -> NDArray[np.bool_]:
        """True (g,) if any reference contains the group's n-gram."""
        return np.asarray(self.column[self.starts + self.sizes - 1] > 0)


# These keep every quotient finite, as in pycocoevalcap: a precision of 0 / 0 becomes 1e-6.
_TINY = 1e-15
_SMALL = 1e-9
_FOLD = 256


def bleu(predictions: Sequence[Text], references: Sequence[Sequence[Text]]) -> list[Measurement]:
    """Return BLEU (Papineni et al. 2002) of the orders 1 to 4 for n instances of tokenised texts.

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
    """CIDEr (Vedantam et al. 2015) against references that are indexed once, fast enough to be a reward in training.

    What pycocoevalcap calls CIDEr is the paper's CIDEr-D: counts are clipped and differences in length are penalised.
    The paper's plain CIDEr is available as well, on the same scale.

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


_BETA_SQUARED = 1.2**2
_BLOCK = 512  # pairs compared at once
_NO_TOKEN, _PREDICTION_ENDED, _REFERENCE_ENDED = -1, -2, -3


def rouge_l(predictions: Sequence[Text], references: Sequence[Sequence[Text]]) -> Measurement:
    """Return ROUGE-L (Lin 2004) with beta 1.2, the mean over n instances of tokenised texts.

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
