"""Changes between two poses: all measured axes with their size, their probability, and as numbers for a network.

An estimator gives many bodies that fit a photograph (``Pose.pose_samples``). Each body of the current photograph is
paired with each of the target. The confidence in a clause is the share of these pairs in which the measure changes as
the clause says.

Change features are in the person's own pelvis frame without yaw, so the place of the camera does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.geometry.lexicon import BODY_TURNS, LIMBS, Direction, Part, Side
from fmp_models.geometry.measures import ALL_MEASURES, MEASURES, Measure
from fmp_models.geometry.pose_values import (
    bends_over,
    body_height,
    floor,
    hangs,
    is_kneeling,
    is_lying,
    is_sitting,
    is_standing,
    trunk_tilt,
)
from fmp_models.pose import INDEX, Array, PosePair, in_pelvis_frame, wrap_degrees, yaw

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


_FARTHEST = 3.0  # changes are clipped at this many middle thresholds
_METRE = 2.0  # factor for metres, so that most values are near one
_ATTITUDES: tuple[Callable[[Array], NDArray[np.bool_]], ...] = (is_lying, is_sitting, is_kneeling, is_standing)


def _parts() -> dict[str, tuple[tuple[str, ...], tuple[Measure, ...]]]:
    """Return the joints and the measures of each part; measures of both hands or both feet belong to both limbs."""
    regions = {}
    for limb in LIMBS:
        for side in ("left", "right"):
            sides = {Side(side), Side.BOTH}
            parts = {limb, Part.SHOULDER} if limb is Part.ARM else {limb}
            measures = tuple(m for m in MEASURES if m.side in sides and m.part.limb in parts)
            regions[f"{side}_{limb}"] = limb.joints(Side(side)), measures
    trunk = ("spine", "neck", *(f"{side}_{part}" for side in ("left", "right") for part in ("hip", "shoulder")))
    for part, joints, of in (
        ("head", ("head",), {Part.HEAD}),
        ("trunk", trunk, {Part.TRUNK}),
        ("body", ("hip",), {Part.BODY, Part.HIPS}),
    ):
        regions[part] = joints, tuple(m for m in MEASURES if m.part in of and not m.needs_room)
    return regions


FEATURE_PARTS = _parts()  # by name; together they contain all joints
FEATURE_SIZES = {
    part: len(measures) + 6 * len(joints) + (2 * len(_ATTITUDES) + 2) * (part == "body")
    for part, (joints, measures) in FEATURE_PARTS.items()
}


def pose_changes(current: ArrayLike, target: ArrayLike) -> NDArray[np.float32]:
    """Return the change features between poses ``current`` and ``target``, (..., 20, 3) metres, as (..., sum of SIZES).

    The parts follow each other in the order of :data:`FEATURE_PARTS`. Values that cannot be measured are zero.
    """
    before, after = np.broadcast_arrays(np.asarray(current, np.float64), np.asarray(target, np.float64))
    bodies = [in_pelvis_frame(joints) for joints in (before, after)]
    columns = []
    for part, (joints, measures) in FEATURE_PARTS.items():
        columns += [
            np.clip(m.change(before, after) / m.thresholds[1], -_FARTHEST, _FARTHEST)[..., None] for m in measures
        ]
        places = [INDEX[name] for name in joints]
        columns += [(body[..., places, :] * _METRE).reshape(*body.shape[:-2], -1) for body in bodies]
        if part == "body":
            columns += [
                np.stack([*(attitude(pose) for attitude in _ATTITUDES), -floor(body) * _METRE], axis=-1)
                for pose, body in zip((before, after), bodies, strict=True)
            ]
    return np.nan_to_num(np.concatenate(columns, axis=-1)).astype(np.float32)
