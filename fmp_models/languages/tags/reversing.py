"""Reversal of a tag: the correction for a movement that goes too far or must not happen."""

from __future__ import annotations

from fmp_models.geometry.lexicon import Direction, Relation
from fmp_models.languages.tags.tagging import Tag

# The correction for a movement that goes too far.
REVERSED = {
    action: reverse
    for pair in (("up", "down"), ("bend", "straighten"), ("apart", "together"))
    for action, reverse in (pair, pair[::-1])
}
_TOO = {
    Relation.CLOSE: Direction.APART,
    Relation.WIDE: Direction.TOGETHER,
    Relation.ABOVE_HEAD: Direction.DOWN,
    Relation.OVERHEAD: Direction.DOWN,
}


def reverse_tag(tag: Tag, *, leans: bool) -> None:
    """Change a tag to its correction; ``leans`` if a leaning body has no direction in the text."""
    if tag.kind == "whole":
        tag.value = _back(tag.value)
    elif tag.kind == "directions":
        tag.value = Direction(tag.value).reverse.value
    elif tag.kind == "actions" and tag.value == "lean" and leans:
        tag.value = "straighten"  # "your back is too hunched"
    elif tag.kind == "actions":
        tag.value = REVERSED.get(tag.value, tag.value)
    elif tag.kind == "relations":
        way = _TOO.get(Relation(tag.value))
        tag.kind, tag.value = ("directions", way.value) if way else ("word", "")
    elif tag.kind == "states":
        tag.kind, tag.value = "actions", "bend"


def _back(whole: str) -> str:
    """Return the reverse of a phrase that stands for one clause; unchanged if it has no direction."""
    side, part, way, *_ = whole.split(", ")
    back = Direction(way).reverse
    return whole if ";" in whole or back.value == way else f"{side}, {part}, {back.value}"
