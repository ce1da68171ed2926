"""Verdict on a clause: whether the joints agree, and how surely, for the text of any model."""

from __future__ import annotations

import math

import numpy as np

from fmp_models.geometry.all_measures import BY_AXIS
from fmp_models.geometry.changes import STAYED, measures_of, seen
from fmp_models.geometry.clauses import Clause, Direction, Part, Relation, Side
from fmp_models.geometry.lexicon import SOMEWHERE, TURNS, BodyAxis
from fmp_models.geometry.measures import Measure
from fmp_models.geometry.plausibility import (
    applies,
    hides,
    means_anything,
    measured_size,
    share_beyond,
    share_within,
)
from fmp_models.geometry.relations import joints_of, ranges_of
from fmp_models.pose import INDEX, Array, Pose, PosePair

_ENOUGH = 1 / 3  # share of the first threshold below which there is no movement in the stated direction
_DECIDING_SHARE = 0.6  # share of the plausible bodies that decides


def agrees(clause: Clause, pair: PosePair) -> bool | None:
    """Return whether the change between the poses is what the clause says; ``None`` if joints cannot tell.

    The direction must be right by more than a third of the measure's first threshold, on both sides for
    "both", and each relation must hold in the target within its slack. A part that moves or turns somewhere
    must change by a first threshold in any of its measures. Degrees are not judged: people's use of
    "slightly" differs too much.
    """
    if (clause.side is Side.NONE and clause.part.sided) or clause.direction is Direction.UNSEEN:
        return None  # "bend the elbow" does not say which one
    if not photographed_whole(clause, pair):
        return None
    if clause.direction is Direction.KEEP:
        verdicts = [_still(m, pair) for m in measures_of(clause.side, clause.part) if means_anything(m, pair)]
    elif clause.direction in SOMEWHERE:
        verdicts = [_changed(_measures_somewhere(clause, side), pair) for side in clause.side.each]
    else:
        verdicts = [_moved(measure, sign, pair) for measure, sign in axes_of(clause)]
        visible = all(seen(measure, pair) for measure in measures_of(clause.side, clause.part))
        verdicts += [holds(clause, relation, pair.target) if visible else None for relation in clause.relations]
    if not verdicts or None in verdicts:
        return False if False in verdicts else None
    return all(verdicts)


def confidence(clause: Clause, pair: PosePair) -> float:
    """Return the probability (0 to 1) that the clause is true; the least certain axis decides.

    For photographs it is the share of plausible bodies that confirm the clause. For exact joints it is the
    probability that a normal error with the measure's own deviation leaves it true, times the visibility. A
    clause without a movement, or with one that photographs do not show, has an even chance.
    """
    if not photographed_whole(clause, pair):
        return 0.5
    if clause.direction is Direction.KEEP:
        still = [m for m in measures_of(clause.side, clause.part) if applies(m, pair)]
        if pair.uncertain:
            return min((share_within(m, pair, STAYED * m.thresholds[0]) for m in still), default=0.0)
        return min(
            (_chance(m, STAYED * m.thresholds[0] - abs(measured_size(m, pair)), pair) for m in still), default=0.0
        )
    if clause.direction in SOMEWHERE:
        return min(_chance_of_change(_measures_somewhere(clause, side), pair) for side in clause.side.each)
    axes = axes_of(clause)
    if pair.uncertain:
        return min(
            (share_beyond(m, pair, sign * _ENOUGH * m.thresholds[0]) for m, sign in axes if applies(m, pair)),
            default=0.5,
        )
    margins = [(m, sign * measured_size(m, pair) - _ENOUGH * m.thresholds[0]) for m, sign in axes if not m.of_faces]
    return min((_chance(m, margin, pair) for m, margin in margins), default=0.5)


def photographed_whole(clause: Clause, pair: PosePair) -> bool:
    """Return whether photographs show all joints of the clause; for a part that moves somewhere, some joints do."""
    if not pair.unseen.any():
        return True
    measures = [m for m, _ in axes_of(clause)]
    if clause.direction is Direction.KEEP:
        measures = [m for m in measures_of(clause.side, clause.part) if means_anything(m, pair)]
    return not any(hides(pair, m.seen_joints) for m in measures) and all(
        shows_end(clause, relation, pair) for relation in clause.relations
    )


def shows_end(clause: Clause, relation: Relation, pair: PosePair) -> bool:
    """Return whether photographs show the joints of a relation that the clause names."""
    ranges = ranges_of(clause.part, clause.direction, relation)
    return not any(hides(pair, joints_of(ranges, side)) for side in clause.side.of_body)


