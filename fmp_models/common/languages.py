"""The languages of the project: each has a folder with its grammar in ``fmp_models/languages``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_GRAMMARS = {path.parent.name: path for path in Path(__file__).parents[1].glob("languages/*/grammar.toml")}
LANGUAGES: tuple[str, ...] = tuple(sorted(_GRAMMARS))


@cache
def script_of(language: str) -> str | None:
    """Return the Unicode name of the script of a language; None for a language that the project does not have."""
    if language not in _GRAMMARS:
        return None
    return str(tomllib.loads(_GRAMMARS[language].read_text(encoding="utf-8"))["script"])
