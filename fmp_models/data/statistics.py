"""Statistics of a dataset (the paper's Section 5), counted row by row without decoding a picture.

Statistics of several splits add up, so that each row is read once.
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

from fmp_models.data.writing_rules import broken_rules
from fmp_models.languages.grammar import LANGUAGES

COLUMNS = ("current_joints", "target_joints", "descriptions_en", "descriptions_hi", "animation", "room", "character")

PropertiesOf = Callable[[str, str], Iterable[str]]  # text, language -> the linguistic properties it shows

_PIECE = re.compile(r"\W+|\w+")
_DELETED = str.maketrans("", "", ".,")
_MARKS = f"{string.punctuation}।’"


@dataclass(frozen=True)
class TextStatistics:
    """Of one language: how many texts there are of each length in words, how often each token and property occurs."""

    lengths: Counter[int] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    properties: Counter[str] = field(default_factory=Counter)
    well_written: int = 0

    @property
    def texts(self) -> int:
        """How many texts were read."""
        return self.lengths.total()

    @property
    def length(self) -> tuple[float, float, int, int]:
        """Words in a text: mean, standard deviation, least and most; zeros where there is no text."""
        if not self.texts:
            return 0.0, 0.0, 0, 0
        words = np.repeat(list(self.lengths), list(self.lengths.values()))
        return float(words.mean()), float(words.std()), int(words.min()), int(words.max())

    def share(self, count: int) -> float:
        """``count`` as a part of the texts, 0 where there is none."""
        return count / self.texts if self.texts else 0.0

    def __add__(self, other: TextStatistics) -> TextStatistics:
        """Both together."""
        return TextStatistics(
            self.lengths + other.lengths,
            self.tokens + other.tokens,
            self.properties + other.properties,
            self.well_written + other.well_written,
        )


@dataclass(frozen=True)
class Statistics:
    """Of any number of pairs; ``distances`` (n, 3) are metres: mean, least and most over the joints of each pair.

    Joints are compared where they stand in the room. Pairs without joints count as pairs and have no distance.
    """

    pairs: int
    distances: NDArray[np.float64]
    texts: Mapping[str, TextStatistics]
    animations: Counter[int]
    rooms: Counter[int]
    characters: Counter[int]

    @property
    def joint_distance(self) -> tuple[float, float, float, float] | None:
        """Mean, standard deviation, mean of the least and mean of the most, metres; ``None`` without any joints."""
        if not len(self.distances):
            return None
        mean, least, most = self.distances.mean(axis=0)
        return float(mean), float(self.distances[:, 0].std()), float(least), float(most)

    def __add__(self, other: Statistics) -> Statistics:
        """Both together."""
        return Statistics(
            self.pairs + other.pairs,
            np.concatenate([self.distances, other.distances]),
            {language: self.texts[language] + other.texts[language] for language in LANGUAGES},
            self.animations + other.animations,
            self.rooms + other.rooms,
            self.characters + other.characters,
        )


def measure(rows: Iterable[Mapping[str, Any]], properties_of: PropertiesOf) -> Statistics:
    """Read rows that have :data:`COLUMNS` once; only numbers and counts stay in memory."""
    distances: list[tuple[float, float, float]] = []
    texts = {language: _TextTally(language, properties_of) for language in LANGUAGES}
    counts: dict[str, Counter[int]] = {column: Counter() for column in ("animation", "room", "character")}
    for row in rows:
        if row["current_joints"] is not None and row["target_joints"] is not None:
            shifts = np.linalg.norm(np.subtract(row["target_joints"], row["current_joints"]), axis=-1)
            distances.append((float(shifts.mean()), float(shifts.min()), float(shifts.max())))
        for language, tally in texts.items():
            tally.read(row[f"descriptions_{language}"])
        for column, count in counts.items():
            count[row[column]] += 1
    return Statistics(
        counts["room"].total(),
        np.array(distances, dtype=np.float64).reshape(-1, 3),
        {language: tally.statistics() for language, tally in texts.items()},
        counts["animation"],
        counts["room"],
        counts["character"],
    )


def tokens(text: str, language: str) -> list[str]:
    """The words of ``text`` as the released captioner reads them: in Hindi whatever stands between spaces.

    In English full stops and commas are deleted, so that "foot.bring" becomes one token, and other marks stand alone.
    Canonically equal words are one token, which changes none of the release.
    """
    text = unicodedata.normalize("NFC", text)
    if language != "en":
        return text.split()
    tokens: list[str] = []
    for piece in (piece.strip() for piece in _PIECE.findall(text.lower().translate(_DELETED))):
        tokens.extend(piece if all(character in string.punctuation for character in piece) else [piece])
    return tokens


def common_words(statistics: TextStatistics, language: str, number: int = 30) -> list[tuple[str, int]]:
    """The words that occur most, without stop words and marks, and how often; equals in the order of the alphabet."""
    counts: Counter[str] = Counter()
    for token, count in statistics.tokens.items():
        counts[token.strip(_MARKS)] += count
    entries = [(word, count) for word, count in counts.items() if word and word not in stop_words(language)]
    return sorted(entries, key=lambda entry: (-entry[1], entry[0]))[:number]


@cache
def stop_words(language: str) -> frozenset[str]:
    """The words too common to say what a text is about."""
    table = tomllib.loads((Path(__file__).parent / "stop_words.toml").read_text(encoding="utf-8"))
    return frozenset(table[language])


class _TextTally:
    """Counts while reading; :class:`TextStatistics` is what remains."""

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
