"""Body-part-match (section 7 of the paper): moving body parts that the prediction and each reference both name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.task.reference_words import with_first_references
from fmp_models.metrics.task.word_finding import Phrase, phrases_in, plain_words, released_entries
from fmp_models.metrics.task.word_lists import word_lists

_JOINERS = ("and", "or", "और", "या")  # "your left and right knees"


def body_part_match(
    predictions: Sequence[str],
    references: Sequence[Sequence[str]],
    moved: NDArray[np.bool_],
    language: str,
    *,
    intended: bool = False,
) -> Measurement:
    """Count words for moved body parts in n predictions that a reference has too; the mean over each one's references.

    ``moved`` (n, 22) marks the groups of ``moved_joints.GROUPS`` that move. The released script counts each word of
    their lists that occurs anywhere in both texts: "elbows" scores twice, as "elbow" and "elbows", and "knee" scores
    for the other knee. With ``intended``, a moved group counts once for each reference if both texts name it by a
    whole word of either side's list (which fixes gaps and typing errors of the lists). A word preceded by a side
    names the group of that side; a word without a side names both. Raises ``ValueError`` for a language without word
    lists, for lengths that differ and for an instance without references.
    """
    groups, parts = word_lists(language).body_part_groups, _parts(language)
    if moved.shape != (len(predictions), len(groups)):
        raise ValueError(f"moved groups must be {(len(predictions), len(groups))}, not {moved.shape}")
    scores = []
    for (prediction, texts), moves in zip(with_first_references(predictions, references), moved, strict=True):
        if intended:
            total = _intended(prediction, texts, set(compress(groups, moves)), parts)
        else:
            total = _released(prediction, texts, [word for group in compress(groups.values(), moves) for word in group])
        scores.append(total / len(texts))
    return Measurement.mean(scores)


def _released(prediction: str, references: Sequence[str], words: Sequence[str]) -> int:
    return sum(word in reference for word in released_entries(prediction, words) for reference in references)


def _intended(prediction: str, references: Sequence[str], moved: set[str], parts: _Parts) -> int:
    named_groups = moved & _named_groups(prediction, parts)
    return sum(len(named_groups & _named_groups(reference, parts)) for reference in references)


@dataclass(frozen=True)
class _Parts:
    """``sides`` (word -> "left" or "right"), and for each word of a body part, without a side, the groups it names."""

    sides: dict[str, str]
    groups: dict[Phrase, set[str]]


@cache
def _parts(language: str) -> _Parts:
    lists = word_lists(language)
    sides = dict.fromkeys(lists.lefts + lists.more_lefts, "left")
    sides |= dict.fromkeys(lists.rights + lists.more_rights, "right")
    groups: dict[Phrase, set[str]] = {}
    for group, words in lists.body_part_groups.items():
        part = group.removeprefix("left ").removeprefix("right ")
        of_both_sides = {part, f"left {part}", f"right {part}"} & lists.body_part_groups.keys()
        for word in words:
            phrase = tuple(plain_words(word))
            groups.setdefault(phrase[1:] if phrase[0] in sides else phrase, set()).update(of_both_sides)
    return _Parts(sides, groups)


def _named_groups(text: str, parts: _Parts) -> set[str]:
    words = plain_words(text)
    groups: set[str] = set()
    for start, phrase in phrases_in(words, parts.groups):
        sides = _sides_before(words, start, parts)
        other_sides = {"left", "right"} - sides if sides else set()
        groups.update(group for group in parts.groups[phrase] if group.split()[0] not in other_sides)
    return groups


def _sides_before(words: Sequence[str], start: int, parts: _Parts) -> set[str]:
    """Return the sides named right before a body part: one for "left knee", both for "left and right knees"."""
    before = words[max(start - 3, 0) : start]
    if len(before) == 3 and before[1] in _JOINERS and before[0] in parts.sides and before[2] in parts.sides:  # noqa: PLR2004  side, joiner, side
        return {parts.sides[before[0]], parts.sides[before[2]]}
    return {parts.sides[word] for word in before[-1:] if word in parts.sides}
