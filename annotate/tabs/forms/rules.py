"""Writing rules for the page's script: their texts, and the numbers with which a text is checked during typing.

The server checks again (``text_checks``); this module only serves the list of ticks on the page.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotate.page_services import PageServices
from annotate.tasks.text_checks import MAX_LENGTH_RATIO, MIN_LENGTH_RATIO, MIN_SCRIPT_SHARE, TRANSLATING, WRITING


@dataclass(frozen=True)
class Rules:
    """The rules by code, in order, with the placeholder values of their texts; ``numbers`` are thresholds."""

    places: dict[str, dict[str, str | int]]
    numbers: dict[str, object]


def writing_rules(services: PageServices, language: str) -> Rules:
    """Return the rules of a correction."""
    rules = services.rules
    places: dict[str, str | int] = {
        "least": rules.least_words,
        "symbols": " ".join(rules.symbols),
        "percent": round(100 * rules.least_unique),
    }
    numbers = {
        "least_words": rules.least_words,
        "least_unique": rules.least_unique,
        "symbols": rules.symbols,
        **_script(services, language),
    }
    return Rules(dict.fromkeys(WRITING, places), numbers)


def translating_rules(services: PageServices, language: str, original: str) -> Rules:
    """Return the rules of a translation of ``original``."""
    numbers = {
        "original": len(original.split()),
        "shortest": MIN_LENGTH_RATIO,
        "longest": MAX_LENGTH_RATIO,
        **_script(services, language),
    }
    return Rules({code: dict[str, str | int]() for code in TRANSLATING}, numbers)


def _script(services: PageServices, language: str) -> dict[str, object]:
    return {"script": services.scripts.get(language, ""), "least_share": MIN_SCRIPT_SHARE}