def holds(clause: Clause, relation: Relation, target: Pose) -> bool | None:
    """Return whether the target meets a relation of the clause within its slack; ``None`` if joints cannot tell."""
    beyond = excess(clause, relation, target.joints)
    return None if beyond is None else bool(beyond <= 1.0)


def excess(clause: Clause, relation: Relation, bodies: Array) -> Array | None:
    """Return how far ``bodies`` (..., 20, 3) are from a relation of the clause, (...) in slacks, on the worst side.

    ``None`` if joints cannot tell.
    """
    ranges = ranges_of(clause.part, clause.direction, relation)
    beyond = [
        np.broadcast_to(bounds.excess(bodies, side), bodies.shape[:-2])
        for bounds in ranges
        for side in clause.side.of_body
    ]
    return np.asarray(np.max(beyond, axis=0)) if beyond else None


def _chance(measure: Measure, margin: float, pair: PosePair) -> float:
    """Return the probability that an error does not use up ``margin``."""
    visible = float(pair.visibility[[INDEX[name] for name in measure.joints]].min())
    return visible * 0.5 * (1 + math.erf(margin / measure.noise / math.sqrt(2)))


def axes_of(clause: Clause) -> list[tuple[Measure, float]]:
    """Return the measures of a clause, each with the sign of its direction; empty if there are none."""
    key = (clause.side, clause.part, clause.direction)
    if key in BY_AXIS:
        return [BY_AXIS[key]]
    sides = (Side.LEFT, Side.RIGHT) if clause.side is Side.BOTH else ()
    side_axes = [BY_AXIS.get((side, clause.part, _sideways(side, clause.direction))) for side in sides]
    return [axis for axis in side_axes if axis is not None] if all(side_axes) else []


def _moved(measure: Measure, sign: float, pair: PosePair) -> bool | None:
    if not applies(measure, pair) or not seen(measure, pair):
        return None
    least = _ENOUGH * measure.thresholds[0]
    if pair.uncertain:
        return _decided(share_beyond(measure, pair, sign * least))
    return sign * measured_size(measure, pair) > least


def _still(measure: Measure, pair: PosePair) -> bool | None:
    if not applies(measure, pair) or not seen(measure, pair):
        return None
    most = STAYED * measure.thresholds[0]
    if pair.uncertain:
        return _decided(share_within(measure, pair, most))
    return abs(measured_size(measure, pair)) < most


def _measures_somewhere(clause: Clause, side: Side) -> list[Measure]:
    """Return the measures of one side in which a part can have moved or turned somewhere."""
    if clause.direction is Direction.TURN:
        return [m for m in measures_of(side, clause.part) if m.direction in TURNS]
    if clause.part in {Part.HEAD, Part.SHOULDER}:
        return []  # they move with the trunk
    if clause.part is Part.BODY:
        return [m for m in measures_of(side, clause.part) if m.direction not in TURNS]
    return measures_of(side, clause.part.limb)


def _changed(measures: list[Measure], pair: PosePair) -> bool | None:
    """Return whether any measure changes by a first threshold; false only if all are known and stay."""
    known = [m for m in measures if applies(m, pair) and seen(m, pair)]
    sizes = [_far(m, m.thresholds[0], pair) for m in known]
    if True in sizes:
        return True
    stays = len(known) == len(measures) and all(_far(m, _ENOUGH * m.thresholds[0], pair) is False for m in known)
    return False if known and stays else None


def _far(measure: Measure, least: float, pair: PosePair) -> bool | None:
    """Return whether a measure changes by more than ``least`` in either direction."""
    if pair.uncertain:
        return _decided(1 - share_within(measure, pair, least))
    return abs(measured_size(measure, pair)) > least


def _chance_of_change(measures: list[Measure], pair: PosePair) -> float:
    """Return the probability that the most certain measure shows a movement; 0.5 if none can tell."""
    known = [m for m in measures if applies(m, pair)]
    if pair.uncertain:
        return max((1 - share_within(m, pair, _ENOUGH * m.thresholds[0]) for m in known), default=0.5)
    return max((_chance(m, abs(measured_size(m, pair)) - _ENOUGH * m.thresholds[0], pair) for m in known), default=0.5)


def _decided(share: float) -> bool | None:
    """Return what most plausible bodies show; ``None`` if they are divided."""
    return None if 1 - _DECIDING_SHARE < share < _DECIDING_SHARE else share >= _DECIDING_SHARE


def _sideways(side: Side, direction: Direction) -> Direction:
    """Return the outward or inward direction of one hand when both hands go to the left or right."""
    return direction.of_part(side) if direction.axis is BodyAxis.LATERAL else direction
