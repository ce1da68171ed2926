"""Direction-match (section 7 of the paper): body parts with the same direction in the prediction and each reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.task.english_directions import english_direction_pairs
from fmp_models.metrics.task.hindi_directions import hindi_direction_pairs, with_folded
from fmp_models.metrics.task.reference_words import with_first_references
from fmp_models.metrics.task.word_finding import plain_words
from fmp_models.metrics.task.word_lists import word_lists

# At least as many words as any rule reads past the end of a text or before its start.
_SILENCE = [""] * 4


@dataclass(frozen=True)
class _Reading:
    """The rules of a language: the mark that is deleted, the pair rules, and the expansion of a list's entries."""

    stop: str
    pairs: Callable[..., dict[str, str]]  # from words; the keyword selects the intended rules
    entries: Callable[[Iterable[str]], Iterable[str]]


_READINGS = {
    "en": _Reading(".", english_direction_pairs, iter),
    "hi": _Reading("।", hindi_direction_pairs, with_folded),
}


def direction_match(
    predictions: Sequence[str], references: Sequence[Sequence[str]], language: str, *, intended: bool = False
) -> Measurement:
    """Count pairs (body part -> direction) of n predictions that a reference has too; the mean over its references.

    Two directions agree if they are equal or synonyms. The released script counts synonyms once for each list that
    contains both (all body parts except the middle ones have two lists, one per side); with ``intended`` they count
    once. :func:`direction_pairs` describes how ``intended`` reads a text. Raises ``ValueError`` for a language
    without word lists, for lengths that differ and for an instance without references.
    """
    synonyms = _synonyms(language)
    scores = []
    for prediction, texts in with_first_references(predictions, references):
        pairs = direction_pairs(prediction, language, intended=intended)
        reference_pairs = [direction_pairs(text, language, intended=intended) for text in texts]
        agreed = [
            _agreement(value, directions.get(part), synonyms)
            for part, value in pairs.items()
            for directions in reference_pairs
        ]
        scores.append(sum(min(count, 1) if intended else count for count in agreed) / len(texts))
    return Measurement.mean(scores)


def direction_pairs(text: str, language: str, *, intended: bool = False) -> dict[str, str]:
    """Return body part -> direction, as the released script reads a description; of two directions, the later.

    Where the script fails because it reads past the end of the text, there are no pairs. With ``intended``, texts
    have empty words before and after (the script takes the last words for those before the first, and loses
    directions at the end), words are compared without case and punctuation, and a side right before a body part
    belongs to that part. Raises ``ValueError`` for a language without word lists.
    """
    reading = _reading(language)
    words = [*_SILENCE, *plain_words(text), *_SILENCE] if intended else text.replace(reading.stop, "").split()
    try:
        return reading.pairs(words, intended=intended)
    except IndexError:
        return {}


def _reading(language: str) -> _Reading:
    word_lists(language)  # raises for a language without word lists
    return _READINGS[language]


@cache
def _synonyms(language: str) -> dict[str, list[frozenset[str]]]:
    """Return the groups of each value; for a direction that is also a body part, those of the direction."""
    lists, entries = word_lists(language), _reading(language).entries
    groups: dict[str, list[frozenset[str]]] = {}
    for values, synonyms in (
        (lists.direction["body_parts"], lists.body_part_groups.values()),
        (lists.direction["directions"], lists.direction_synonyms),
    ):
        sets = [frozenset(entries(group)) for group in synonyms]
        groups.update({value: [group for group in sets if value in group] for value in entries(values)})
    return groups


def _agreement(value: str, reference: str | None, synonyms: Mapping[str, Sequence[frozenset[str]]]) -> int:
    """Return how often two directions of a body part count: once if equal, else once for each shared group."""
    return 1 if value == reference else sum(reference in group for group in synonyms.get(value, ()))
