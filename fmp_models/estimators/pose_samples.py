"""Plausible bodies: draws of joint errors, each as plausible in the photograph as the body that was measured.

An estimator looks at a person several times, in squares of several sizes, plain and mirrored. Where the looks differ,
each of them is plausible; and all of them share errors that no further look would show. Those are drawn here: smaller
along the picture than in depth, larger for legs than for arms and for these than for the trunk, and larger where a
joint is hidden. A joint errs in part as the one that it hangs on, and now and then a whole limb is seen far off.

Nearly any error of a joint bends a limb that is straight and tilts one that hangs, so that independent errors would
make every body a little more crouched than the one that was measured. A limb is therefore bent more or less by what
its error is along its own bend, and no limb is straighter than straight: then as many errors straighten as bend.

The draws are the same for every photograph and closed under mirroring, so that the mirrored photograph has exactly the
mirrored bodies.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.common.rotations import rotations
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, MIRROR, Array, mirrored_joints

# These were chosen where people labelled what changes between real photographs, so that of the changes that 80 in 100
# plausible pairs of bodies show 80 in 100 are right.
_ALONG, _DEPTH = 0.03, 0.055  # metres of a joint that is wholly visible, along the picture (x and y), and in depth
_STEADY, _LEGS = 0.7, 1.5  # shares of these by which joints of the trunk, and knees, ankles and feet are wrong
_HIDDEN = 1.6  # a hidden joint is wrong by so many times more, on top
_OUTSIDE = 0.25  # metres, in every direction: a joint outside the picture may be nearly anywhere
_CARRIED = 0.5  # correlation of a joint's error with that of the one that it hangs on
_FREEDOM = 3  # degrees of freedom of Student's distribution: few, since gross errors of a limb are not rare
# Degrees that a whole body is turned wrongly about the axes x, y and z: how the camera was held is never known for
# sure, and what leans towards it looks upright.
_TURNS = (7.0, 6.0, 2.0)
_GAZE = 0.12  # radians by which a face is seen to look elsewhere than it does
_DRAWS = 64  # for all looks; half of them are the mirror images of the other half
_TRUNK = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "shoulder")]
_LEG_JOINTS = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("knee", "ankle", "foot")]
_LIMBS = [
    [INDEX[f"{side}_{part}"] for part in parts]
    for side in BODY_SIDES
    for parts in (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "foot"))
]
_ARMS = [limb for limb in _LIMBS if limb[0] in {INDEX[f"{side}_shoulder"] for side in BODY_SIDES}]
# Joints between others move with them: as mixtures, so that no spine leaves its hips.
_BETWEEN = {
    "hip": {"left_hip": 0.5, "right_hip": 0.5},
    "spine": {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    "neck": {"left_shoulder": 0.4, "right_shoulder": 0.4, "head": 0.2},
}
_LEVEL = np.array([1.0, 0.0, 1.0])  # keeps the horizontal part of a vector
_SOMEWHERE = np.array([0.0, -0.3, 1.0])  # the way that a limb bends of which nothing else tells it


def sampled_joints(looks: ArrayLike, visibility: Array, inside: ArrayLike) -> Array:
    """Bodies (64, 20, 3) in metres, of ``looks`` (k, 20, 3) at one person, each as likely as another.

    ``visibility`` (20,) is between 0 and 1, ``inside`` (20,) says which joints lie in the picture.
    """
    joints = np.asarray(looks, dtype=np.float64)
    hidden = 1 + _HIDDEN * (1 - visibility)[:, None]
    deviation = np.array([_ALONG, _ALONG, _DEPTH]) * hidden
    deviation[_TRUNK] *= _STEADY
    deviation[_LEG_JOINTS] *= _LEGS
    deviation = np.where(np.asarray(inside, dtype=bool)[:, None], deviation, _OUTSIDE)
    errors = deviation * _draws()
    for joint, shares in _BETWEEN.items():
        errors[:, INDEX[joint]] = sum(share * errors[:, INDEX[name]] for name, share in shares.items())
    look_of = np.arange(len(errors)) % (_DRAWS // 2) % len(joints)  # a draw and its mirror image are of the same look
    seen = joints[look_of]
    hips = seen[:, :1]
    turned = np.asarray((seen - hips) @ np.swapaxes(_turns(), -1, -2) + hips)
    return _bent_as_often_as_straightened(turned + errors, turned)


def _bent_as_often_as_straightened(bodies: Array, seen: Array) -> Array:
    """The ``bodies`` (n, 20, 3) with limbs that are bent and tilted from those ``seen`` by signed amounts."""
    for _, elbow, wrist, hand in _ARMS:
        for joint, carried in ((elbow, [elbow, wrist, hand]), (wrist, [wrist, hand])):
            tilt, seen_tilt = ((body[:, joint] - body[:, joint - 1]) * _LEVEL for body in (bodies, seen))
            bodies[:, carried] += _reaching(tilt, seen_tilt)[:, None]
    for root, middle, end, _ in _LIMBS:
        bend, seen_bend = (
            _across(body[:, middle] - body[:, root], body[:, end] - body[:, root]) for body in (bodies, seen)
        )
        bodies[:, middle] += _reaching(bend, seen_bend)
    return bodies


def _reaching(vectors: Array, seen: Array) -> Array:
    """What makes each of the ``vectors`` (n, 3) as long as it reaches along that which was ``seen``."""
    ways = seen + 1e-6 * _SOMEWHERE
    reach = np.maximum((vectors * ways).sum(axis=-1, keepdims=True), 0.0) / np.linalg.norm(ways, axis=-1, keepdims=True)
    return np.asarray(vectors * (reach / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9) - 1))


def _across(vectors: Array, lines: Array) -> Array:
    """The part of ``vectors`` (n, 3) that is square to ``lines``."""
    shares = (vectors * lines).sum(axis=-1) / np.maximum((lines * lines).sum(axis=-1), 1e-9)
    return np.asarray(vectors - shares[:, None] * lines)


def sampled_gazes(looks: ArrayLike) -> Array:
    """Unit vectors (64, 3) to where a face may point, of ``looks`` (k, 3); each goes with the body of the same place.

    ``looks`` are of the same looks as those of :func:`sampled_joints`.
    """
    gazes = np.asarray(looks, dtype=np.float64)
    look_of = np.arange(_DRAWS) % (_DRAWS // 2) % len(gazes)
    turned = np.einsum("nij,nj->ni", _turns(), gazes[look_of]) + _GAZE * _draws()[:, INDEX["head"]]
    return np.asarray(turned / np.linalg.norm(turned, axis=-1, keepdims=True))


@cache
def _turns() -> Array:
    """Rotations (64, 3, 3) of the whole body, and their mirror images among them."""
    half = np.random.default_rng(1).standard_normal((_DRAWS // 2, 3))
    both = np.concatenate([half, half * np.array([1.0, -1.0, -1.0])])
    both = (both - both.mean(axis=0)) / both.std(axis=0)
    return rotations(np.radians(both * _TURNS))


@cache
def _draws() -> Array:
    """Errors (64, 20, 3) with mean 0 of every joint and axis, and their mirror images among them.

    They are normal with deviation 1, and those of a limb are stretched together, as Student's distribution has it.
    """
    half = np.random.default_rng(0).standard_normal((_DRAWS // 2, len(JOINTS), 3))
    both = np.concatenate([half, mirrored_joints(half)])
    both = (both - both.mean(axis=0)) / both.std(axis=0)
    squares = np.full((_DRAWS // 2, len(JOINTS)), float(_FREEDOM))
    for (_, *joints), limb_squares in zip(
        _LIMBS, np.random.default_rng(2).chisquare(_FREEDOM, (4, _DRAWS // 2)), strict=True
    ):
        squares[:, joints] = limb_squares[:, None]
    for limb in _LIMBS:
        for parent, joint in pairwise(limb):
            both[:, joint] = _CARRIED * both[:, parent] + np.sqrt(1 - _CARRIED**2) * both[:, joint]
    stretch = np.sqrt(_FREEDOM / np.concatenate([squares, squares[:, list(MIRROR)]]))
    return np.asarray(both * stretch[..., None])
