"""Writing rules for the page's script: what each says, and the numbers to check a text by while one types.

The server checks again (``text_checks``); here is only what it takes to tick a list.
"""

from __future__ import annotations

from dataclasses import dataclass

from annotate.page_services import PageServices
from annotate.tasks.text_checks import LEAST_SHARE, LONGEST, SHORTEST, TRANSLATING, WRITING


@dataclass(frozen=True)
class Rules:
    """``places`` of the texts by the code of their rule, in order; ``numbers`` are what the script compares with."""

    places: dict[str, dict[str, str | int]]
    numbers: dict[str, object]


def writing_rules(surface: PageServices, language: str) -> Rules:
    """The rules of a correction."""
    rules = surface.rules
    places: dict[str, str | int] = {
        "least": rules.least_words,
        "symbols": " ".join(rules.symbols),
        "percent": round(100 * rules.least_unique),
    }
    numbers = {
        "least_words": rules.least_words,
        "least_unique": rules.least_unique,
        "symbols": rules.symbols,
        **_script(surface, language),
    }
    return Rules(dict.fromkeys(WRITING, places), numbers)


def translating_rules(surface: PageServices, language: str, original: str) -> Rules:
    """The rules of the translation of ``original``."""
    numbers = {
        "original": len(original.split()),
        "shortest": SHORTEST,
        "longest": LONGEST,
        **_script(surface, language),
    }
    return Rules({code: dict[str, str | int]() for code in TRANSLATING}, numbers)


def _script(surface: PageServices, language: str) -> dict[str, object]:
    return {"script": surface.scripts.get(language, ""), "least_share": LEAST_SHARE}
