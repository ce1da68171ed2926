"""Spelling correction for words that the reader needs: "strighten", "foward", "donw" -> the intended word.

A word is corrected only to a word listed under ``read.mended`` in the language's data, and only if exactly one
such word is one edit away: two neighbouring letters exchanged, or one letter missing, added or changed. Short
words are never corrected, since one edit often gives another valid word; nor are the words of
``read.not_mended``.
"""

from __future__ import annotations

from functools import lru_cache

from fmp_models.languages.grammar import Grammar, grammar

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
