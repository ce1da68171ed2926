"""Pose parameters as rows of numbers between 0 and 1: blocks by part of the body, and small changes of them.

Because a pose is a point in a cube, it is easy to change slightly (every number a little), in one limb (redraw that
limb's numbers), and to mirror (exchange the limbs' numbers).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fmp_models.pose import Array
from fmp_models.sim.people.posing import SIDES

_WIDTHS = {"whole": 8, "trunk": 8, "head": 3, "arm.L": 10, "arm.R": 10, "leg.L": 10, "leg.R": 10}
BLOCKS: dict[str, slice] = {}
for _name, _width in _WIDTHS.items():
    _first = sum(_WIDTHS[name] for name in BLOCKS)
    BLOCKS[_name] = slice(_first, _first + _width)
WIDTH = sum(_WIDTHS.values())
_ALIKE = {"arm": 6, "leg": 7}  # columns of "whole" that decide whether both limbs do the same
_ALIKE_SHARE = 0.4
# The first columns of a block choose between kinds: a small change leaves them as they are.
CHOICES = [BLOCKS["whole"].start + i for i in (0, 1, 6, 7)] + [BLOCKS[name].start for name in BLOCKS if name != "whole"]


class PoseNumbers:
    """Rows (n, WIDTH) of numbers, read by block and column."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows
        self.count = len(rows)

    def raw(self, block: str, column: int) -> Array:
        """Return a column (n,) as it is; a right limb that copies the left one returns the left one's numbers."""
        own = self._rows[:, BLOCKS[block].start + column]
        limb, _, side = block.partition(".")
        if side == "R":
            alike = self._rows[:, BLOCKS["whole"].start + _ALIKE[limb]] < _ALIKE_SHARE
            own = np.where(alike, self._rows[:, BLOCKS[f"{limb}.L"].start + column], own)
        return np.asarray(own)

    def between(self, block: str, column: int, low: float, high: float) -> Array:
        """Return a column scaled uniformly to ``low`` to ``high``."""
        return low + (high - low) * self.raw(block, column)

    def around(self, block: str, column: int, middle: float, most: float) -> Array:
        """Return a column distributed around ``middle``, seldom as far away as ``most``."""
        x = 2 * self.raw(block, column) - 1
        return middle + most * (0.35 * x + 0.65 * x**3)

    def kind(self, block: str, shares: dict[str, float], column: int = 0) -> Array:
        """Return the kind (n,) that a column selects, with probabilities in proportion to the shares."""
        ends = np.cumsum(list(shares.values())) / sum(shares.values())
        chosen = np.minimum(np.searchsorted(ends, self.raw(block, column), side="right"), len(ends) - 1)
        return np.array(list(shares), dtype=object)[chosen]

    def subset(self, rows: NDArray[np.intp]) -> PoseNumbers:
        """Return only these rows."""
        return PoseNumbers(self._rows[rows])


def drawn(random: np.random.Generator, count: int) -> Array:
    """Draw rows (count, WIDTH) of uniform numbers."""
    return random.random((count, WIDTH))


def changed_a_little(random: np.random.Generator, rows: Array, size: Array | float) -> Array:
    """Return rows of the same kinds with noise of standard deviation ``size``; half of the blocks are kept."""
    strayed = rows + random.normal(0.0, size, rows.shape)
    strayed = np.abs(strayed)
    strayed = 1 - np.abs(1 - strayed)
    strayed[:, CHOICES] = rows[:, CHOICES]
    for block in BLOCKS.values():
        left = random.random(len(rows)) < 0.5
        strayed[left, block] = rows[left, block]
    return np.clip(strayed, 0.0, 1.0 - 1e-9)


def changed_limbs(random: np.random.Generator, rows: Array) -> Array:
    """Return rows with one to three of trunk, head, arms and legs redrawn and the others kept."""
    parts = [name for name in BLOCKS if name != "whole"]
    order = random.random((len(rows), len(parts))).argsort(axis=1)
    count = random.integers(1, 4, len(rows))
    changed = rows.copy()
    for i, name in enumerate(parts):
        new = (order[:, i] < count)[:, None]
        block = BLOCKS[name]
        changed[:, block] = np.where(new, random.random((len(rows), block.stop - block.start)), rows[:, block])
    # Limbs of which one side was redrawn must not be copies of each other.
    for limb, column in _ALIKE.items():
        once = np.ones(len(rows), dtype=bool)
        for side in SIDES:
            once &= order[:, parts.index(f"{limb}.{side}")] >= count
        changed[~once, BLOCKS["whole"].start + column] = np.where(
            random.random(int((~once).sum())) < 0.5, 0.999, changed[~once, BLOCKS["whole"].start + column]
        )
    return changed
