"""Directions of body parts in an English description, by word order, as the released script reads them.

The rules are the script's own, one function for each of its steps. They do not check bounds. What happens past an end
depends on the list of words: a plain list counts from its end below 0 and raises ``IndexError`` above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from fmp_models.metrics.task.word_lists import word_lists

_ARTICLES = ("the", "your")
_VERB_DISTANCES = (2, 3, 4)  # distances before the body part at which a verb or direction is searched


@dataclass(frozen=True)
class _Lists:
    """The lists of ``words_en.toml`` that the rules use, under the same names."""

    body_parts: frozenset[str]
    directions: frozenset[str]
    special_directions: frozenset[str]  # need a place: "towards the wall"
    colours: frozenset[str]
    movement_verbs: frozenset[str]
    implicit_verbs: frozenset[str]  # verbs that imply a direction: "raise"
    implicit_verbs_needing_direction: frozenset[str]
    sides: frozenset[str]


@cache
def _lists() -> _Lists:
    words = word_lists("en")
    lists = {**words.direction, "sides": words.rights + words.lefts}
    return _Lists(**{name: frozenset(entries) for name, entries in lists.items()})


def english_direction_pairs(words: Sequence[str], *, intended: bool = False) -> dict[str, str]:
    """Return body part -> direction, place or verb; of two directions of one body part, the later.

    The script takes "right" in "... to your right hand" for a direction. ``intended`` reads the place "right hand",
    and no direction if the body part is not a place; it needs four empty words after the text.
    """
    lists = _lists()
    pairs: dict[str, str] = {}
    for i, word in enumerate(words):
        if word not in lists.body_parts or _is_place(words, i, lists) or _is_verb(words, i):
            continue
        value = _ahead(words, i, lists, intended=intended)
        if not value and i >= 1:
            value = _behind(words, i, lists)
        if value:
            # For the first word, index -1 gives the last word, as in the released script.
            pairs[f"{words[i - 1]} {word}" if words[i - 1] in lists.sides else word] = value
    return pairs


def _is_place(words: Sequence[str], i: int, lists: _Lists) -> bool:
    """Return whether the body part is a target, "hand towards your knee", not what moves, as in "raise up your"."""
    return words[i - 1] in _ARTICLES and words[i - 2] in lists.directions and words[i - 3] not in lists.implicit_verbs


def _is_verb(words: Sequence[str], i: int) -> bool:
    return words[i] == "face" and i + 1 < len(words) and words[i + 1] == "your"


def _ahead(words: Sequence[str], i: int, lists: _Lists, *, intended: bool) -> str:
    """Return the first direction after the body part and before the next verb; empty if there is none."""
    for j in range(i + 1, len(words)):
        value = ""
        if words[j] in lists.special_directions:
            value = _place_after(words, j, lists, intended=intended)
        elif intended and _is_side_of_part(words, j, lists):
            continue
        elif words[j] in lists.directions:
            value = _direction_at(words, j, lists)
        elif words[j] in lists.movement_verbs:
            return ""
        if value:
            return _level_of(words, j, lists) if value == "level" else value
    return ""


def _is_side_of_part(words: Sequence[str], k: int, lists: _Lists) -> bool:
    return words[k] in lists.sides and words[k + 1] in lists.body_parts


def _place_after(words: Sequence[str], j: int, lists: _Lists, *, intended: bool) -> str:
    """Return what follows a word such as "towards"; that word itself is never a place."""
    following = words[j + 1] if j + 1 < len(words) else ""
    k = j + 2 if following in _ARTICLES else j + 1
    if intended and k < len(words) and _is_side_of_part(words, k, lists):
        return f"{words[k]} {words[k + 1]}"
    if following in _ARTICLES:
        return _place_at(words, k, lists)
    return following if following in lists.body_parts else ""


def _place_at(words: Sequence[str], k: int, lists: _Lists) -> str:
    """Return the word at k, after an article, or the word after a colour or a verb, as in "to the raise hand"."""
    if k + 1 >= len(words):
        return words[k] if k < len(words) else ""
    if words[k] in lists.colours:
        return words[k + 1]
    if words[k] in lists.implicit_verbs:
        if words[k + 1] in lists.body_parts:
            return words[k + 1]
        if words[k + 1] in lists.sides and words[k + 2] in lists.body_parts:
            return f"{words[k + 1]} {words[k + 2]}"
    return words[k]


def _direction_at(words: Sequence[str], j: int, lists: _Lists) -> str:
    """Return the plain direction at j.

    Near the end of a text a side counts only after "the", and for other words the place that follows is returned.
    """
    end = len(words)
    following = words[j + 1] if j + 1 < end else ""
    if j + 3 < end and following not in lists.special_directions:
        return words[j]
    if words[j] in lists.sides:
        return words[j] if words[j - 1] == "the" and following not in lists.body_parts else ""
    if following not in lists.special_directions:
        return words[j]
    if j + 2 == end or words[j + 2] not in _ARTICLES:
        return ""
    return _second_place_at(words, j + 3, lists)


def _second_place_at(words: Sequence[str], k: int, lists: _Lists) -> str:
    """Return the place at k, as in "up towards the wall"; unlike for a first place sides count and verbs do not."""
    if k + 1 < len(words):
        if words[k] in lists.colours:
            return words[k + 1]
        if words[k] in lists.sides and words[k + 1] in lists.body_parts:
            return f"{words[k]} {words[k + 1]}"
    return words[k] if k < len(words) else ""


def _behind(words: Sequence[str], i: int, lists: _Lists) -> str:
    """Return the verb before the body part that implies a direction, or the direction after it: "raise up your arm"."""
    first = i - 1 if words[i - 1] in lists.sides else i
    if words[first - 1] not in _ARTICLES:
        return ""
    for distance in _VERB_DISTANCES:
        s = first - distance
        if s < 0:
            break
        if s >= 1 and words[s] in lists.directions and words[s - 1] in lists.implicit_verbs:
            return words[s]
        if words[s] in lists.implicit_verbs and words[s] not in lists.implicit_verbs_needing_direction:
            return words[s]
    return ""


def _level_of(words: Sequence[str], j: int, lists: _Lists) -> str:
    """Return whose level is meant: "chest to the level", or else the first "your chest" before the next verb."""
    if words[j - 2] in lists.body_parts:
        return words[j - 2]
    for m in range(j + 1, len(words)):
        if words[m] in lists.movement_verbs:
            break
        if words[m] == "your" and m + 1 < len(words) and words[m + 1] in lists.body_parts:
            return words[m + 1]
    return "level"
