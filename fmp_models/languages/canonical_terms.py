"""Canonical terms: the one word that this project uses for a thing, instead of synonyms in a text.

``<code>/house.toml`` lists the synonyms of a language. A language without this file has no synonyms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from fmp_models.languages.grammar import grammar, normalised

_HERE = Path(__file__).parent
_MARKS = ".,;:!?।\"'“”‘’()"


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
