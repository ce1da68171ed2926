"""Probability of a change where joints were measured in photographs: the share of plausible bodies that show it.

An estimator gives many bodies that a photograph bears (``Pose.plausible``). Each body of the current photograph goes
with each of the target; the share of these pairs in which a measure changes as a clause says is how sure the clause is.
"""

from __future__ import annotations

import numpy as np

from fmp_models.geometry.clauses import Direction, Part
from fmp_models.geometry.measures import Measure
from fmp_models.geometry.pose_values import bends_over, body_height, hangs, is_lying
from fmp_models.pose import Array, PosePair

_ON_FEET = 0.3  # metres of the hips over the lower foot, below which somebody stands on their hands


def sizes(measure: Measure, pair: PosePair) -> Array:
    """What the measure changes by, in its unit, between all plausible bodies (m, n) of a pair.

    Their middle is what was measured: an error only ever bends what is straight, and the joints have theirs already.
    """
    plausible_sizes = measure.change(*pair.plausible)
    measured = measure.change(pair.current.joints, pair.target.joints)
    return np.asarray(plausible_sizes + (measured - np.median(plausible_sizes)))


def share_beyond(measure: Measure, pair: PosePair, least: float) -> float:
    """The share (0 to 1) of plausible pairs that change by more than ``least``, with its sign: below it if negative."""
    plausible_sizes = sizes(measure, pair)
    return float(np.mean(plausible_sizes > least if least >= 0 else plausible_sizes < least))


def share_within(measure: Measure, pair: PosePair, most: float) -> float:
    """The share (0 to 1) of plausible pairs that change by less than ``most``, whichever way."""
    return float(np.mean(np.abs(sizes(measure, pair)) < most))


def applies(measure: Measure, pair: PosePair) -> bool:
    """Whether the measure means anything for these two bodies."""
    if measure.needs_room and not pair.placed:
        return False
    if (
        pair.doubtful
        and measure.group == "trunk"
        and any(_hanging(measure, pose.joints) for pose in (pair.current, pair.target))
    ):
        return False
    return not (measure.needs_feet and any(is_lying(pose.joints) for pose in (pair.current, pair.target)))


def _hanging(measure: Measure, joints: Array) -> bool:
    """Whether a trunk hangs and the measure means nothing then: all but leaning forward, on one's feet."""
    forward = (measure.part, measure.direction) == (Part.TRUNK, Direction.FORWARD)
    return bool(hangs(joints)) and not (forward and bool(bends_over(joints)) and bool(body_height(joints) > _ON_FEET))
