"""Trainer phrases as data: ``<code>/speech.toml`` holds a language's phrases for movements, end states and shapes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.languages.grammar import LANGUAGES

_HERE = Path(__file__).parent

Table = Mapping[str, Mapping[str, str]]
Choices = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class SpeechWords:
    """One language: phrases for movements (``say``) and ``shapes``, and values of their blanks by side or number."""

    say: Choices
    shapes: Choices
    parts: Table
    unseen_parts: Table
    ends: Table
    tails: Table
    them: Mapping[str, str]
    sides: Table
    degrees: Mapping[str, str]
    joined_ends: str
    tail: str
    fine: str
    between_fine: str
    watch: str
    unseen: str
    ease: str  # the last step towards a figure; it moves the parts that no step names
    stiff: str  # pattern of phrases that no trainer says: passives and comparisons

    def is_stiff(self, text: str) -> bool:
        """Return whether a captioner's sentence is one that a trainer would not say."""
        return re.search(self.stiff, text.lower()) is not None

    def side_blanks(self, side: str, opposite: str) -> dict[str, str]:
        """Return the values of ``{side}`` and ``{other}`` in each of their forms; empty without a side."""
        here, there = self.sides.get(side, {}), self.sides.get(opposite, {})
        return {**here, **{blank.replace("side", "other", 1): form for blank, form in there.items()}}


@cache
def speech_words(code: str) -> SpeechWords:
    """Return the phrases of one language; raise :class:`BadInputError` (``unknown_language``) for an unknown code."""
    if code not in LANGUAGES:
        raise BadInputError("unknown_language", known=", ".join(LANGUAGES))
    return SpeechWords(**tomllib.loads((_HERE / code / "speech.toml").read_text(encoding="utf-8")))


def filled(phrase: str, **blanks: str) -> str:
    """Return a phrase with its blanks filled and single spaces; an empty blank leaves no double space."""
    return re.sub(r"\s+([,.;:])", r"\1", re.sub(r" {2,}", " ", phrase.format(**blanks))).strip()
