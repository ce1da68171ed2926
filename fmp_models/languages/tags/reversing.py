"""Reversing, a tag -> a tag: what to do instead of what goes too far or must not be."""

from __future__ import annotations

from fmp_models.geometry.clauses import Direction, Relation
from fmp_models.languages.tags.tagging import Tag

# Of one that goes too far: what to do instead.
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
    """Let a tag say what to do instead of what it says; ``leans`` where a body that leans does so by no way told."""
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
    """The reverse of a phrase that is a clause by itself; of one that says no way, the phrase."""
    side, part, way, *_ = whole.split(", ")
    back = Direction(way).reverse
    return whole if ";" in whole or back.value == way else f"{side}, {part}, {back.value}"
