"""Intended words: misspellings that the reader corrects, and synonyms for which the project has one canonical term.

The reader takes "strighten", "foward" and "donw" for the intended word. A word is corrected only to a word listed
under ``read.mended`` in the language's data, and only if exactly one such word is one edit away: two neighbouring
letters exchanged, or one letter missing, added or changed. Short words are never corrected, since one edit often gives
another valid word; nor are the words of ``read.not_mended``.

``<code>/house.toml`` lists the synonyms of a language with their canonical terms. A language without this file has no
synonyms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from fmp_models.languages.language_data import MARKS, Grammar, grammar, normalised

_SHORTEST = 4  # minimum letters of a word that may be corrected
_FIRST_MATTERS = 6  # with fewer letters than this, the first letter must match


def corrected(word: str, words: Grammar) -> str:
    """Return the intended word, or the word itself; a polite form becomes the plain form."""
    for polite, plain in words.polite:
        if polite.fullmatch(word):
            return polite.sub(plain, word)
    if len(word) < _SHORTEST or word in words.mended or word in words.not_mended:
        return word
    return _intended_word(word, words.code)


@lru_cache(maxsize=20_000)
def _intended_word(word: str, code: str) -> str:
    near = [known for known in grammar(code).mended if _one_slip(word, known)]
    return near[0] if len(near) == 1 else word


def _one_slip(word: str, known: str) -> bool:
    """Return whether the words differ by one exchange of neighbours or one missing, added or changed letter."""
    if abs(len(word) - len(known)) > 1 or (word[0] != known[0] and len(known) < _FIRST_MATTERS):
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    left, right = word[start:], known[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])
    return left[1:] == right if len(left) > len(right) else left == right[1:]


_HERE = Path(__file__).parent
_MARKS = f"{MARKS}\"'“”‘’()"


def with_canonical_terms(word: str, language: str) -> list[str]:
    """Return the canonical words for one word of a text, or the word itself; punctuation attached to the word stays.

    Raise :class:`BadInputError` (``unknown_language``).
    """
    bare = word.strip(_MARKS)
    term = _names(language).get(normalised(bare)) if bare else None
    if term is None:
        return [word]
    before, _, after = word.partition(bare)
    return f"{before}{term}{after}".split()


@cache
def _names(language: str) -> Mapping[str, str]:
    path = _HERE / grammar(language).code / "house.toml"
    words = tomllib.loads(path.read_text(encoding="utf-8"))["words"] if path.is_file() else {}
    return {normalised(word): term for word, term in words.items()}
