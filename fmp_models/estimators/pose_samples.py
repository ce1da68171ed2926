"""Pose samples: draws of joint errors that give bodies as plausible in the photograph as the measured one.

An estimator takes several looks at a person, on squares of several sizes, plain and mirrored. Where looks
differ, each is plausible; in addition they share errors that no further look would show. These are sampled
here: smaller along the picture than in depth, largest for legs, smaller for arms and smallest for the trunk,
and larger for hidden joints. A joint's error is partly that of its parent joint, and sometimes a whole limb is
far off.

Almost any joint error bends a straight limb and tilts a hanging one, so independent errors would make every
body more crouched than the measured one. A limb is therefore bent by the component of its error along its own
bend, and never beyond straight. Errors then straighten as often as they bend.

The draws are the same for every photograph and closed under mirroring, so that a mirrored photograph has
exactly the mirrored samples.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.common.rotations import rotations
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, MIRROR, Array, mirrored_joints

# Chosen on real photographs with human labels of the changes, so that of the changes that 80 in 100 pairs of samples
# show, 80 in 100 are right.
_ALONG, _DEPTH = 0.03, 0.055  # error in metres of a fully visible joint, along the picture (x and y) and in depth
_STEADY, _LEGS = 0.7, 1.5  # factors of these errors for the trunk, and for knees, ankles and feet
_HIDDEN = 1.6  # additional factor for a hidden joint
_OUTSIDE = 0.25  # metres in every direction; a joint outside the picture may be nearly anywhere
_CARRIED = 0.5  # correlation of a joint's error with that of its parent
_FREEDOM = 3  # degrees of freedom of Student's t; low, since gross limb errors are not rare
# Rotation error of the whole body in degrees about the axes x, y and z: the camera's orientation is never known
# exactly, and a body that leans towards the camera looks upright.
_TURNS = (7.0, 6.0, 2.0)
_GAZE = 0.12  # error of a face direction in radians
_DRAWS = 64  # for all looks; half are mirror images of the other half
_TRUNK = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("hip", "shoulder")]
_LEG_JOINTS = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("knee", "ankle", "foot")]
_LIMBS = [
    [INDEX[f"{side}_{part}"] for part in parts]
    for side in BODY_SIDES
    for parts in (("shoulder", "elbow", "wrist", "hand"), ("hip", "knee", "ankle", "foot"))
]
_ARMS = [limb for limb in _LIMBS if limb[0] in {INDEX[f"{side}_shoulder"] for side in BODY_SIDES}]
# Joints between others move with them as mixtures, so that the spine stays connected to the hips.
_BETWEEN = {
    "hip": {"left_hip": 0.5, "right_hip": 0.5},
    "spine": {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    "neck": {"left_shoulder": 0.4, "right_shoulder": 0.4, "head": 0.2},
}
_LEVEL = np.array([1.0, 0.0, 1.0])  # keeps the horizontal part of a vector
_SOMEWHERE = np.array([0.0, -0.3, 1.0])  # default bending direction of a straight limb


def sampled_joints(looks: ArrayLike, visibility: Array, inside: ArrayLike) -> Array:
    """Return equally likely bodies (64, 20, 3) in metres, from ``looks`` (k, 20, 3) at one person.

    ``visibility`` (20,) is between 0 and 1, ``inside`` (20,) tells which joints lie in the picture.
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
    look_of = np.arange(len(errors)) % (_DRAWS // 2) % len(joints)  # a draw and its mirror image use the same look
    seen = joints[look_of]
    hips = seen[:, :1]
    turned = np.asarray((seen - hips) @ np.swapaxes(_turns(), -1, -2) + hips)
    return _bent_as_often_as_straightened(turned + errors, turned)


def _bent_as_often_as_straightened(bodies: Array, seen: Array) -> Array:
    """Return the ``bodies`` (n, 20, 3) with limbs bent and tilted from the ``seen`` ones by signed amounts."""
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
    """Return the offsets that set the length of ``vectors`` (n, 3) to their component along the ``seen`` ones."""
    ways = seen + 1e-6 * _SOMEWHERE
    reach = np.maximum((vectors * ways).sum(axis=-1, keepdims=True), 0.0) / np.linalg.norm(ways, axis=-1, keepdims=True)
    return np.asarray(vectors * (reach / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9) - 1))


def _across(vectors: Array, lines: Array) -> Array:
    """Return the component of ``vectors`` (n, 3) perpendicular to ``lines``."""
    shares = (vectors * lines).sum(axis=-1) / np.maximum((lines * lines).sum(axis=-1), 1e-9)
    return np.asarray(vectors - shares[:, None] * lines)


def sampled_gazes(looks: ArrayLike) -> Array:
    """Return plausible face directions (64, 3) from ``looks`` (k, 3); each belongs to the body at its index.

    ``looks`` must come from the same looks as those of :func:`sampled_joints`.
    """
    gazes = np.asarray(looks, dtype=np.float64)
    look_of = np.arange(_DRAWS) % (_DRAWS // 2) % len(gazes)
    turned = np.einsum("nij,nj->ni", _turns(), gazes[look_of]) + _GAZE * _draws()[:, INDEX["head"]]
    return np.asarray(turned / np.linalg.norm(turned, axis=-1, keepdims=True))


@cache
def _turns() -> Array:
    """Return rotations (64, 3, 3) of the whole body, including their mirror images."""
    half = np.random.default_rng(1).standard_normal((_DRAWS // 2, 3))
    both = np.concatenate([half, half * np.array([1.0, -1.0, -1.0])])
    both = (both - both.mean(axis=0)) / both.std(axis=0)
    return rotations(np.radians(both * _TURNS))


@cache
def _draws() -> Array:
    """Return errors (64, 20, 3) with mean 0 for every joint and axis, including their mirror images.

    They are normal with deviation 1, and those of a limb are scaled together, as in Student's t-distribution.
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
