"""Sides of parts, tags -> tags: adds the part to "lower the right one" and the side to "the other arm".

Each result is a side tag before a part tag, which :func:`side_of` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fmp_models.geometry import Part, Side
from fmp_models.languages.language_data import Grammar
from fmp_models.languages.tagging import Tag, pieces

OTHER = "other"  # the value of "other": the side opposite to the one named before
_EACH_SIDE = frozenset({"left", "right"})
_BEFORE_A_PART = frozenset({"sides", "possessives", "fillers"})
_BESIDE = frozenset({"possessives", "negations", "pronouns"})
_AFTER_A_PART = frozenset({"break", "stops", "directions", "relations", "degrees", "with", "states", "excess"})


def with_sides_before_parts(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with every such side before its part."""
    named_tags = _with_choices(_with_ones(_with_corrections(tags, words), words), words)
    return _with_later_sides(_with_other_sides(named_tags), words)


def lone_side(piece: Sequence[Tag], words: Grammar) -> str | None:
    """Return the side that a piece consists of: "the left one", "no, your left", "दायां नहीं, बायां"; otherwise None."""
    begin = _after_a_correction(piece, words)
    sides = _lone_sides(piece[begin:], words) or set()
    return sides.pop() if len(sides) == 1 else None


def _lone_sides(piece: Sequence[Tag], words: Grammar) -> set[str] | None:
    """Return the sides that a piece names without negation; None if it contains anything else."""
    sides = set()
    denied = False  # negated by the words before: "not the right one"
    for i, tag in enumerate(piece):
        if tag.bare and tag.value != OTHER:
            after = piece[i + 1] if i + 1 < len(piece) else None
            taken_back = words.verb_comes == "last" and after is not None and after.kind == "negations"
            if not (denied or taken_back):
                sides.add(tag.value)
        elif tag.kind not in _BESIDE and tag.text not in words.ones | words.beside_a_side:
            return None
        denied |= tag.kind == "negations" and words.verb_comes == "first"
    return sides


def _after_a_correction(piece: Sequence[Tag], words: Grammar) -> int:
    """Return the index after words that introduce a correction ("no,", "sorry, I mean"); 0 without such words."""
    begin = 0
    while begin < len(piece) and (piece[begin].text in words.corrects or (begin and piece[begin].text == ",")):
        begin += 1
    return begin


