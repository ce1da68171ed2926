"""Pose parameters as rows of numbers between 0 and 1: their blocks by part of the body, and draws near others.

That a pose is a point in a cube makes it easy to change: a little (every number a little), or in one limb (that limb's
numbers anew), and to mirror (the limbs' numbers change places).
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
_ALIKE = {"arm": 6, "leg": 7}  # columns of "whole" that say whether both limbs do the same
_ALIKE_SHARE = 0.4
# The first columns of a block choose between kinds: a small change leaves them as they are.
CHOICES = [BLOCKS["whole"].start + i for i in (0, 1, 6, 7)] + [BLOCKS[name].start for name in BLOCKS if name != "whole"]


class PoseNumbers:
    """Rows (n, WIDTH) of numbers, read by block and column."""

    def __init__(self, rows: Array) -> None:
        self._rows = rows
        self.count = len(rows)

    def raw(self, block: str, column: int) -> Array:
        """A column (n,) as it is; limbs that do the same have the left one's numbers."""
        own = self._rows[:, BLOCKS[block].start + column]
        limb, _, side = block.partition(".")
        if side == "R":
            alike = self._rows[:, BLOCKS["whole"].start + _ALIKE[limb]] < _ALIKE_SHARE
            own = np.where(alike, self._rows[:, BLOCKS[f"{limb}.L"].start + column], own)
        return np.asarray(own)

    def between(self, block: str, column: int, low: float, high: float) -> Array:
        """A column spread evenly from low to high."""
        return low + (high - low) * self.raw(block, column)

    def around(self, block: str, column: int, middle: float, most: float) -> Array:
        """A column about a middle, seldom as far away as ``most``."""
        x = 2 * self.raw(block, column) - 1
        return middle + most * (0.35 * x + 0.65 * x**3)

    def kind(self, block: str, shares: dict[str, float], column: int = 0) -> Array:
        """Which of the kinds (n,) a column chooses, each as often as its share."""
        ends = np.cumsum(list(shares.values())) / sum(shares.values())
        chosen = np.minimum(np.searchsorted(ends, self.raw(block, column), side="right"), len(ends) - 1)
        return np.array(list(shares), dtype=object)[chosen]

    def subset(self, rows: NDArray[np.intp]) -> PoseNumbers:
        """Only these rows."""
        return PoseNumbers(self._rows[rows])


def drawn(random: np.random.Generator, count: int) -> Array:
    """Rows (count, WIDTH) of numbers, every one as likely as another."""
    return random.random((count, WIDTH))


def changed_a_little(random: np.random.Generator, rows: Array, size: Array | float) -> Array:
    """The same kinds with numbers that stray by ``size``, and half of the blocks left alone."""
    strayed = rows + random.normal(0.0, size, rows.shape)
    strayed = np.abs(strayed)
    strayed = 1 - np.abs(1 - strayed)
    strayed[:, CHOICES] = rows[:, CHOICES]
    for block in BLOCKS.values():
        left = random.random(len(rows)) < 0.5
        strayed[left, block] = rows[left, block]
    return np.clip(strayed, 0.0, 1.0 - 1e-9)


def changed_limbs(random: np.random.Generator, rows: Array) -> Array:
    """One to three of trunk, head, arms and legs drawn anew, and the others as they were."""
    parts = [name for name in BLOCKS if name != "whole"]
    order = random.random((len(rows), len(parts))).argsort(axis=1)
    count = random.integers(1, 4, len(rows))
    changed = rows.copy()
    for i, name in enumerate(parts):
        new = (order[:, i] < count)[:, None]
        block = BLOCKS[name]
        changed[:, block] = np.where(new, random.random((len(rows), block.stop - block.start)), rows[:, block])
    # What differs from one side to the other is not alike any more.
    for limb, column in _ALIKE.items():
        once = np.ones(len(rows), dtype=bool)
        for side in SIDES:
            once &= order[:, parts.index(f"{limb}.{side}")] >= count
        changed[~once, BLOCKS["whole"].start + column] = np.where(
            random.random(int((~once).sum())) < 0.5, 0.999, changed[~once, BLOCKS["whole"].start + column]
        )
    return changed
