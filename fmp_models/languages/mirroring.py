"""Words exchanged in texts: mirrored texts, with left and right swapped in all their forms, and other opposites.

``<code>/mirror.toml`` holds the sides of a language, and ``<code>/opposites.toml`` its other opposites. A mirrored text
describes the mirrored pair of pictures.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.geometry import agrees
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_clauses
from fmp_models.pose import JOINTS, Pose, PosePair

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class _Mirror:
    """The mirroring rules of one language.

    ``words`` matches every word that may change; ``swaps`` maps a word to its opposites with their conditions.
    """

    words: re.Pattern[str]
    swaps: dict[str, list[tuple[str, re.Pattern[str]]]]
    unmirrored: re.Pattern[str] | None


def mirrored_text(text: str, language: str) -> str | None:
    """Return the text for the mirrored pair, or ``None`` if it cannot be mirrored by words ("at three o'clock").

    Capitals and spaces are kept. Raise :class:`BadInputError` (``unknown_language``).
    """
    mirror = _mirror(language)
    if mirror.unmirrored is not None and mirror.unmirrored.search(text):
        return None

    return mirror.words.sub(lambda match: _mirrored_word(match, mirror), text)


def _mirrored_word(match: re.Match[str], mirror: _Mirror) -> str:
    """Return the opposite of a matched side; unchanged if it is no side, as "right" in "right angle"."""
    word = match["side"]
    text_after = match.string[match.end() :].lstrip()
    opposites = mirror.swaps[word.lower()] if word else []
    opposite = next((other for other, before in opposites if before.match(text_after)), match[0])
    return cased(opposite, match[0])


def cased(word: str, like: str) -> str:
    """Return words with the capitals of others: of the first letter, or of all."""
    if len(like) > 1 and like.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


Exchange = Literal["side", "vertical", "sagittal", "lateral", "bend", "part", "landmark"]
Swap = tuple[int, int, str]  # first character of a text, one past the last, and the words that can stand there


def word_swaps(text: str, language: str, kind: Exchange) -> list[Swap]:
    """Return the words of a text that have opposites of one kind, once with each opposite.

    Raise :class:`BadInputError` (``unknown_language``).
    """
    if kind == "side":
        mirror = _mirror(language)
        sides = ((match, _mirrored_word(match, mirror)) for match in mirror.words.finditer(text))
        return [(*match.span(), word) for match, word in sides if word != match[0]]
    pattern, opposites = _opposites(language)[kind]
    return [
        (*match.span(), cased(word, match[0]))
        for match in pattern.finditer(text)
        for word in opposites[_one_spelling(match[0])]
    ]


def in_form_of(phrase: str, like: str, language: str) -> str:
    """Return a phrase with its verb in the form of the words that it replaces: "raising your arm" for "bending it"."""
    for entry in _opposite_words(language)["forms"]:
        if re.search(entry["like"], like):
            forms = ((re.sub(verb, form, phrase, count=1), verb) for verb, form in entry["forms"])
            return next((formed for formed, verb in forms if re.search(verb, phrase)), phrase)
    return phrase


@cache
def _opposites(language: str) -> dict[str, tuple[re.Pattern[str], dict[str, list[str]]]]:
    """Return, by kind, the pattern of all words of a kind and the opposites of each word."""
    data = {kind: lists for kind, lists in _opposite_words(language).items() if kind != "forms"}
    found: dict[str, tuple[re.Pattern[str], dict[str, list[str]]]] = {}
    for kind, lists in data.items():
        first = {word: alike for alike in reversed(lists) for word in alike}
        spellings = sorted(map(_any_spelling, first), key=len, reverse=True)
        opposites = {_one_spelling(word): [one for one in alike if one != word] for word, alike in first.items()}
        found[kind] = (_pattern(spellings), opposites)
    return found


@cache
def _opposite_words(language: str) -> dict[str, Any]:
    grammar(language)  # raises for an unknown language
    return tomllib.loads((_HERE / language / "opposites.toml").read_text(encoding="utf-8"))


# Spellings of Devanagari that people mix: a letter with its dot in one or two signs, and both nasal signs.
_SPELLINGS = (
    ("\u0921\u093c", "\u095c"),
    ("\u0922\u093c", "\u095d"),
    ("\u092b\u093c", "\u095e"),
    ("\u091c\u093c", "\u095b"),
    ("\u0902", "\u0901"),
)


def _any_spelling(word: str) -> str:
    for signs in _SPELLINGS:
        word = word.replace(signs[0], f"(?:{'|'.join(signs)})")
    return word


def _one_spelling(word: str) -> str:
    for sign, other in _SPELLINGS:
        word = word.replace(other, sign)
    return word.lower()


def text_turned_false(text: str, language: str, joints: tuple[ArrayLike, ArrayLike]) -> str | None:
    """Return the text with left and right swapped, or ``None`` unless that makes most clauses of a true text false.

    ``joints`` are those of the current and the target pose, each (20, 3) in metres.
    """
    turned = mirrored_text(text, language)
    if turned is None or turned == text:
        return None
    current, target = (Pose(np.asarray(points), np.ones(len(JOINTS)), placed=True) for points in joints)
    pair, words = PosePair(current, target), grammar(language)
    true, false = ([agrees(read.goal, pair) for read in read_clauses(either, words)] for either in (text, turned))
    return turned if True in true and False not in true and false.count(False) > false.count(True) else None


@cache
def _mirror(language: str) -> _Mirror:
    grammar(language)  # raises for an unknown language
    data = tomllib.loads((_HERE / language / "mirror.toml").read_text(encoding="utf-8"))
    swaps: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for swap in data["swaps"]:
        before = re.compile(swap.get("before", ""))
        for word, opposite in ((swap["left"], swap["right"]), (swap["right"], swap["left"])):
            swaps.setdefault(word, []).append((opposite, before))
    sides = "|".join(re.escape(word) for word in sorted(swaps, key=len, reverse=True))
    unmirrored = data["unmirrored"]
    return _Mirror(
        # Python's \b treats vowel signs as non-letters and would cut Hindi words, so word boundaries are spelt out.
        words=_pattern([*data["no_sides"], f"(?P<side>{sides})"]),
        swaps=swaps,
        unmirrored=re.compile("|".join(unmirrored), re.IGNORECASE) if unmirrored else None,
    )


def _pattern(expressions: Sequence[str]) -> re.Pattern[str]:
    sign = r"\w\u0900-\u0963"
    return re.compile(f"(?<![{sign}])(?:{'|'.join(expressions)})(?![{sign}])", re.IGNORECASE)
