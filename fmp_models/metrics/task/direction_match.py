"""Direction-match (section 7 of the paper): whether body parts go the same way in the prediction and each reference."""

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

# More words than any rule looks past the end of a text, or before its beginning.
_SILENCE = [""] * 4


@dataclass(frozen=True)
class _Reading:
    """How a language is read: the mark that is deleted, the rules, and what they make of the entries of a list."""

    stop: str
    pairs: Callable[..., dict[str, str]]  # of words, by keyword whether as intended
    entries: Callable[[Iterable[str]], Iterable[str]]


_READINGS = {
    "en": _Reading(".", english_direction_pairs, iter),
    "hi": _Reading("।", hindi_direction_pairs, with_folded),
}


def direction_match(
    predictions: Sequence[str], references: Sequence[Sequence[str]], language: str, *, intended: bool = False
) -> Measurement:
    """Pairs (body part -> direction) of n predictions that a reference has too, a mean over the references of each.

    Two directions agree if they are the same or synonyms; the released script counts synonyms once for each list that
    holds both (all parts of the body but the middle ones have two, one a side), and with ``intended`` they count once.
    How ``intended`` reads a text is said in :func:`direction_pairs`. Raises ``ValueError`` for a language without word
    lists, for lengths that differ and for an instance without references.
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
    """Body part -> direction, as the released script reads a description; of two directions of a part, the later.

    Where the script fails because it looks past the end of the text, there are no pairs. With ``intended``, nothing
    stands before and after a text (the script takes the last words for those before the first, and loses directions
    at the end), words are read without case and marks, and a side right before a body part belongs to that part.
    Raises ``ValueError`` for a language without word lists.
    """
    reading = _reading(language)
    words = [*_SILENCE, *plain_words(text), *_SILENCE] if intended else text.replace(reading.stop, "").split()
    try:
        return reading.pairs(words, intended=intended)
    except IndexError:
        return {}


def _reading(language: str) -> _Reading:
    word_lists(language)  # refuses a language that has none
    return _READINGS[language]


@cache
def _synonyms(language: str) -> dict[str, list[frozenset[str]]]:
    """The groups that each value belongs to; those of directions, where it is a body part as well."""
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
    """How often two directions of a body part count: once if they are the same, else once for each shared group."""
    return 1 if value == reference else sum(reference in group for group in synonyms.get(value, ()))
