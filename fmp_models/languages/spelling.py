"""Spelling correction of the words that a reader needs: "strighten", "foward", "donw" -> the word that was meant.

Only a word that the language's data list under ``read.mended`` can be meant, and only by a word that is one slip from
exactly one of them: two neighbours exchanged, or one letter missing, too many or another. Short words are left alone,
since a slip makes another word of them, and so are the words of ``read.not_mended``.
"""

from __future__ import annotations

from functools import lru_cache

from fmp_models.languages.grammar import Grammar, grammar

_SHORTEST = 4  # letters of a word that may be a slip
_FIRST_MATTERS = 6  # letters below which the first one must be right


def corrected(word: str, words: Grammar) -> str:
    """The word that was meant, or the word itself; a polite form is read as the plain one."""
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
    """Whether one exchange of neighbours, or one letter more, less or other, makes one of the other."""
    if abs(len(word) - len(known)) > 1 or (word[0] != known[0] and len(known) < _FIRST_MATTERS):
        return False
    start = 0
    while start < min(len(word), len(known)) and word[start] == known[start]:
        start += 1
    left, right = word[start:], known[start:]
    if len(left) == len(right):
        return left[1:] == right[1:] or (left[:2] == right[1::-1] and left[2:] == right[2:])
    return left[1:] == right if len(left) > len(right) else left == right[1:]
