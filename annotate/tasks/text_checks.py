"""Text checks: the rules that a text must follow before it is judged, with messages for its writer.

The rules of the paper's Appendix B.3 are passed in (``Ports.broken_rules``). This module adds the script
of the language, and the length of a translation relative to its original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from annotate.errors import RefusedError
from annotate.ports import BrokenRules

# Message for the writer by rule code; the paper's rules first, in its order.
SENTENCES: dict[str, str] = {
    "too_short": "Write at least 30 words.",
    "symbols": "Leave out the symbols ( [ ] ) & * ^ % $ # @.",
    "repetitive": "At least half of the words must be different.",
    "term_image": "Do not write “image”: speak to the person.",
    "term_i": "Do not write “I”: speak to the person.",
    "term_target": "Do not write “target”: say what to do.",
    "term_difference": "Do not write “difference”: say what to do.",
    "script": "Write in the script of the language: Latin for English, Devanagari for Hindi.",
    "too_much_shorter": "This is much shorter than the original: translate all of it.",
    "too_much_longer": "This is much longer than the original: do not add to it.",
}
WRITING = ("too_short", "symbols", "repetitive", "term_image", "term_i", "term_target", "term_difference", "script")
TRANSLATING = ("script", "too_much_shorter", "too_much_longer")

_SCRIPTS = {"en": "LATIN", "hi": "DEVANAGARI"}
MIN_SCRIPT_SHARE = 0.7  # of the letters; names and words such as TV may be in another script
MIN_LENGTH_RATIO, MAX_LENGTH_RATIO = 0.5, 2.0  # words of a translation for each word of the original


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
