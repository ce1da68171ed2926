"""Linguistic properties (the paper's Section 5.2): which of them a text has by its words, ours or people's."""

from __future__ import annotations

import re
from enum import StrEnum

from fmp_models.languages.grammar import Grammar, normalised

_ENDS = re.compile(r"[.!?।]+")
_NOT_WORDS = re.compile(r"[\s.,;:!?।()\"“”]+")


class Property(StrEnum):
    """The rows of the paper's Tables 1 and 8."""

    EGOCENTRIC = "egocentric"
    ENVIRONMENTAL = "environmental"
    IMPLIED = "implied"
    ANALOGOUS = "analogous"


def properties(text: str, words: Grammar) -> frozenset[Property]:
    """The properties that the text shows.

    Words alone cannot tell everything that the paper's authors counted by hand, so these are shares of *signs*: who is
    addressed, objects of the room, results and weights that imply a movement, and comparisons.
    """
    lines = [_NOT_WORDS.sub(" ", sentence).strip() for sentence in _ENDS.split(normalised(text))]
    # A tree that one is as if hugging stands in no room.
    comparison = words.properties[Property.ANALOGOUS.value]
    plain = [line[: match.start()] if (match := comparison.search(line)) else line for line in lines]
    property_lines = {Property.ENVIRONMENTAL: plain}
    return frozenset(
        kind for kind in Property if words.properties[kind.value].search(" ".join(property_lines.get(kind, lines)))
    )