def _with_corrections(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the side of the part named last replaced by a following correction: "no, the left arm"."""
    new_tags = list(tags)
    for i, tag in enumerate(tags):
        led = i == 0 or tags[i - 1].kind in {"break", "stops"}
        begin = i + _after_a_correction(tags[i:], words) if led and tag.text in words.corrects else i
        end = next((j for j in range(begin, len(tags)) if tags[j].kind in {"break", "stops"}), len(tags))
        meant = [j for j in range(begin, end) if tags[j].value in _EACH_SIDE]
        part = _named_last(tags, i)
        if begin == i or len(meant) != 1 or part is None:
            continue
        part_tag, first = tags[part], side_of(tags, part, words)[1]
        sides = [j for j in range(first, part) if tags[j].kind == "sides" and tags[j].value in _EACH_SIDE]
        other_tags = [word for j, word in enumerate(tags[begin:end], begin) if j != meant[0]]
        if len(sides) == 1 and all(_adds_nothing(word, part_tag, words) for word in other_tags):
            new_tags[sides[0]] = replace(tags[sides[0]], value=tags[meant[0]].value)
            new_tags[i:end] = [replace(word, kind="word", value="", bare=False) for word in tags[i:end]]
    return new_tags


def _adds_nothing(tag: Tag, part: Tag, words: Grammar) -> bool:
    """Return whether a word next to a side adds nothing to the known part."""
    same = (tag.kind, tag.value) == (part.kind, part.value)
    return same or tag.kind == "possessives" or tag.text in words.ones | words.beside_a_side


def _with_choices(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with repeated parts merged: "left arm or right arm" becomes "left or right arm"."""
    new_tags = list(tags)
    for i in reversed(range(1, len(tags))):
        if tags[i].text not in words.alternatives or tags[i - 1].kind != "parts":
            continue
        part = next((j for j in range(i + 1, len(tags)) if tags[j].kind not in _BEFORE_A_PART), len(tags))
        if part == len(tags) or (tags[part].kind, tags[part].value) != ("parts", tags[i - 1].value):
            continue
        sides = [{tag.value for tag in run if tag.kind == "sides"} for run in (tags[i - 2 : i], tags[i:part])]
        if {*map(frozenset, sides)} == {frozenset({side}) for side in _EACH_SIDE}:
            del new_tags[i - 1]
    return new_tags


def _with_later_sides(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with a side that stands alone moved to the part named last, if that part has no side."""
    new_tags = list(tags)
    for begin, end in reversed(list(pieces(tags))):
        side = lone_side(tags[begin:end], words)
        asked = end < len(tags) and tags[end].text == "?"  # "your arm, right?"
        part = _named_last(tags, begin)
        if side is not None and not asked and part is not None and side_of(tags, part, words)[0] is Side.NONE:
            new_tags.insert(part, Tag("sides", side, side, tags[part].start, tags[part].start))
    return new_tags


def _with_ones(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with a side, or a side with "one", replaced by the part named last: "lower the right one"."""
    new_tags = list(tags)
    for begin, end in reversed(list(pieces(tags))):
        if _lone_sides(tags[begin:end], words) is not None:
            continue
        for i in reversed(range(begin, end)):
            part = _named_last(tags, i)
            if not tags[i].bare or part is None:
                continue
            one_follows = i + 1 < end and tags[i + 1].text in words.ones
            if one_follows or _stands_for_a_part(tags, i, words):
                part_tag = replace(
                    tags[i + 1] if one_follows else tags[i], kind="parts", value=tags[part].value, bare=False
                )
                new_tags[i : i + 1 + one_follows] = [replace(tags[i], kind="sides", bare=False), part_tag]
    return new_tags


def _stands_for_a_part(tags: Sequence[Tag], i: int, words: Grammar) -> bool:
    """Return whether a side is used as a part: "lift your right arm and bend your left", "एक हाथ ऊपर, दूसरा नीचे"."""
    after = tags[i + 1] if i + 1 < len(tags) else None
    ends = after is None or after.kind in _AFTER_A_PART or after.text in words.ands
    if words.verb_comes == "last":
        ends |= after is not None and after.kind == "actions"
        if after is not None and after.kind == "states":
            return True  # "दाईं सीधी रखो"
        is_object = after is not None and after.text in words.after_objects
        return is_object or (ends and words.side_alone.search(tags[i].text) is not None)
    owned = i > 0 and tags[i - 1].kind == "possessives" and not words.genitive.match(tags[i - 1].text)
    return ends and owned and not (i > 1 and names_a_place(tags[i - 2]))


def _with_other_sides(tags: list[Tag]) -> list[Tag]:
    """Return the tags with "other" resolved to the side opposite to the same limb's last one, if any."""
    new_tags = list(tags)
    sides: dict[str, str] = {}  # side of each limb named so far
    for i, tag in enumerate(tags):
        if tag.kind != "sides":
            continue
        part = next((after for after in tags[i:] if after.kind == "parts"), None)
        limb = "" if part is None else _limb(part)
        value = tag.value
        if value == OTHER:
            value = {"left": "right", "right": "left"}.get(sides.get(limb, ""), "")
            new_tags[i] = replace(tag, value=value) if value else replace(tag, kind="fillers")
        if value:
            sides[limb] = value
    return new_tags


def _named_last(tags: Sequence[Tag], before: int) -> int | None:
    """Return the index of the part named last before ``before``, if it is a sided part."""
    part = next((i for i in reversed(range(before)) if tags[i].kind == "parts"), None)
    return part if part is not None and Part(tags[part].value).sided else None


def _limb(tag: Tag) -> str:
    return Part(tag.value).limb.value


def side_of(tags: list[Tag], i: int, words: Grammar) -> tuple[Side, int]:
    """Return the side named before the part at ``i`` and the start of its phrase; "left or right" gives no side."""
    plural = bool(words.plural.search(tags[i].text))
    sides, open_choice = set(), False
    j = i - 1
    while j >= 0 and (
        tags[j].kind in {"sides", "fillers", "possessives"}
        or (tags[j].text in words.ands | words.alternatives and j and tags[j - 1].kind == "sides")
    ):
        if tags[j].kind == "sides":
            sides.add(tags[j].value)
        open_choice |= tags[j].text in words.alternatives
        j -= 1
    if open_choice and {"left", "right"} <= sides:
        return Side.NONE, j + 1
    if "both" in sides or {"left", "right"} <= sides:
        return Side.BOTH, j + 1
    if sides:
        return Side(sides.pop()), j + 1
    return (Side.BOTH if plural else Side.NONE), j + 1


def names_a_place(tag: Tag) -> bool:
    """Return whether the tag makes the part next to it a place or destination."""
    return tag.kind in {"landmark_before", "landmark_after"} or (tag.kind == "towards" and not tag.value)
