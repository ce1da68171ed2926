"""Direction-match (section 7 of the paper): body parts with the same direction in the prediction and each reference.

A text is read by word order, as the released script of its language reads it. The rules are the script's own, one
function for each of its steps. They do not check bounds. What happens past an end depends on the list of words: a
plain list counts from its end below 0 and raises ``IndexError`` above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fmp_models.languages import grammar
from fmp_models.metrics.measurement import Measurement
from fmp_models.metrics.word_lists import plain_words, with_first_references, word_lists

_ARTICLES = ("the", "your")
_VERB_DISTANCES = (2, 3, 4)  # distances before the body part at which a verb or direction is searched


@dataclass(frozen=True)
class _EnglishLists:
    """The word lists that the rules of the English script use, under the same names."""

    body_parts: frozenset[str]
    directions: frozenset[str]
    special_directions: frozenset[str]  # need a place: "towards the wall"
    colours: frozenset[str]
    movement_verbs: frozenset[str]
    implicit_verbs: frozenset[str]  # verbs that imply a direction: "raise"
    implicit_verbs_needing_direction: frozenset[str]
    sides: frozenset[str]


@cache
def _english_lists(language: str) -> _EnglishLists:
    words = word_lists(language)
    lists = {**words.direction, "sides": words.rights + words.lefts}
    return _EnglishLists(**{name: frozenset(entries) for name, entries in lists.items()})


def english_direction_pairs(words: Sequence[str], language: str, *, intended: bool = False) -> dict[str, str]:
    """Return body part -> direction, place or verb; of two directions of one body part, the later.

    The script takes "right" in "... to your right hand" for a direction. ``intended`` reads the place "right hand",
    and no direction if the body part is not a place; it needs four empty words after the text.
    """
    lists = _english_lists(language)
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


def _is_place(words: Sequence[str], i: int, lists: _EnglishLists) -> bool:
    """Return whether the body part is a target, "hand towards your knee", not what moves, as in "raise up your"."""
    return words[i - 1] in _ARTICLES and words[i - 2] in lists.directions and words[i - 3] not in lists.implicit_verbs


def _is_verb(words: Sequence[str], i: int) -> bool:
    return words[i] == "face" and i + 1 < len(words) and words[i + 1] == "your"


def _ahead(words: Sequence[str], i: int, lists: _EnglishLists, *, intended: bool) -> str:
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


def _is_side_of_part(words: Sequence[str], k: int, lists: _EnglishLists) -> bool:
    return words[k] in lists.sides and words[k + 1] in lists.body_parts


def _place_after(words: Sequence[str], j: int, lists: _EnglishLists, *, intended: bool) -> str:
    """Return what follows a word such as "towards"; that word itself is never a place."""
    following = words[j + 1] if j + 1 < len(words) else ""
    k = j + 2 if following in _ARTICLES else j + 1
    if intended and k < len(words) and _is_side_of_part(words, k, lists):
        return f"{words[k]} {words[k + 1]}"
    if following in _ARTICLES:
        return _place_at(words, k, lists)
    return following if following in lists.body_parts else ""


def _place_at(words: Sequence[str], k: int, lists: _EnglishLists) -> str:
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


def _direction_at(words: Sequence[str], j: int, lists: _EnglishLists) -> str:
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


def _second_place_at(words: Sequence[str], k: int, lists: _EnglishLists) -> str:
    """Return the place at k, as in "up towards the wall"; unlike for a first place sides count and verbs do not."""
    if k + 1 < len(words):
        if words[k] in lists.colours:
            return words[k + 1]
        if words[k] in lists.sides and words[k + 1] in lists.body_parts:
            return f"{words[k]} {words[k + 1]}"
    return words[k] if k < len(words) else ""


def _behind(words: Sequence[str], i: int, lists: _EnglishLists) -> str:
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


def _level_of(words: Sequence[str], j: int, lists: _EnglishLists) -> str:
    """Return whose level is meant: "chest to the level", or else the first "your chest" before the next verb."""
    if words[j - 2] in lists.body_parts:
        return words[j - 2]
    for m in range(j + 1, len(words)):
        if words[m] in lists.movement_verbs:
            break
        if words[m] == "your" and m + 1 < len(words) and words[m + 1] in lists.body_parts:
            return words[m + 1]
    return "level"


_FARTHEST = 4  # maximum distance after the body part at which a direction is searched


@dataclass(frozen=True)
class _HindiLists:
    """The word lists that the rules of the Hindi script use, under the same names, each with its folded entries.

    ``plain_right`` and ``plain_left`` are how the script writes the side of a body part.
    """

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
    plain_right: str
    plain_left: str


@cache
def _vowel_signs(language: str) -> frozenset[str]:
    # The script's list also has a sign of two characters, which can never be a last character.
    return frozenset(sign for sign in word_lists(language).direction["vowel_signs"] if len(sign) == 1)


@cache
def _hindi_lists(language: str) -> _HindiLists:
    words = word_lists(language)
    sides = {"rights": words.rights, "sides": words.rights + words.lefts}
    lists = {**words.direction, **sides, "objects": words.object_words}
    plain_right, plain_left = words.plain_sides
    del lists["vowel_signs"]
    folded = {name: frozenset(with_folded(entries, language)) for name, entries in lists.items()}
    # Postpositions are not folded in texts: "की" would then also match "का" and "के".
    folded["postpositions"] = frozenset(words.direction["postpositions"])
    return _HindiLists(**folded, plain_right=plain_right, plain_left=plain_left)


def with_folded(words: Iterable[str], language: str) -> list[str]:
    """Return the entries of a list and their folded forms, for comparison with folded texts."""
    entries = list(words)
    return entries + [folded for word in entries if (folded := _folded(word, language)) != word]


def _folded(word: str, language: str) -> str:
    return f"{word[:-1]}a" if word[-1:] in _vowel_signs(language) else word


def hindi_direction_pairs(words: Sequence[str], language: str, *, intended: bool = False) -> dict[str, str]:  # noqa: ARG001  the rules are the same
    """Return body part -> direction, place or body part, all folded; of two directions of one body part, the later.

    A final vowel sign is replaced by "a" in texts and lists, which merges some inflected forms of a word.
    """
    lists = _hindi_lists(language)
    words = [word if word in lists.postpositions else _folded(word, language) for word in words]
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


def _direction_after(words: Sequence[str], i: int, lists: _HindiLists) -> str:
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


def _after_postposition(words: Sequence[str], j: int, lists: _HindiLists) -> str:
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


def _after_possessive(words: Sequence[str], i: int, lists: _HindiLists) -> str:
    """Return the word after the possessive at i + 1, with its side if it is a body part."""
    if i + 3 < len(words) and words[i + 2] in lists.sides and words[i + 3] in lists.body_parts:
        return f"{words[i + 2]} {words[i + 3]}"
    return words[i + 2] if i + 2 < len(words) else ""


def _with_plain_side(phrase: str, lists: _HindiLists) -> str:
    side, _, part = phrase.partition(" ")
    if part and side in lists.sides:
        return f"{lists.plain_right if side in lists.rights else lists.plain_left} {part}"
    return phrase


# At least as many words as any rule reads past the end of a text or before its start.
_SILENCE = [""] * 4


@dataclass(frozen=True)
class _Reading:
    """The rules of a released script: its pair rules, and its expansion of the entries of a list."""

    pairs: Callable[..., dict[str, str]]  # from words and their language; the keyword selects the intended rules
    entries: Callable[[Iterable[str], str], Iterable[str]]


_READINGS = {
    "english": _Reading(english_direction_pairs, lambda entries, _: entries),
    "hindi": _Reading(hindi_direction_pairs, with_folded),
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
    pairs = _reading(language).pairs
    words = [*_SILENCE, *plain_words(text), *_SILENCE] if intended else text.replace(grammar(language).stop, "").split()
    try:
        return pairs(words, language, intended=intended)
    except IndexError:
        return {}


def _reading(language: str) -> _Reading:
    return _READINGS[word_lists(language).direction_rules]


@cache
def _synonyms(language: str) -> dict[str, list[frozenset[str]]]:
    """Return the groups of each value; for a direction that is also a body part, those of the direction."""
    lists, entries = word_lists(language), _reading(language).entries
    groups: dict[str, list[frozenset[str]]] = {}
    for values, synonyms in (
        (lists.direction["body_parts"], lists.body_part_groups.values()),
        (lists.direction["directions"], lists.direction_synonyms),
    ):
        sets = [frozenset(entries(group, language)) for group in synonyms]
        groups.update({value: [group for group in sets if value in group] for value in entries(values, language)})
    return groups


def _agreement(value: str, reference: str | None, synonyms: Mapping[str, Sequence[frozenset[str]]]) -> int:
    """Return how often two directions of a body part count: once if equal, else once for each shared group."""
    return 1 if value == reference else sum(reference in group for group in synonyms.get(value, ()))
