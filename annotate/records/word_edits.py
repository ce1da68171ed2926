"""Word edits between two texts: KEEP, DELETE or ADD of each word, in order.

A word is what stands between white space, in every script. One space between two words goes without saying; any other
white space, and all at the ends, is a word of its own, so that both texts can be had back from the edits to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Operation = Literal["KEEP", "DELETE", "ADD"]
Edit = tuple[Operation, str]

KEEP: Final = "KEEP"
DELETE: Final = "DELETE"
ADD: Final = "ADD"

_PIECE = re.compile(r"\s+|\S+")


def word_edits(old: str, new: str) -> tuple[Edit, ...]:
    """The fewest edits that make ``new`` of ``old``; where words are replaced, the deleted ones come first.

    Time and memory grow with the product of the words that differ; for texts of the largest length that is 50 MB.
    """
    before, after = _words(old), _words(new)
    start = _common_start(before, after)
    end = _common_start(before[start:][::-1], after[start:][::-1])
    first: list[Edit] = [(KEEP, word) for word in before[:start]]
    last: list[Edit] = [(KEEP, word) for word in before[len(before) - end :]]
    return (*first, *_fewest(before[start : len(before) - end], after[start : len(after) - end]), *last)


def _words(text: str) -> list[str]:
    pieces = _PIECE.findall(text)
    last = len(pieces) - 1
    return [piece for i, piece in enumerate(pieces) if piece != " " or i in {0, last}]


def _common_start(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        count += 1
    return count


def _fewest(before: Sequence[str], after: Sequence[str]) -> list[Edit]:
    """The fewest edits by the longest common subsequence, from the end of its table to its start."""
    common = _longest_common(before, after)
    i, j, edits = len(before), len(after), list[Edit]()
    while i or j:
        if i and j and before[i - 1] == after[j - 1]:
            i, j = i - 1, j - 1
            edits.append((KEEP, before[i]))
        elif j and (not i or common[i, j - 1] >= common[i - 1, j]):
            j -= 1
            edits.append((ADD, after[j]))
        else:
            i -= 1
            edits.append((DELETE, before[i]))
    return edits[::-1]


def _longest_common(before: Sequence[str], after: Sequence[str]) -> NDArray[np.int16]:
    """The table of lengths: at (i, j), how many words the first i and the first j have in common, in order."""
    numbers = {word: number for number, word in enumerate(dict.fromkeys((*before, *after)))}
    columns = np.array([numbers[word] for word in after], dtype=np.int64)
    table = np.zeros((len(before) + 1, len(after) + 1), dtype=np.int16)
    for i, word in enumerate(before):
        lengths = np.maximum(table[i, 1:], table[i, :-1] + (columns == numbers[word]))
        table[i + 1, 1:] = np.maximum.accumulate(lengths)
    return table
