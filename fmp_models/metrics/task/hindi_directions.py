"""Directions of body parts in a Hindi description, by word order, as the released script reads them.

The rules are the script's own. They do not check bounds: a plain list of words raises ``IndexError`` past its end. A
final vowel sign is replaced by "a" in texts and lists, which merges some inflected forms of a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from fmp_models.metrics.task.word_lists import word_lists

_FARTHEST = 4  # maximum distance after the body part at which a direction is searched
_RIGHT, _LEFT = "दाहिन", "बाए"  # how the script writes the side of a body part


@dataclass(frozen=True)
class _Lists:
    """The lists of ``words_hi.toml`` that the rules use, under the same names, each with its folded entries."""

    body_parts: frozenset[str]
    rights: frozenset[str]
    directions: frozenset[str]
    colours: frozenset[str]
    movement_verbs: frozenset[str]
    possessives: frozenset[str]
    implicit_directions: frozenset[str]
    modifiers: frozenset[str]
    postpositions: frozenset[str]
    objects: frozenset[str]
    sides: frozenset[str]


@cache
def _vowel_signs() -> frozenset[str]:
    # The script's list also has a sign of two characters, which can never be a last character.
    return frozenset(sign for sign in word_lists("hi").direction["vowel_signs"] if len(sign) == 1)


@cache
def _lists() -> _Lists:
    words = word_lists("hi")
    sides = {"rights": words.rights, "sides": words.rights + words.lefts}
    lists = {**words.direction, **sides, "objects": words.object_words}
    del lists["vowel_signs"]
    folded = {name: frozenset(with_folded(entries)) for name, entries in lists.items()}
    # Postpositions are not folded in texts: "की" would then also match "का" and "के".
    return _Lists(**{**folded, "postpositions": frozenset(words.direction["postpositions"])})


def with_folded(words: Iterable[str]) -> list[str]:
    """Return the entries of a list and their folded forms, for comparison with folded texts."""
    entries = list(words)
    return entries + [_folded(word) for word in entries if _folded(word) != word]


def _folded(word: str) -> str:
    return f"{word[:-1]}a" if word[-1:] in _vowel_signs() else word


def hindi_direction_pairs(words: Sequence[str], *, intended: bool = False) -> dict[str, str]:  # noqa: ARG001  the rules are the same
    """Return body part -> direction, place or body part, all folded; of two directions of one body part, the later."""
    lists = _lists()
    words = [word if word in lists.postpositions else _folded(word) for word in words]
    pairs: dict[str, str] = {}
    for i, word in enumerate(words):
        if word not in lists.body_parts:
            continue
        value = _direction_after(words, i, lists)
        if value:
            # For the first word, index -1 gives the last word, as in the released script.
            key = f"{words[i - 1]} {word}" if words[i - 1] in lists.sides else word
            pairs[_with_plain_side(key, lists)] = _with_plain_side(value, lists)
    return pairs


def _direction_after(words: Sequence[str], i: int, lists: _Lists) -> str:
    for j in range(i + 1, len(words) - 1):
        value = ""
        if words[j] in lists.postpositions:
            value = _after_postposition(words, j, lists)
        elif words[i + 1] in lists.implicit_directions or words[i + 1] in lists.objects:
            value = words[i + 1]
        elif words[i + 1] in lists.possessives:
            # Without a postposition, the last word of a text is not a place.
            value = _after_possessive(words, i, lists) if i + 3 < len(words) else ""
        elif words[j] in lists.movement_verbs or j > i + _FARTHEST:
            return ""
        if value:
            return value
    return ""


def _after_postposition(words: Sequence[str], j: int, lists: _Lists) -> str:
    following = words[j + 1]
    value = ""
    if following in lists.modifiers:
        if words[j + 2] in lists.directions:
            value = words[j + 2]
        elif words[j + 2].isnumeric():
            value = words[j + 3] if words[j + 3] in lists.directions else ""
            if not value and words[j + 4] in lists.directions:
                value = words[j + 4]
    # A word in several lists is added once for each.
    if following in lists.directions:
        sided = following in lists.sides and words[j + 2] in lists.body_parts
        value += f"{following} {words[j + 2]}" if sided else following
    if following in lists.possessives:
        value += _after_possessive(words, j, lists)
    if following in lists.colours:
        value += words[j + 2]
    if following in lists.objects or following in lists.body_parts:
        value += following
    return value


def _after_possessive(words: Sequence[str], i: int, lists: _Lists) -> str:
    """Return the word after the possessive at i + 1, with its side if it is a body part."""
    if i + 3 < len(words) and words[i + 2] in lists.sides and words[i + 3] in lists.body_parts:
        return f"{words[i + 2]} {words[i + 3]}"
    return words[i + 2] if i + 2 < len(words) else ""


def _with_plain_side(phrase: str, lists: _Lists) -> str:
    side, _, part = phrase.partition(" ")
    if part and side in lists.sides:
        return f"{_RIGHT if side in lists.rights else _LEFT} {part}"
    return phrase
