"""Tokenised texts and their n-grams as integers, so that array operations score many texts at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

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
