"""Scripts: detection of the language of a text by its letters, and canonical spelling."""

from __future__ import annotations

import unicodedata
from collections import Counter

from fmp_models.languages.grammar import LANGUAGES, grammar

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
