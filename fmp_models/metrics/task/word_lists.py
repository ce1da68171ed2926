"""The word lists that define the three task metrics, as released."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILES = {path.stem.removeprefix("words_"): path for path in sorted(Path(__file__).parent.glob("words_*.toml"))}
LANGUAGES_WITH_WORDS: tuple[str, ...] = tuple(_FILES)


@dataclass(frozen=True)
class WordLists:
    """The word lists of one language, each in the order in which the metrics read it.

    ``body_part_groups`` are the words of each group of joints, ``direction`` the lists of the direction rules.
    """

    rights: tuple[str, ...]
    lefts: tuple[str, ...]
    more_rights: tuple[str, ...]  # spellings missing from the release's lists
    more_lefts: tuple[str, ...]
    object_words: tuple[str, ...]
    body_part_groups: dict[str, tuple[str, ...]]
    direction: dict[str, tuple[str, ...]]
    direction_synonyms: tuple[tuple[str, ...], ...]


@cache
def word_lists(language: str) -> WordLists:
    """Return the lists of one language; raise ``ValueError`` for a language without lists."""
    if language not in _FILES:
        raise ValueError(
            f"this metric has no word lists for “{language}”; available: {', '.join(LANGUAGES_WITH_WORDS)}"
        )
    table = tomllib.loads(_FILES[language].read_text(encoding="utf-8"))
    return WordLists(
        rights=tuple(table["rights"]),
        lefts=tuple(table["lefts"]),
        more_rights=tuple(table.get("more_rights", ())),
        more_lefts=tuple(table.get("more_lefts", ())),
        object_words=tuple(table["object_words"]),
        body_part_groups={group: tuple(words) for group, words in table["body_part_groups"].items()},
        direction={name: tuple(words) for name, words in table["direction"].items()},
        direction_synonyms=tuple(tuple(group) for group in table["direction_synonyms"]),
    )
