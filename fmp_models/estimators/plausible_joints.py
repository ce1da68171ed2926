"""Plausible bodies: draws of joint errors, each as plausible in the photograph as the body that was measured.

An estimator looks at a person several times, in squares of several sizes, plain and mirrored. Where the looks differ,
each of them is plausible; and all of them share errors that no further look would show. Those are drawn here: small
along the picture, larger in depth, larger for hands and feet than for the trunk, and larger where a joint is hidden.
The draws are the same for every photograph and closed under mirroring, so that the mirrored photograph has exactly the
mirrored bodies.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from fmp_models.pose import INDEX, JOINTS, Array, mirrored_joints, rotations

# One standard deviation in metres of a joint that is wholly visible: along the picture (x and y), and in depth.
_ALONG, _DEPTH = 0.022, 0.055
_STEADY = 0.6  # share of these by which joints of the trunk are wrong
_HIDDEN = 1.6  # a hidden joint is wrong by so many times more, on top
_OUTSIDE = 0.25  # metres, in every direction: a joint outside the picture may be nearly anywhere
# Degrees that a whole body is turned wrongly about the axes x, y and z: how the camera was held is never known for
# sure, and what leans towards it looks upright.
_TURNS = (7.0, 6.0, 2.0)
_DRAWS = 64  # for all looks; half of them are the mirror images of the other half
_TRUNK = [INDEX[f"{side}_{part}"] for side in ("left", "right") for part in ("hip", "shoulder")]
# Joints between others move with them: as mixtures, so that no spine leaves its hips.
_BETWEEN = {
    "hip": {"left_hip": 0.5, "right_hip": 0.5},
    "spine": {"left_hip": 0.25, "right_hip": 0.25, "left_shoulder": 0.25, "right_shoulder": 0.25},
    "neck": {"left_shoulder": 0.4, "right_shoulder": 0.4, "head": 0.2},
}


def plausible_joints(looks: ArrayLike, visibility: Array, inside: ArrayLike) -> Array:
    """Bodies (64, 20, 3) in metres, of ``looks`` (k, 20, 3) at one person, each as likely as another.

    ``visibility`` (20,) is between 0 and 1, ``inside`` (20,) says which joints lie in the picture.
    """
    joints = np.asarray(looks, dtype=np.float64)
    hidden = 1 + _HIDDEN * (1 - visibility)[:, None]
    deviation = np.array([_ALONG, _ALONG, _DEPTH]) * hidden
    deviation[_TRUNK] *= _STEADY
    deviation = np.where(np.asarray(inside, dtype=bool)[:, None], deviation, _OUTSIDE)
    errors = deviation * _draws()
    for joint, shares in _BETWEEN.items():
        errors[:, INDEX[joint]] = sum(share * errors[:, INDEX[name]] for name, share in shares.items())
    look_of = np.arange(len(errors)) % (_DRAWS // 2) % len(joints)  # a draw and its mirror image are of the same look
    bodies = joints[look_of]
    hips = bodies[:, :1]
    return np.asarray((bodies - hips) @ np.swapaxes(_turns(), -1, -2) + hips + errors)


@cache
def _turns() -> Array:
    """Rotations (64, 3, 3) of the whole body, and their mirror images among them."""
    half = np.random.default_rng(1).standard_normal((_DRAWS // 2, 3))
    both = np.concatenate([half, half * np.array([1.0, -1.0, -1.0])])
    both = (both - both.mean(axis=0)) / both.std(axis=0)
    return rotations(np.radians(both * _TURNS))


@cache
def _draws() -> Array:
    """Errors (64, 20, 3) with mean 0 and deviation 1 of every joint and axis, and their mirror images among them."""
    half = np.random.default_rng(0).standard_normal((_DRAWS // 2, len(JOINTS), 3))
    both = np.concatenate([half, mirrored_joints(half)])
    both = both - both.mean(axis=0)
    return np.asarray(both / both.std(axis=0))
