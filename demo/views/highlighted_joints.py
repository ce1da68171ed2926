"""Highlighted joints: the joints of the figures and the rows of the chart that a step concerns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fmp_models.geometry.lexicon import Part, Side
from fmp_models.pose import BODY_PARTS, INDEX


@dataclass(frozen=True)
class HighlightedJoints:
    """Indices of joints in ascending order, and the names of the chart's rows."""

    joints: tuple[int, ...] = ()
    rows: tuple[str, ...] = ()


NOTHING = HighlightedJoints()


def highlighted_joints(parts: Iterable[tuple[Side, Part]]) -> HighlightedJoints:
    """Return the joints and rows that clauses about these parts concern."""
    names = {name for side, part in parts if side is not Side.NONE or not part.sided for name in part.joints(side)}
    rows = tuple(row for row, of_row in BODY_PARTS.items() if names & set(of_row))
    return HighlightedJoints(tuple(sorted(INDEX[name] for name in names)), rows)
