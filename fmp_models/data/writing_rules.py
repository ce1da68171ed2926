"""The writing rules of the paper's Appendix B.3, which a correction must fulfil before annotators judge it."""

from __future__ import annotations

import re

MIN_WORDS = 30
MIN_UNIQUE_SHARE = 0.5  # of the words
SYMBOLS = frozenset("([])&*^%$#@")
TERMS = ("image", "i", "target", "difference")

_WORD = re.compile(r"\w+")


def broken_rules(text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:
    """Return the codes of the rules that ``text`` breaks, empty for a good text.

    The codes are ``too_short``, ``symbols``, ``repetitive`` and ``term_image``, ``term_i``, ``term_target``,
    ``term_difference``. Words are separated by white space; a term is matched as a whole word, ignoring case. A
    writer who ticked "no clear difference" may write fewer than 30 words.
    """
    words = text.split()
    plain_words = set(_WORD.findall(text.lower()))
    broken = {
        "too_short": len(words) < MIN_WORDS and not no_clear_difference,
        "symbols": not SYMBOLS.isdisjoint(text),
        "repetitive": len(set(words)) < MIN_UNIQUE_SHARE * len(words),
        **{f"term_{term}": term in plain_words for term in TERMS},
    }
    return tuple(code for code, is_broken in broken.items() if is_broken)
