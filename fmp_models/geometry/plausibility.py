"""Probability of a change between photographed poses: the share of plausible bodies that show it.

An estimator gives many bodies that fit a photograph (``Pose.pose_samples``). Each body of the current
photograph is paired with each of the target. The confidence in a clause is the share of these pairs in
which the measure changes as the clause says.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from fmp_models.geometry.attitudes import is_sitting
from fmp_models.geometry.clauses import Direction, Part
from fmp_models.geometry.lexicon import BODY_TURNS
from fmp_models.geometry.measures import Measure
from fmp_models.geometry.pose_values import bends_over, body_height, hangs, is_lying, trunk_tilt
from fmp_models.pose import INDEX, Array, PosePair, wrap_degrees, yaw

# Degrees of the trunk from upright, and between the yaws of two bodies, beyond which sideways heads are not compared.
_BENT, _SAME_SIDE = 55.0, 35.0
_ON_FEET = 0.3  # metres of the hips over the lower foot below which the person is on their hands


def sizes(measure: Measure, pair: PosePair) -> Array:
    """Return the change of the measure, in its unit, between all plausible bodies (m, n) of a pair."""
    (_, current), (_, target) = _bodies(measure, pair)
    return np.asarray(measure.change_of(pair)(current[:, None], target[None]))


def measured_size(measure: Measure, pair: PosePair) -> float:
    """Return the change of the measure, in its unit, between the two measured bodies."""
    (current, _), (target, _) = _bodies(measure, pair)
    return float(measure.change_of(pair)(current, target))


def _bodies(measure: Measure, pair: PosePair) -> list[tuple[Array, Array]]:
    """Return for each pose the measured body and the plausible ones (m, ...), in the form that the measure takes."""
    poses = pair.of_one_build
    if measure.of_faces:
        faces = [pose.faces for pose in (poses.current, poses.target)]
        return [(each[0], each[1:] if len(each) > 1 else each) for each in faces if each is not None]
    bodies = zip((poses.current, poses.target), (poses.pose_samples[0][:, 0], poses.pose_samples[1][0]), strict=True)
    return [(pose.joints, pose_samples) for pose, pose_samples in bodies]


def share_beyond(measure: Measure, pair: PosePair, least: float) -> float:
    """Return the share (0 to 1) of plausible pairs that change by more than ``least``, below it if it is negative."""
    plausible_sizes = sizes(measure, pair)
    return float(np.mean(plausible_sizes > least if least >= 0 else plausible_sizes < least))


def share_within(measure: Measure, pair: PosePair, most: float) -> float:
    """Return the share (0 to 1) of plausible pairs that change by less than ``most`` in either direction."""
    return float(np.mean(np.abs(sizes(measure, pair)) < most))


def applies(measure: Measure, pair: PosePair) -> bool:
    """Return whether the measure is meaningful for these two bodies and photographs show the joints that it needs."""
    return means_anything(measure, pair) and not hides(pair, measure.seen_joints)


def hides(pair: PosePair, names: Iterable[str]) -> bool:
    """Return whether at least one of two photographs does not show one of these joints."""
    unseen = pair.unseen
    return bool(unseen.any()) and any(unseen[INDEX[name]] for name in names)


def means_anything(measure: Measure, pair: PosePair) -> bool:
    """Return whether the measure is meaningful for these two bodies, seen or not."""
    poses = (pair.current, pair.target)
    lying = [bool(is_lying(pose.joints)) for pose in poses] if measure.needs_feet else [False]
    unmeasured = (measure.needs_room and not pair.placed) or (
        measure.of_faces and any(pose.gazes is None for pose in poses)
    )
    if unmeasured or (pair.uncertain and not _shown(measure, pair)):
        return False
    return not any(lying) or (all(lying) and measure.lies_too and pair.uncertain)


def _shown(measure: Measure, pair: PosePair) -> bool:
    """Return whether two photographs can show the measure, for sitting or hanging people, heads, and two cameras."""
    bodies = (pair.current.joints, pair.target.joints)
    on_seat = measure.part in {Part.BODY, Part.HIPS} and measure.direction not in BODY_TURNS
    if on_seat and all(is_sitting(joints) for joints in bodies):  # the seat carries the hips, wherever the feet are
        return False
    if measure.group == "trunk" and any(_hanging(measure, joints) for joints in bodies):
        return False
    if measure.part is Part.HEAD and not _shows_head(measure, pair):
        return False
    turns = (measure.part, measure.direction) == (Part.BODY, Direction.TURN_LEFT)
    return not turns or pair.of_one_camera or all(bool(is_lying(joints)) for joints in bodies)


def _shows_head(measure: Measure, pair: PosePair) -> bool:
    """Return whether photographs show how a head is held; to a side, only for upright people facing alike.

    Heads are held in front of the shoulders, and how much of that appears sideways depends on which way the
    body faces.
    """
    joints = [pose.joints for pose in (pair.current, pair.target)]
    if is_lying(joints[0]) != is_lying(joints[1]):
        return False
    if measure.direction not in {Direction.LEFT, Direction.TURN_LEFT}:
        return True
    turned = abs(float(wrap_degrees(yaw(joints[1]) - yaw(joints[0]))))
    return turned < _SAME_SIDE and all(bool(trunk_tilt(body) < _BENT) for body in joints)


def _hanging(measure: Measure, joints: Array) -> bool:
    """Return whether the trunk hangs and the measure is meaningless: any but the forward lean of a body on its feet."""
    forward = (measure.part, measure.direction) == (Part.TRUNK, Direction.FORWARD)
    return bool(hangs(joints)) and not (forward and bool(bends_over(joints)) and bool(body_height(joints) > _ON_FEET))
