"""Scripts of writing: in which one a text is, and one spelling for texts that are written alike."""

from __future__ import annotations

import unicodedata
from collections import Counter

from fmp_models.languages.grammar import LANGUAGES, grammar

JOINER = "\u200d"

_ANYWHERE = "Latin"  # names and words left untranslated stand in texts of every language

# Spaces of any width; and characters that change no letter and are not seen.
_SPACES = dict.fromkeys(map(ord, "\u00a0\u1680\u200b\u202f\u205f\u3000"), " ")
_SPACES |= dict.fromkeys(range(0x2000, 0x200B), " ")
_UNSEEN = dict.fromkeys([0xAD, 0x200C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
_KEEPING_JOINERS: dict[int, str | None] = {**_SPACES, **_UNSEEN}
_PLAIN = {**_KEEPING_JOINERS, ord(JOINER): None}


def canonical(text: str, *, joiners: bool = False) -> str:
    """Return one spelling of all texts that are canonically equal (NFC), with plain spaces and without unseen marks.

    ``joiners`` keeps the zero-width joiner: the released tokeniser cuts words there, in one text of val-seen.
    """
    return unicodedata.normalize("NFC", text.translate(_KEEPING_JOINERS if joiners else _PLAIN))


def language_of(text: str) -> str | None:
    """The language in whose own script at least half of the letters are; ``None`` where there is none, or no letter."""
    if not any(letter.isalpha() for letter in text):
        return None
    likeliest = max(LANGUAGES, key=lambda language: share_in_script(text, language))
    return likeliest if share_in_script(text, likeliest) >= 1 / 2 else None


def share_in_script(text: str, language: str) -> float:
    """The share of letters written in the language's own script, from 0 to 1; 1 where there is no letter."""
    return _share(text, (grammar(language).script,))


def is_foreign(text: str, language: str) -> bool:
    """Whether most letters are neither of the language's script nor Latin."""
    return _share(text, (grammar(language).script, _ANYWHERE)) < 1 / 2


def _share(text: str, scripts: tuple[str, ...]) -> float:
    letters = {letter: times for letter, times in Counter(text).items() if letter.isalpha()}
    names = tuple(script.upper() for script in scripts)
    in_scripts = sum(times for letter, times in letters.items() if unicodedata.name(letter, "").startswith(names))
    total = sum(letters.values())
    return in_scripts / total if total else 1.0
