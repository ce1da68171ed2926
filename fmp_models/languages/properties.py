"""Linguistic properties of a text (the paper's Section 5.2), detected by its words in generated and human texts."""

from __future__ import annotations

import re
from enum import StrEnum

from fmp_models.languages.grammar import Grammar, normalised

_ENDS = re.compile(r"[.!?।]+")
_NOT_WORDS = re.compile(r"[\s.,;:!?।()\"“”]+")


class Property(StrEnum):
    """The linguistic properties that are rows of the paper's Tables 1 and 8."""

    EGOCENTRIC = "egocentric"
    ENVIRONMENTAL = "environmental"
    IMPLIED = "implied"
    ANALOGOUS = "analogous"


def properties(text: str, words: Grammar) -> frozenset[Property]:
    """Return the properties that the text shows.

    The paper's authors counted the properties by hand. Words alone cannot show all of that, so these are *signs*:
    forms of address, objects of the room, results and weights that imply a movement, and comparisons.
    """
    lines = [_NOT_WORDS.sub(" ", sentence).strip() for sentence in _ENDS.split(normalised(text))]
    # An object inside a comparison ("as if hugging a tree") is not in the room.
    comparison = words.properties[Property.ANALOGOUS.value]
    plain = [line[: match.start()] if (match := comparison.search(line)) else line for line in lines]
    property_lines = {Property.ENVIRONMENTAL: plain}
    return frozenset(
        kind for kind in Property if words.properties[kind.value].search(" ".join(property_lines.get(kind, lines)))
    )
