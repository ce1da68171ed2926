"""Text checks: the rules that a text must follow before it is judged.

The rules of the paper's Appendix B.3 are passed in (``Ports.broken_rules``). This module adds the script
of the language, and the length of a translation relative to its original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from annotate.errors import RefusedError
from annotate.ports import BrokenRules

# Codes of rules; the paper's first, in its order.
WRITING = ("too_short", "symbols", "repetitive", "term_image", "term_i", "term_target", "term_difference", "script")
TRANSLATING = ("script", "too_much_shorter", "too_much_longer")

_SCRIPTS = {"en": "LATIN", "hi": "DEVANAGARI"}
MIN_SCRIPT_SHARE = 0.7  # of the letters; names and words such as TV may be in another script
MIN_LENGTH_RATIO, MAX_LENGTH_RATIO = 0.5, 2.0  # words of a translation for each word of the original


@dataclass(frozen=True)
class WritingRules:
    """The numbers of the paper's writing rules, with which the page checks a text during typing."""

    least_words: int
    least_unique: float
    symbols: str


@dataclass(frozen=True)
class Rules:
    """Rules for the list of ticks on the page, by code and in order, with the placeholder values of their texts.

    ``numbers`` are thresholds. The page checks by them during typing, and the server checks again.
    """

    places: dict[str, dict[str, str | int]]
    numbers: dict[str, object]


@dataclass(frozen=True)
class Check:
    """The result of one rule: whether the text follows it."""

    rule: str
    is_kept: bool


def writing_checks(
    text: str, language: str, broken_rules: BrokenRules, *, no_clear_difference: bool = False
) -> tuple[Check, ...]:
    """Return the checks of a description, in order; an empty text fails every rule that requires something."""
    broken = set(broken_rules(text, no_clear_difference=no_clear_difference))
    if not _in_script(text, language):
        broken.add("script")
    return tuple(Check(rule, rule not in broken) for rule in (*WRITING, *sorted(broken - set(WRITING))))


def translation_checks(text: str, original: str, language: str) -> tuple[Check, ...]:
    """Return the checks of a translation of ``original`` into ``language``."""
    share = len(text.split()) / max(len(original.split()), 1)
    results = (_in_script(text, language), share >= MIN_LENGTH_RATIO, share <= MAX_LENGTH_RATIO)
    return tuple(Check(rule, keeps) for rule, keeps in zip(TRANSLATING, results, strict=True))


def writing_rules(numbers: WritingRules, script: str) -> Rules:
    """Return the rules of a correction; ``script`` is the Unicode script of its language."""
    places: dict[str, str | int] = {
        "least": numbers.least_words,
        "symbols": " ".join(numbers.symbols),
        "percent": round(100 * numbers.least_unique),
    }
    thresholds = {**asdict(numbers), "script": script, "least_share": MIN_SCRIPT_SHARE}
    return Rules(dict.fromkeys(WRITING, places), thresholds)


def translating_rules(script: str, original: str) -> Rules:
    """Return the rules of a translation of ``original``."""
    lengths = {"original": len(original.split()), "shortest": MIN_LENGTH_RATIO, "longest": MAX_LENGTH_RATIO}
    return Rules({code: {} for code in TRANSLATING}, {**lengths, "script": script, "least_share": MIN_SCRIPT_SHARE})


def demand(checks: Iterable[Check]) -> None:
    """Raise :class:`RefusedError` ``rules_broken`` unless all checks pass.

    ``rules`` of the error are the codes of the broken rules, separated by spaces.
    """
    broken = [check.rule for check in checks if not check.is_kept]
    if broken:
        raise RefusedError("rules_broken", rules=" ".join(broken))


def _in_script(text: str, language: str) -> bool:
    if language not in _SCRIPTS:
        return True
    letters = [letter for letter in text if unicodedata.category(letter)[0] in "LM"]
    in_script = sum(unicodedata.name(letter, "").startswith(_SCRIPTS[language]) for letter in letters)
    return bool(letters) and in_script >= MIN_SCRIPT_SHARE * len(letters)
