"""Mirrored texts, with left and right swapped in all their forms and everything else kept.

``<code>/mirror.toml`` holds the words of a language. A mirrored text describes the mirrored pair of pictures.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.geometry import agrees
from fmp_models.languages.language_data import grammar
from fmp_models.languages.reader import read_clauses
from fmp_models.pose import JOINTS, Pose, PosePair

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class _Mirror:
    """The mirroring rules of one language.

    ``words`` matches every word that may change; ``swaps`` maps a word to its opposites with their conditions.
    """

    words: re.Pattern[str]
    swaps: dict[str, list[tuple[str, re.Pattern[str]]]]
    unmirrored: re.Pattern[str] | None


def mirrored_text(text: str, language: str) -> str | None:
    """Return the text for the mirrored pair, or ``None`` if it cannot be mirrored by words ("at three o'clock").

    Capitals and spaces are kept. Raise :class:`BadInputError` (``unknown_language``).
    """
    mirror = _mirror(language)
    if mirror.unmirrored is not None and mirror.unmirrored.search(text):
        return None

    def turned(match: re.Match[str]) -> str:
        word = match["side"]
        if word is None:
            return match[0]  # "right" in "right angle"
        text_after = text[match.end() :].lstrip()
        for opposite, before in mirror.swaps[word.lower()]:
            if before.match(text_after):
                return opposite.capitalize() if word[0].isupper() else opposite
        return word

    return mirror.words.sub(turned, text)


def text_turned_false(text: str, language: str, joints: tuple[ArrayLike, ArrayLike]) -> str | None:
    """Return the text with left and right swapped, or ``None`` unless that makes most clauses of a true text false.

    ``joints`` are those of the current and the target pose, each (20, 3) in metres.
    """
    turned = mirrored_text(text, language)
    if turned is None or turned == text:
        return None
    current, target = (Pose(np.asarray(points), np.ones(len(JOINTS)), placed=True) for points in joints)
    pair, words = PosePair(current, target), grammar(language)
    true, false = ([agrees(read.goal, pair) for read in read_clauses(either, words)] for either in (text, turned))
    return turned if True in true and False not in true and false.count(False) > false.count(True) else None


@cache
def _mirror(language: str) -> _Mirror:
    grammar(language)  # raises for an unknown language
    data = tomllib.loads((_HERE / language / "mirror.toml").read_text(encoding="utf-8"))
    swaps: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    for swap in data["swaps"]:
        before = re.compile(swap.get("before", ""))
        for word, opposite in ((swap["left"], swap["right"]), (swap["right"], swap["left"])):
            swaps.setdefault(word, []).append((opposite, before))
    sides = "|".join(re.escape(word) for word in sorted(swaps, key=len, reverse=True))
    unmirrored = data["unmirrored"]
    return _Mirror(
        # Python's \b treats vowel signs as non-letters and would cut Hindi words, so word boundaries are spelt out.
        words=_pattern([*data["no_sides"], f"(?P<side>{sides})"]),
        swaps=swaps,
        unmirrored=re.compile("|".join(unmirrored), re.IGNORECASE) if unmirrored else None,
    )


def _pattern(expressions: Sequence[str]) -> re.Pattern[str]:
    sign = r"\w\u0900-\u0963"
    return re.compile(f"(?<![{sign}])(?:{'|'.join(expressions)})(?![{sign}])", re.IGNORECASE)
