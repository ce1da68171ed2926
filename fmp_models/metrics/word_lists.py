"""The word lists that define the three task metrics, as released, the search for their entries, and object-match.

A text is searched for substrings, as in the released scripts, or for words. The task metrics average over the first
references of each pair.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmp_models.languages import MARKS, canonical
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.ngrams import check_lengths, reference_counts

_FILES = {path.stem.removeprefix("words_"): path for path in sorted(Path(__file__).parent.glob("words_*.toml"))}
LANGUAGES_WITH_WORDS: tuple[str, ...] = tuple(_FILES)


@dataclass(frozen=True)
class WordLists:
    """The word lists of one language, each in the order in which the metrics read it.

    ``body_part_groups`` are the words of each group of joints, ``direction`` the lists of the direction rules.
    """

    rights: tuple[str, ...]
    lefts: tuple[str, ...]
    more_rights: tuple[str, ...]  # spellings missing from the release's lists
    more_lefts: tuple[str, ...]
    object_words: tuple[str, ...]
    body_part_groups: dict[str, tuple[str, ...]]
    direction: dict[str, tuple[str, ...]]
    direction_synonyms: tuple[tuple[str, ...], ...]
    direction_rules: str  # the language of the released script whose rules read a text
    plain_sides: tuple[str, ...]  # how that script writes "right" and "left" of a body part, if not as the text does
    joiners: tuple[str, ...]  # words between two sides: "left and right"


@cache
def word_lists(language: str) -> WordLists:
    """Return the lists of one language; raise ``ValueError`` for a language without lists."""
    if language not in _FILES:
        raise ValueError(
            f"this metric has no word lists for “{language}”; available: {', '.join(LANGUAGES_WITH_WORDS)}"
        )
    table = tomllib.loads(_FILES[language].read_text(encoding="utf-8"))
    return WordLists(
        rights=tuple(table["rights"]),
        lefts=tuple(table["lefts"]),
        more_rights=tuple(table.get("more_rights", ())),
        more_lefts=tuple(table.get("more_lefts", ())),
        object_words=tuple(table["object_words"]),
        body_part_groups={group: tuple(words) for group, words in table["body_part_groups"].items()},
        direction={name: tuple(words) for name, words in table["direction"].items()},
        direction_synonyms=tuple(tuple(group) for group in table["direction_synonyms"]),
        direction_rules=table["direction_rules"],
        plain_sides=tuple(table.get("plain_sides", ())),
        joiners=tuple(table["joiners"]),
    )


Phrase = tuple[str, ...]

_BREAKS = re.compile(rf"[\s{MARKS}॥\"“”()\[\]/\u200b]+")


def released_entries(text: str, entries: Iterable[str]) -> Iterator[str]:
    """Yield the entries that are substrings of the text, in order and once each, as the released scripts do.

    Object-match and body-part-match search like this. An entry need not be a separate word, so "can" is found in
    "candle". Once an entry of several words is found, its second word is no longer searched.
    """
    covered: set[str] = set()
    for entry in entries:
        if entry not in covered and entry in text:
            covered.update((entry, *entry.split()[1:2]))
            yield entry


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case without punctuation, as the intended metrics read them."""
    return [word for word in _BREAKS.split(text.lower()) if word]


def phrases_in(words: Sequence[str], phrases: Collection[Phrase]) -> Iterator[tuple[int, Phrase]]:
    """Yield the phrases in the words with the index of their first word; of overlapping phrases, the longest."""
    longest = max(map(len, phrases))
    i = 0
    while i < len(words):
        for end in range(i + longest, i, -1):
            phrase = tuple(words[i:end])
            if phrase in phrases:
                yield i, phrase
                i += len(phrase) - 1
                break
        i += 1


COUNTED_REFERENCES = 3


def with_first_references(
    predictions: Sequence[str], references: Sequence[Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each prediction and its first three references, all ``canonical``, which changes no released score.

    The released scripts read the first three references and divide by three. Here a score is divided by the number of
    references, which is the same if there are three. Raises ``ValueError`` for lengths that differ, and for an
    instance without references.
    """
    check_lengths(len(predictions), len(references))
    reference_counts(references)  # raises for an instance without references
    for prediction, texts in zip(predictions, references, strict=True):
        yield canonical(prediction), [canonical(text) for text in texts[:COUNTED_REFERENCES]]


def object_match(
    predictions: Sequence[str], references: Sequence[Sequence[str]], language: str, *, intended: bool = False
) -> Measurement:
    """Count the objects of n predictions that a reference names too; the mean over the references of each.

    The released script searches an entry anywhere in the prediction but requires a word between spaces in the
    reference. "sofa." therefore never matches, an entry of several words never scores, and "can" is found in
    "candle". With ``intended``, both texts are read alike: entries are whole words or sequences of words, the longest
    match wins, and case and following punctuation are ignored. Raises ``ValueError`` for a language without word
    lists, for lengths that differ and for an instance without references.
    """
    entries, phrases = word_lists(language).object_words, _phrases(language)
    return Measurement.mean(
        [
            (_intended(prediction, texts, phrases) if intended else _released(prediction, texts, entries)) / len(texts)
            for prediction, texts in with_first_references(predictions, references)
        ]
    )


def _released(prediction: str, references: Sequence[str], entries: Sequence[str]) -> int:
    words = [set(reference.split()) for reference in references]
    return sum(entry in word for entry in released_entries(prediction, entries) for word in words)


def _intended(prediction: str, references: Sequence[str], phrases: frozenset[Phrase]) -> int:
    objects = _objects(prediction, phrases)
    return sum(len(objects & _objects(reference, phrases)) for reference in references)


def _objects(text: str, phrases: frozenset[Phrase]) -> set[Phrase]:
    return {phrase for _, phrase in phrases_in(plain_words(text), phrases)}


@cache
def _phrases(language: str) -> frozenset[Phrase]:
    return frozenset(tuple(plain_words(entry)) for entry in word_lists(language).object_words)
