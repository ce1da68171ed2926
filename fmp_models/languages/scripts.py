"""Scripts of writing: in which one a text is, to tell a text of another language before it is scored or read."""

from __future__ import annotations

import unicodedata
from collections import Counter

from fmp_models.languages.grammar import LANGUAGES, grammar

_ANYWHERE = "Latin"  # names and words left untranslated stand in texts of every language


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
