"""One press on the page: who made it, what the page said with it, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.identity import Annotator

_LONGEST_WORD = 2000  # characters of a name or an id; whatever a person writes is a field, and never cut

Said = Mapping[str, Any]
Shown = dict[str, Any]


@dataclass(frozen=True)
class Visit:
    """A press by an ``annotator``, with whatever was ``said``; ``participant`` as whom a payment service sent them."""

    annotator: Annotator
    said: Said
    participant: str = ""

    def text(self, name: str) -> str:
        """A short text that was sent; empty where none was."""
        return short_text(self.said, name)

    @property
    def spares(self) -> bool:
        """Whether pairs are kept back that this person has yet to find; not where they asked for them all the same."""
        return self.said.get("unsparing") is not True


def short_text(said: Said, name: str) -> str:
    """A name or an id that was sent; empty where none was."""
    value = said.get(name)
    return value[:_LONGEST_WORD] if isinstance(value, str) else ""
