"""Texts of results by language, for reports and for the tab that shows the same numbers."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ENGLISH = "en"
_COPY = Path(__file__).parents[1] / "copy"

Places = Mapping[str, str | int]


@dataclass(frozen=True)
class Note:
    """A remark on the results, by the key of its text; a place named ``language`` holds a language code."""

    key: str
    places: Places = field(default_factory=dict)


@dataclass(frozen=True)
class Words:
    """All texts of results in one language."""

    texts: Mapping[str, str] = field(repr=False)

    def __call__(self, key: str, **places: str | float) -> str:
        """Return the text of ``section.key`` with its places filled."""
        return self.texts[key].format(**places)

    def named(self, language: str) -> str:
        """Return the name of a language."""
        return self.texts.get(f"languages.{language}", language)

    def note(self, note: Note) -> str:
        """Return a note as a sentence."""
        return self(
            note.key,
            **{name: self.named(str(value)) if name == "language" else value for name, value in note.places.items()},
        )


def languages() -> tuple[str, ...]:
    """Return the languages that a report can be written in."""
    return tuple(sorted(path.stem for path in _COPY.glob("*.toml")))


@cache
def words(language: str = ENGLISH) -> Words:
    """Return the texts in one of the :func:`languages`."""
    sections = tomllib.loads((_COPY / f"{language}.toml").read_text(encoding="utf-8"))
    return Words({f"{section}.{key}": text for section, texts in sections.items() for key, text in texts.items()})
