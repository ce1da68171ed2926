"""Scripts: the language of a text by its letters, canonical spelling, and transliteration of Latin letters.

``<code>/latin.toml`` lists the words that the reader needs with their usual Latin spellings, and verb stems with the
endings that all stems take. People who type "apna bayan haath" spell by ear, so long and short vowels, w and
v, and similar letters count as one.
"""

from __future__ import annotations

import itertools
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmp_models.languages.language_data import LANGUAGES, grammar

JOINER = "\u200d"

_ANYWHERE = "Latin"  # names and untranslated words occur in texts of every language

# Spaces of any width, and invisible characters that change no letter.
_SPACES = dict.fromkeys(map(ord, "\u00a0\u1680\u200b\u202f\u205f\u3000"), " ")
_SPACES |= dict.fromkeys(range(0x2000, 0x200B), " ")
_UNSEEN = dict.fromkeys([0xAD, 0x200C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
_KEEPING_JOINERS: dict[int, str | None] = {**_SPACES, **_UNSEEN}
_PLAIN = {**_KEEPING_JOINERS, ord(JOINER): None}


def canonical(text: str, *, joiners: bool = False) -> str:
    """Return the text in Unicode NFC, with plain spaces and without invisible characters.

    ``joiners`` keeps the zero-width joiner: the released tokeniser splits words there, in one text of val-seen.
    """
    return unicodedata.normalize("NFC", text.translate(_KEEPING_JOINERS if joiners else _PLAIN))


def language_of(text: str) -> str | None:
    """Return the language whose own script has at least half of the letters.

    Return ``None`` if no language does or the text has no letter.
    """
    if not any(letter.isalpha() for letter in text):
        return None
    likeliest = max(LANGUAGES, key=lambda language: share_in_script(text, language))
    return likeliest if share_in_script(text, likeliest) >= 1 / 2 else None


def share_in_script(text: str, language: str) -> float:
    """Return the share of letters in the language's own script, 0 to 1; 1 for a text without letters."""
    return _share(text, (grammar(language).script,))


def is_foreign(text: str, language: str) -> bool:
    """Return whether most letters are neither in the language's script nor Latin."""
    return _share(text, (grammar(language).script, _ANYWHERE)) < 1 / 2


def _share(text: str, scripts: tuple[str, ...]) -> float:
    letters = {letter: times for letter, times in Counter(text).items() if letter.isalpha()}
    names = tuple(script.upper() for script in scripts)
    in_scripts = sum(times for letter, times in letters.items() if unicodedata.name(letter, "").startswith(names))
    total = sum(letters.values())
    return in_scripts / total if total else 1.0


_HERE = Path(__file__).parent
_WORD = re.compile(r"[A-Za-z]+")
# Minimum of known words: one alone may be a name or a typo. One is enough if every other word may be the language too.
_MIN_WORDS = 2
# Spelling variants and the one spelling that replaces them.
_FOLDED = tuple(
    (re.compile(several), letters)
    for several, letters in (
        ("aa+", "a"), ("ee+|ii+", "i"), ("oo+|uu+", "u"), ("w", "v"), ("ph", "f"), ("z", "j"), ("q", "k"),
        ("chh", "ch"), ("([a-z])\\1+", "\\1"),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Spellings:
    """A language's words by folded spelling; ``borrowed`` and ``also_english`` words do not identify the language."""

    words: Mapping[str, str]
    borrowed: Mapping[str, str]
    also_english: frozenset[str]

    def in_own_script(self, text: str, least: int = _MIN_WORDS) -> str | None:
        """Return the text with every known word in the language's script.

        Return None if fewer than half of the words, or fewer than ``least``, are known words of the language.
        """
        typed = _WORD.findall(text)
        known = [folded(word) in self.words for word in typed if word.lower() not in self.also_english]
        known_count = sum(known)
        whole = known_count > 0 and all(folded(word) in self.words for word in typed)
        if (len(typed) if whole else known_count) < max(least, len(known) - known_count):
            return None
        return _WORD.sub(lambda word: self._in_script(word[0]), text)

    def for_scripts(self) -> dict[str, object]:
        """Return the word lists and folding rules for the page's JavaScript.

        The page detects the language before it sends anything.
        """
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
    """Return one spelling for all spellings that sound alike."""
    key = word.lower()
    for several, letters in _FOLDED:
        key = several.sub(letters, key)
    return key


def transliterated(text: str) -> tuple[str, str] | None:
    """Return the language of a non-English text in Latin letters, and the text in its script; None for other texts."""
    for code in LANGUAGES:
        spellings = spellings_of(code)
        written = None if spellings is None else spellings.in_own_script(text)
        if written is not None:
            return code, written
    return None


@cache
def spellings_of(code: str) -> Spellings | None:
    """Return the Latin spellings of a language; None if the language has no ``latin.toml``."""
    path = _HERE / code / "latin.toml"
    if not path.is_file():
        return None
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    words, borrowed = (
        {folded(spelling): word for word, spellings in data[table].items() for spelling in spellings}
        for table in ("words", "borrowed")
    )
    for stem, spellings in data["stems"].items():
        endings = data["endings"]["after_vowel" if stem[-1] in data["vowels"] else "after_consonant"]
        for (ending, ends), spelling in itertools.product(endings.items(), spellings):
            for end in ends:
                words.setdefault(folded(spelling + end), stem + ending)  # listed words take precedence
    english = itertools.chain(data["also_english"], *data["borrowed"].values())
    return Spellings(words, borrowed, frozenset(english))
