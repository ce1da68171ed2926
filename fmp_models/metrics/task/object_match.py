"""Object-match (section 7 of the paper): how many objects the prediction and each reference both name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.task.reference_words import with_first_references
from fmp_models.metrics.task.word_finding import Phrase, phrases_in, plain_words, released_entries
from fmp_models.metrics.task.word_lists import word_lists


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
