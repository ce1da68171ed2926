"""Transliteration: a text of a language that is typed in Latin letters -> the same in the language's own script.

``<code>/latin.toml`` lists the words that a reader needs, each with the spellings that people use, and the stems of
verbs with the endings that all of them take. People who type "apna bayan haath" spell by ear, so long and short vowels,
w and v and the like count as one letter.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmp_models.languages.grammar import LANGUAGES

_HERE = Path(__file__).parent
_WORD = re.compile(r"[A-Za-z]+")
# Words that must be known: one alone may be a name, or a slip. It is enough beside words that may be the language too.
_MIN_WORDS = 2
_VOWELS = "ाआु"  # at the end of a stem
# What is spelt in several ways, and the one that stands for all.
_FOLDED = tuple(
    (re.compile(several), letters)
    for several, letters in (
        ("aa+", "a"), ("ee+|ii+", "i"), ("oo+|uu+", "u"), ("w", "v"), ("ph", "f"), ("z", "j"), ("q", "k"),
        ("chh", "ch"), ("([a-z])\\1+", "\\1"),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Spellings:
    """Words of a language by their folded spelling; of ``borrowed`` and ``also_english`` ones none shows it."""

    words: Mapping[str, str]
    borrowed: Mapping[str, str]
    also_english: frozenset[str]

    def in_own_script(self, text: str) -> str | None:
        """The text with every known word in the language's script; None where at least half is not the language."""
        typed = _WORD.findall(text)
        known = [folded(word) in self.words for word in typed if word.lower() not in self.also_english]
        known_count = sum(known)
        whole = known_count > 0 and all(folded(word) in self.words for word in typed)
        if (len(typed) if whole else known_count) < max(_MIN_WORDS, len(known) - known_count):
            return None
        return _WORD.sub(lambda word: self._in_script(word[0]), text)

    def for_scripts(self) -> dict[str, object]:
        """The same for a page's script, which tells the language before anything is sent: words, and how one folds."""
        folds = [[several.pattern, letters.replace("\\1", "$1")] for several, letters in _FOLDED]
        return {
            "words": sorted(self.words),
            "also_english": sorted(self.also_english),
            "folds": folds,
            "least": _MIN_WORDS,
        }

    def _in_script(self, word: str) -> str:
        key = folded(word)
        return self.words.get(key) or self.borrowed.get(key) or word


def folded(word: str) -> str:
    """One spelling for all that sound alike."""
    key = word.lower()
    for several, letters in _FOLDED:
        key = several.sub(letters, key)
    return key


def transliterated(text: str) -> tuple[str, str] | None:
    """The language of a text in Latin letters that is not English, and the text in its script; else None."""
    for code in LANGUAGES:
        spellings = spellings_of(code)
        written = None if spellings is None else spellings.in_own_script(text)
        if written is not None:
            return code, written
    return None


@cache
def spellings_of(code: str) -> Spellings | None:
    """What a language is spelt like in Latin letters; None where nobody types it so."""
    path = _HERE / code / "latin.toml"
    if not path.is_file():
        return None
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    words, borrowed = (
        {folded(spelling): word for word, spellings in data[table].items() for spelling in spellings}
        for table in ("words", "borrowed")
    )
    for stem, spellings in data["stems"].items():
        endings = data["endings"]["after_vowel" if stem[-1] in _VOWELS else "after_consonant"]
        for (ending, ends), spelling in itertools.product(endings.items(), spellings):
            for end in ends:
                words.setdefault(folded(spelling + end), stem + ending)  # a word that is listed is no form of a verb
    english = itertools.chain(data["also_english"], *data["borrowed"].values())
    return Spellings(words, borrowed, frozenset(english))
