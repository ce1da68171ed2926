"""Statistics of a dataset (the paper's Section 5), and the writing rules of its Appendix B.3.

Rows are counted without decoding a picture. Statistics of several splits can be added, so each row is read only
once. A correction must fulfil the writing rules before annotators judge it.
"""

from __future__ import annotations

import re
import string
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.pairs import TEXT_COLUMNS
from fmp_models.languages import LANGUAGES, SENTENCE_ENDS

MIN_WORDS = 30
MIN_UNIQUE_SHARE = 0.5  # of the words
FORBIDDEN_SYMBOLS = frozenset("([])&*^%$#@")
TERMS = ("image", "i", "target", "difference")

_WORD = re.compile(r"\w+")


def broken_rules(text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:
    """Return the codes of the rules that ``text`` breaks, empty for a good text.

    The codes are ``too_short``, ``symbols``, ``repetitive`` and ``term_image``, ``term_i``, ``term_target``,
    ``term_difference``. Words are separated by white space; a term is matched as a whole word, ignoring case. A
    writer who ticked "no clear difference" may write fewer than 30 words.
    """
    words = text.split()
    plain_words = set(_WORD.findall(text.lower()))
    broken = {
        "too_short": len(words) < MIN_WORDS and not no_clear_difference,
        "symbols": not FORBIDDEN_SYMBOLS.isdisjoint(text),
        "repetitive": len(set(words)) < MIN_UNIQUE_SHARE * len(words),
        **{f"term_{term}": term in plain_words for term in TERMS},
    }
    return tuple(code for code, is_broken in broken.items() if is_broken)


COLUMNS = ("current_joints", "target_joints", *TEXT_COLUMNS, "animation", "room", "character")

PropertiesOf = Callable[[str, str], Iterable[str]]  # text, language -> its linguistic properties

_PIECE = re.compile(r"\W+|\w+")
_DELETED = str.maketrans("", "", ".,")
_MARKS = f"{string.punctuation}{SENTENCE_ENDS}’"


@dataclass(frozen=True)
class TextStatistics:
    """Counts for one language: texts by length in words, occurrences of each token and property, well-written texts."""

    lengths: Counter[int] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    properties: Counter[str] = field(default_factory=Counter)
    well_written: int = 0

    @property
    def texts(self) -> int:
        """The number of texts."""
        return self.lengths.total()

    @property
    def length(self) -> tuple[float, float, int, int]:
        """Words in a text: mean, standard deviation, minimum and maximum; zeros if there is no text."""
        if not self.texts:
            return 0.0, 0.0, 0, 0
        words = np.repeat(list(self.lengths), list(self.lengths.values()))
        return float(words.mean()), float(words.std()), int(words.min()), int(words.max())

    def share(self, count: int) -> float:
        """Return ``count`` divided by the number of texts; 0 if there is no text."""
        return count / self.texts if self.texts else 0.0

    def __add__(self, other: TextStatistics) -> TextStatistics:
        """Return the sum of both."""
        return TextStatistics(
            self.lengths + other.lengths,
            self.tokens + other.tokens,
            self.properties + other.properties,
            self.well_written + other.well_written,
        )


@dataclass(frozen=True)
class Statistics:
    """Counts over pairs; ``distances`` (n, 3) are metres: mean, minimum and maximum over the joints of each pair.

    Joints are compared without aligning the poses. Pairs without joints count as pairs and have no distance.
    """

    pairs: int
    distances: NDArray[np.float64]
    texts: Mapping[str, TextStatistics]
    animations: Counter[int]
    rooms: Counter[int]
    characters: Counter[int]

    @property
    def joint_distance(self) -> tuple[float, float, float, float] | None:
        """Mean, standard deviation, mean of minima and mean of maxima in metres; ``None`` without any joints."""
        if not len(self.distances):
            return None
        mean, least, most = self.distances.mean(axis=0)
        return float(mean), float(self.distances[:, 0].std()), float(least), float(most)

    def __add__(self, other: Statistics) -> Statistics:
        """Return the sum of both."""
        return Statistics(
            self.pairs + other.pairs,
            np.concatenate([self.distances, other.distances]),
            {language: self.texts[language] + other.texts[language] for language in LANGUAGES},
            self.animations + other.animations,
            self.rooms + other.rooms,
            self.characters + other.characters,
        )


def measure(rows: Iterable[Mapping[str, Any]], properties_of: PropertiesOf) -> Statistics:
    """Count rows that have :data:`COLUMNS` in one pass; only numbers and counts stay in memory."""
    distances: list[tuple[float, float, float]] = []
    texts = {language: _TextTally(language, properties_of) for language in LANGUAGES}
    counts: dict[str, Counter[int]] = {column: Counter() for column in ("animation", "room", "character")}
    pairs = 0
    for row in rows:
        if row["current_joints"] is not None and row["target_joints"] is not None:
            shifts = np.linalg.norm(np.subtract(row["target_joints"], row["current_joints"]), axis=-1)
            distances.append((float(shifts.mean()), float(shifts.min()), float(shifts.max())))
        for language, tally in texts.items():
            tally.read(row[f"descriptions_{language}"])
        for column, count in counts.items():
            count.update([row[column]] if row[column] is not None else ())
        pairs += 1
    return Statistics(
        pairs,
        np.array(distances, dtype=np.float64).reshape(-1, 3),
        {language: tally.statistics() for language, tally in texts.items()},
        counts["animation"],
        counts["room"],
        counts["character"],
    )


def tokens(text: str, language: str) -> list[str]:
    """Return the tokens of ``text`` as the released captioner splits it; other languages are split at white space.

    In English full stops and commas are deleted, so "foot.bring" becomes one token, and other punctuation marks are
    single tokens. Canonically equal words are one token; this changes none of the release.
    """
    text = unicodedata.normalize("NFC", text)
    if language != "en":
        return text.split()
    tokens: list[str] = []
    for piece in (piece.strip() for piece in _PIECE.findall(text.lower().translate(_DELETED))):
        tokens.extend(piece if all(character in string.punctuation for character in piece) else [piece])
    return tokens


def common_words(statistics: TextStatistics, language: str, number: int = 30) -> list[tuple[str, int]]:
    """Return the most frequent words and their counts, without stop words and marks; ties are sorted alphabetically."""
    counts: Counter[str] = Counter()
    for token, count in statistics.tokens.items():
        counts[token.strip(_MARKS)] += count
    entries = [(word, count) for word, count in counts.items() if word and word not in stop_words(language)]
    return sorted(entries, key=lambda entry: (-entry[1], entry[0]))[:number]


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, none if they are not listed."""
    table = tomllib.loads((Path(__file__).parent / "stop_words.toml").read_text(encoding="utf-8"))
    return frozenset(table.get(language, ()))


class _TextTally:
    """Running counts that :class:`TextStatistics` is made of."""

    def __init__(self, language: str, properties_of: PropertiesOf) -> None:
        self._language = language
        self._properties_of = properties_of
        self._lengths: Counter[int] = Counter()
        self._tokens: Counter[str] = Counter()
        self._properties: Counter[str] = Counter()
        self._well_written = 0

    def read(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._lengths[len(text.split())] += 1
            self._tokens.update(tokens(text, self._language))
            self._properties.update(set(self._properties_of(text, self._language)))
            self._well_written += not broken_rules(text)

    def statistics(self) -> TextStatistics:
        return TextStatistics(self._lengths, self._tokens, self._properties, self._well_written)
