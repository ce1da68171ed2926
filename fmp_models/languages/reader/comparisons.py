"""Faults by comparison, tags -> tags: of "your left arm is higher than your right" the reverse is meant.

Only a sentence that states a fact says a fault so. What should be so, and what a movement leads to, is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fmp_models.geometry.clauses import Direction
from fmp_models.languages.grammar import Grammar
from fmp_models.languages.reader.gathering import REVERSED
from fmp_models.languages.reader.tagging import Tag, pieces

_LEADS = frozenset({"actions", "whole", "with", "negations", "excess"})  # none stands before a fact
# Between a fact and what it is compared with. Excess reverses by itself.
_BETWEEN = frozenset({"degrees", "word", "directions", "actions"})


def with_faults_reversed(tags: list[Tag], words: Grammar) -> list[Tag]:
    """The tags, those that say how far a limb is beyond another one reversed."""
    told = list(tags)
    for begin, end in pieces(tags):
        if begin and tags[begin - 1].kind == "stops":
            continue  # "so that your left arm is higher than your right"
        for place in _of_faults(tags[begin:end], words):
            told[begin + place] = _reversed(tags[begin + place])
    return told


def _of_faults(piece: Sequence[Tag], words: Grammar) -> list[int]:
    """Where a piece says that a limb is further some way than another one; nowhere if it says no such fact."""
    fact = next((i for i, tag in enumerate(piece) if tag.text in words.facts), None)
    than = next((i for i, tag in enumerate(piece) if tag.text in words.than and _compares(piece, i, words)), None)
    if fact is None or than is None:
        return []
    first, last = sorted((fact, than))
    named = any(tag.kind == "parts" for tag in piece[:first])
    if not named or any(tag.kind in _LEADS for tag in piece[:first]):
        return []
    between = range(first + 1, last)
    if any(piece[i].kind not in _BETWEEN for i in between):
        return []
    return [i for i in between if piece[i].kind == "directions" or piece[i].value in REVERSED]


def _compares(piece: Sequence[Tag], than: int, words: Grammar) -> bool:
    """Whether what stands beside the word is a limb: in Hindi that word means "from" and "with" as well."""
    if words.verb_comes == "first":
        return True
    beside = piece[than - 1] if than else None
    if beside is None:
        return False
    named = {tag.value for tag in piece[: than - 1] if tag.kind == "parts"}
    return beside.bare or (beside.kind == "parts" and beside.value in named)


def _reversed(tag: Tag) -> Tag:
    if tag.kind == "directions":
        return replace(tag, value=Direction(tag.value).reverse.value)
    return replace(tag, value=REVERSED[tag.value])
