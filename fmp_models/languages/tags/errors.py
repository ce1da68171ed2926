"""Errors stated as facts, tags -> tags: reverses the meaning of "your left arm is higher than your right".

It also reverses a part that has moved to a wrong place, and a pose that a person is told to come back from.
Requests and the results of movements are left unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fmp_models.languages.grammar import Grammar
from fmp_models.languages.tags.reversing import REVERSED, reverse_tag
from fmp_models.languages.tags.tagging import AND, Tag, pieces

_LEADS_ON = frozenset({"with", "negations", "excess"})
_LEADS = _LEADS_ON | {"actions", "whole"}  # kinds that do not precede a stated fact
_WAYS = frozenset({"directions", "whole"})
# Kinds between a fact and the object of its comparison. An excess is reversed separately.
_BETWEEN = frozenset({"degrees", "word", "directions", "actions"})


def with_errors_reversed(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the directions of comparisons between limbs, and of parts gone astray, reversed."""
    new_tags = _with_returns(tags, words)
    for begin, end in pieces(tags):
        if begin and tags[begin - 1].text in words.relative:
            fact = next((i for i in range(begin, end) if tags[i].text in words.facts), begin - 1)
            new_tags[begin : fact + 1] = [_part_alone(tag) for tag in tags[begin : fact + 1]]
        if begin and tags[begin - 1].kind == "stops":
            continue  # "so that your left arm is higher than your right"
        for place in [*_of_errors(tags[begin:end], words), *_of_strays(tags[begin:end], words)]:
            new_tags[begin + place] = _reversed(tags[begin + place])
    return new_tags


def _with_returns(tags: list[Tag], words: Grammar) -> list[Tag]:
    """Return the tags with the directions stated next to a piece such as "come back" reversed."""
    new_tags = list(tags)
    runs = list(pieces(tags))
    for place, (begin, end) in enumerate(runs):
        if not words.returns.fullmatch(" ".join(tag.text for tag in tags[begin:end])):
            continue
        beside = [run for run in runs[max(0, place - 1) : place + 2] if run != (begin, end)]
        ways = [i for run in beside for i in _ways_of_a_fact(tags, *run, words)]
        if ways:
            new_tags[begin:end] = [_part_alone(tag) for tag in new_tags[begin:end]]
        for way in ways:
            new_tags[way] = _reversed(tags[way])
    return new_tags


def _ways_of_a_fact(tags: Sequence[Tag], begin: int, end: int, words: Grammar) -> list[int]:
    """Return the indices of directions and reversible verbs in a piece that states a fact without an introduction."""
    run = tags[begin:end]
    first = next((tag for tag in run if tag.kind == "actions" or tag.text in words.facts), None)
    stated = first is not None and (first.text in words.facts or words.verb_comes == "last")
    stated &= any(tag.text in words.facts for tag in run)
    led = (begin > 0 and tags[begin - 1].kind == "stops") or any(tag.kind in _LEADS_ON for tag in run)
    ways = [begin + i for i, tag in enumerate(run) if tag.kind in _WAYS or tag.value in REVERSED]
    return ways if stated and not led else []


def _of_errors(piece: Sequence[Tag], words: Grammar) -> list[int]:
    """Return the indices of directions in a statement that one limb is further than another; empty for other pieces."""
    fact = next((i for i, tag in enumerate(piece) if tag.text in words.facts), None)
    than = next((i for i, tag in enumerate(piece) if tag.text in words.than and _compares(piece, i, words)), None)
    if fact is None or than is None:
        return []
    first, last = sorted((fact, than))
    names_part = any(tag.kind == "parts" for tag in piece[:first])
    if not names_part or any(tag.kind in _LEADS for tag in piece[:first]):
        return []
    between = range(first + 1, last)
    if any(piece[i].kind not in _BETWEEN for i in between):
        return []
    return [i for i in between if piece[i].kind == "directions" or piece[i].value in REVERSED]


def _of_strays(piece: Sequence[Tag], words: Grammar) -> list[int]:
    """Return the indices of the direction and verb in a piece that ends with a part gone astray: "कंधा ऊपर उठ गया है"."""
    verb = next((i for i, tag in enumerate(piece) if words.strayed.search(tag.text)), None)
    if verb is None or len(piece) != verb + 3 or any(tag.text in AND for tag in piece):
        return []
    if piece[-2].text not in words.has or piece[-1].text not in words.facts:
        return []
    ways = [i for i in range(verb) if piece[i].kind == "directions"]
    return [*ways, verb] if piece[verb].value in REVERSED else ways or [verb]


def _compares(piece: Sequence[Tag], than: int, words: Grammar) -> bool:
    """Return whether a limb stands next to the comparison word, which in Hindi also means "from" and "with"."""
    if words.verb_comes == "first":
        return True
    beside = piece[than - 1] if than else None
    if beside is None:
        return False
    parts = {tag.value for tag in piece[: than - 1] if tag.kind == "parts"}
    return beside.bare or (beside.kind == "parts" and beside.value in parts)


def _part_alone(tag: Tag) -> Tag:
    """Return the tag if it names the part; make any other tag of a relative clause a plain word: "जो घुटना आगे है"."""
    return tag if tag.kind in {"parts", "sides", "possessives"} else replace(tag, kind="word", value="")


def _reversed(tag: Tag) -> Tag:
    if tag.kind in _WAYS:
        reversed_tag = replace(tag)
        reverse_tag(reversed_tag, leans=False)
        return reversed_tag
    return replace(tag, value=REVERSED.get(tag.value, "straighten"))
