"""Clauses: language-neutral instructions with a part, a direction, a degree and the relations reached.

A plan is a tuple of clauses, most important first. Realisers produce text from clauses, parsers produce
clauses from text, and the geometry judges them. Their words are listed in :mod:`fmp_models.geometry.lexicon`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fmp_models.geometry.lexicon import Degree, Direction, Part, Relation, Side

__all__ = ["Clause", "Degree", "Direction", "Part", "Plan", "Relation", "Side"]


@dataclass(frozen=True, order=True)
class Clause:
    """One instruction: *left* *knee*, *bend*, *slight*; the relations reached are in a fixed order."""

    side: Side
    part: Part
    direction: Direction
    degree: Degree = Degree.PLAIN
    relations: tuple[Relation, ...] = ()

    @property
    def part_name(self) -> str:
        """The part with its side in plain English, as in ``--json``: ``left knee``, ``both arms``, ``trunk``."""
        if self.side is Side.NONE:
            return self.part.value
        if self.side is Side.BOTH:
            return f"both {self.part.plural}"
        return f"{self.side.value} {self.part.value}"

    @property
    def mirrored(self) -> Clause:
        """The clause of the mirrored pair."""
        return replace(self, side=self.side.mirrored, direction=self.direction.mirrored)


Plan = tuple[Clause, ...]
