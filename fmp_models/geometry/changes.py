"""Changes between two poses: all measured axes with their size and, for photographs, their probability."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fmp_models.geometry.all_measures import ALL_MEASURES
from fmp_models.geometry.clauses import Direction, Part, Side
from fmp_models.geometry.lexicon import LIMBS
from fmp_models.geometry.measures import Measure
from fmp_models.geometry.plausibility import applies, hides, measured_size, share_beyond
from fmp_models.pose import INDEX, PosePair

VISIBLE = 0.55  # a less visible joint is not measured in a pose without plausible bodies
STAYED = 1.5  # share of the first threshold by which a still part changes at most
ENOUGH = 0.5  # share of the first threshold that plausible bodies must change by to confirm a change


@dataclass(frozen=True)
class Change:
    """One measured axis: ``size`` in its unit, ``salience`` in middle thresholds times the weight of the measure.

    ``share`` is the share of the plausible bodies that change in the same direction by a relevant amount.
    """

    measure: Measure
    size: float
    share: float = 1.0

    @property
    def salience(self) -> float:
        """How much this change deserves to be said; rounded so that a mirror image ties exactly."""
        return round(abs(self.size) / self.measure.thresholds[1] * self.measure.weight, 6)

    @property
    def thresholds_reached(self) -> int:
        """The number of thresholds that the change reaches, 0 to 3."""
        return sum(abs(self.size) >= step for step in self.measure.thresholds)

    @property
    def direction(self) -> Direction:
        """The direction of the change."""
        return self.measure.direction if self.size > 0 else self.measure.direction.reverse


Key = tuple[Side, Part, Direction]  # side, part and positive direction
Changes = dict[Key, Change]


def changes(pair: PosePair) -> Changes:
    """Return all axes that can be measured between the two poses, by (side, part, positive direction)."""
    return {
        (measure.side, measure.part, measure.direction): change
        for measure in ALL_MEASURES
        if measure.weight and (change := change_of(measure, pair)) is not None
    }


def change_of(measure: Measure, pair: PosePair) -> Change | None:
    """Return the change along one axis; ``None`` if it is meaningless here or a needed joint is not seen."""
    if not applies(measure, pair) or not seen(measure, pair):
        return None
    size = measured_size(measure, pair)
    share = share_beyond(measure, pair, math.copysign(ENOUGH * measure.thresholds[0], size)) if pair.uncertain else 1.0
    return Change(measure, size, share)


def seen(measure: Measure, pair: PosePair) -> bool:
    """Return whether all joints of the measure are visible; in photographs, whether they show the joints it needs."""
    if pair.uncertain:
        return not hides(pair, measure.seen_joints)
    return bool(pair.visibility[[INDEX[name] for name in measure.joints]].min() >= VISIBLE)


def measures_of(side: Side, part: Part) -> list[Measure]:
    """Return all axes in which a part must not change to have kept its place."""
    parts = LIMBS.get(part, frozenset({part}))
    sides: set[Side] = {Side.LEFT, Side.RIGHT, Side.BOTH} if side is Side.BOTH else {side}
    if part is Part.LEG:
        sides.add(Side.BOTH)  # the stance belongs to both legs
    return [m for m in ALL_MEASURES if m.weight and m.part in parts and m.side in sides]
