"""Alignment points: what a teacher checks in a shape that both people hold, with finer thresholds than other changes.

If two photographed people very probably hold the same shape, their differences are within one pose: the
movements that the shape watches use a finer first threshold and come first. Since it is uncertain whether
a learner holds the shape, one of the two must hold it surely and the other nearly. All rules use sizes
and shares only; see :mod:`fmp_models.geometry.planning.planner`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fmp_models.geometry.changes import Change, Changes
from fmp_models.geometry.clauses import Clause, Direction, Part, Side
from fmp_models.geometry.measures import Group
from fmp_models.geometry.pose_values import point
from fmp_models.geometry.shapes.shape import HEIGHT, HELD, LEAN, Shape, near, share_holding
from fmp_models.geometry.shapes.table import SHAPES
from fmp_models.pose import PosePair

Axis = tuple[Part, Direction]  # a part and its positive direction

_NEAR_SLACKS = 1.5  # by which the less certain of two bodies may miss the ranges of a shape
_DEGREES, _LEGS = 8.0, 1 / 12  # smallest relevant difference, in degrees and in leg lengths
# Shares of the plausible bodies that must confirm a difference. Differences of hips and knees are seldom wrong in
# one shape; the height of the hips and the lean of the trunk are measured by many joints in any pair.
_SHARES: dict[Group, float] = {"legs": 0.65, "body": 0.65, "trunk": 0.7, "arms": 0.75}
_ALWAYS: dict[Axis, float] = {LEAN: 0.75, HEIGHT: 0.7}
_EVEN = 0.5
_FIRST_DEGREES = 1.0  # a measure with a smaller first threshold is a length


def shared_shapes(pair: PosePair) -> tuple[Shape, ...]:
    """Return the shapes that both poses very probably hold, on the same side of the body, the most specific first."""
    return tuple(shape for shape in SHAPES if any(_shared(shape, side, pair) for side in shape.sides))


def watched_axes(pair: PosePair) -> tuple[Axis, ...]:
    """Return the axes that a teacher checks in two photographs of one shape, most important first."""
    shapes = shared_shapes(pair) if pair.uncertain else ()
    return tuple(dict.fromkeys(axis for shape in shapes for axis in shape.watched))


def alignment_points(measured: Changes, axes: Sequence[Axis], pair: PosePair) -> Changes:
    """Return the large and certain changes along watched ``axes`` between two people in one pose.

    A lean and the height of the hips count in any pair, but need a larger share of plausible bodies.
    """
    found = {}
    for key, change in _counting(measured, (*axes, *_ALWAYS), pair).items():
        share = _SHARES[change.measure.group] if key[1:] in axes else _ALWAYS[key[1:]]
        if change.share >= share:
            found[key] = change
    return found


def likeliest_point(measured: Changes, axes: Sequence[Axis], pair: PosePair, least: float) -> Changes:
    """Return the most probable relevant changes, if at least a share ``least`` of the plausible bodies confirms them.

    Hips that are higher or lower by a first threshold need only an even chance, so that a seated person whose
    target stands is not told that all is well.
    """
    likely = {
        key: change
        for key, change in _counting(measured, (*axes, HEIGHT), pair).items()
        if change.share >= (_EVEN if key[1:] == HEIGHT and change.thresholds_reached else least)
    }
    most = max((change.share for change in likely.values()), default=1.0)
    return {key: change for key, change in likely.items() if change.share == most}


def place_among(axes: Sequence[Axis], clause: Clause) -> int:
    """Return the index of a clause among the watched ``axes``, or their number if it is not watched."""
    ways = ((clause.part, clause.direction), (clause.part, clause.direction.reverse))
    return next((place for place, axis in enumerate(axes) if axis in ways), len(axes))


def _shared(shape: Shape, side: Side, pair: PosePair) -> bool:
    poses = (pair.current, pair.target)
    if not all(shape.seen(pose, side) and near(shape.ranges, pose.joints, side, _NEAR_SLACKS) for pose in poses):
        return False
    surely = any(
        near(shape.ranges, pose.joints, side) and share_holding(shape.ranges, pose, side) >= HELD for pose in poses
    )
    return surely and all(share_holding(shape.ranges, pose, side, _NEAR_SLACKS) >= HELD for pose in poses)


def _counting(measured: Changes, axes: Sequence[Axis], pair: PosePair) -> Changes:
    return {key: change for key, change in measured.items() if key[1:] in axes and _counts(change, pair)}


def _counts(change: Change, pair: PosePair) -> bool:
    if change.measure.thresholds[0] >= _FIRST_DEGREES:
        return abs(change.size) >= _DEGREES
    return abs(change.size) >= _LEGS * _leg_length(pair)


def _leg_length(pair: PosePair) -> float:
    """Return the length of a leg in metres: the longer leg of each body, averaged over both bodies."""
    lengths = []
    for pose in (pair.current, pair.target):
        legs = [[point(pose.joints, f"{side}_{part}") for part in ("hip", "knee", "ankle")] for side in Side.BOTH.each]
        lengths.append(max(float(np.linalg.norm(np.diff(leg, axis=0), axis=-1).sum()) for leg in legs))
    return sum(lengths) / 2
