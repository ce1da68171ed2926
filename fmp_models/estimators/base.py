"""Estimators: their interface, the estimate of a pose, and its pose samples.

The interface is implemented by MediaPipe's pose landmarker (:mod:`fmp_models.estimators.mediapipe`) and this
project's network (:mod:`fmp_models.estimators.learned`). :mod:`fmp_models.estimators.pose_models` chooses one of
them.

Pose samples are draws of joint errors that give bodies as plausible in the photograph as the measured one. An
estimator takes several looks at a person, on squares of several sizes, plain and mirrored. Where looks differ, each
is plausible; in addition they share errors that no further look would show. These are sampled here: smaller along
the picture than in depth, largest for legs, smaller for arms and smallest for the trunk, and larger for hidden
joints. A joint's error is partly that of its parent joint, and sometimes a whole limb is far off. Almost any joint
error bends a straight limb and tilts a hanging one, so independent errors would make every body more crouched than
the measured one. A limb is therefore bent by the component of its error along its own bend, and never beyond
straight. Errors then straighten as often as they bend. The draws are the same for every photograph and closed under
mirroring, so that a mirrored photograph has exactly the mirrored samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators.camera_tilt import CameraTilt, TiltEvidence
from fmp_models.pose import BODY_SIDES, INDEX, JOINTS, MIRROR, Array, Pose, mirrored_joints, rotations
from fmp_models.preprocessing import Photograph

Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels
Head = tuple[float, float, float]  # x and y of its middle, and its radius, in pixels

TRUNK = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("shoulder", "hip")]
LIMBS = [*TRUNK, *(INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("elbow", "wrist", "knee", "ankle"))]

_SEEN = 0.3  # visibility from which a joint counts as visible; its pose samples express how certain its position is
_BORDER = 0.03  # margin at the border, as share of the longer side, where a limb may be cut off
_GUESSED = 0.1  # if the clearest joint of a leg is less visible than this, the whole leg is guessed
_LEGS = [[INDEX[f"{side}_{part}"] for part in ("knee", "ankle", "foot")] for side in BODY_SIDES]
_CLEAR_AT_BORDER = 0.5  # visibility from which a joint in that margin counts
_BOX_MARGIN = 0.05  # the outermost joints are knuckles and ears; the person extends further


NOBODY = frozenset({"no_person", "body_hidden"})  # error codes that mean that nobody can be measured


@dataclass(frozen=True)
class PoseEstimate:
    """An estimator's result: the pose, its joints in the picture, the person's box, and the number of people."""

    pose: Pose
    image_joints: Array  # (20, 2) pixels of ``Photograph.image``; may lie outside it
    box: Box  # within the picture
    people: int
    others: tuple[Box, ...] = ()  # boxes of the other people, if the estimator sees more than one person
    heads: tuple[Head, ...] = ()  # of all other possible people in the picture, certain or not
    turned: PoseEstimate | None = None  # the same person facing the opposite way, if some looks show that
    turned_share: float = 0.0  # share of looks that show that
    turned_by: int = 0  # clockwise turn of the photograph in degrees if obvious; the pose is as shown
    tilt: CameraTilt | None = None  # camera tilt that the joints were levelled by
    tilt_evidence: TiltEvidence | None = None  # evidence of the tilt in this photograph alone

    def __str__(self) -> str:
        """Return what is seen, without the numbers."""
        return f"{self.pose}, of one of {self.people} people"


PersonPoint = tuple[float, float]  # position in a photograph, as shares of its width and height


class PoseEstimator(Protocol):
    """An estimator of the joints of the largest person in a photograph."""

    name: str

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Measure the largest person; raise :class:`BadInputError` (``no_person``, ``body_hidden``) without one."""
        ...


@runtime_checkable
class TargetedEstimator(PoseEstimator, Protocol):
    """An estimator that can measure a chosen person out of several."""

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        """Measure the person nearest to the place; raise the errors of :meth:`estimate`."""
        ...


def estimate_person(estimator: PoseEstimator, photograph: Photograph, person_point: PersonPoint | None) -> PoseEstimate:
    """Measure the person at a place; the largest if no place is given or the estimator sees only one person."""
    if person_point is None or not isinstance(estimator, TargetedEstimator):
        return estimator.estimate(photograph)
    return estimator.estimate_near(photograph, person_point)


def estimate_if_seen(
    estimator: PoseEstimator, photograph: Photograph, person_point: PersonPoint | None = None
) -> PoseEstimate | None:
    """Measure a person like :func:`estimate_person`; return ``None`` if nobody can be measured."""
    try:
        return estimate_person(estimator, photograph, person_point)
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return None


def estimate_of(  # noqa: PLR0913, PLR0917  each is a measurement of one person
    metres: Array,
    pixels: Array,
    visibility: Array,
    box: Box,
    size: tuple[int, int],
    others: tuple[Box, ...] = (),
    *,
    heads: tuple[Head, ...] = (),
    looks: ArrayLike,
    gazes: ArrayLike | None = None,
    disputed: ArrayLike = False,
    seen: float = _SEEN,
) -> PoseEstimate:
    """Return the estimate of a person in a picture of this size; joints outside the picture count as not visible.

    ``looks`` are the joints (20, 3) in metres of the single looks; ``metres`` is the mean of most of them.
    ``gazes`` (k, 3) are the face directions in each look. ``disputed`` joints (20,) count as not visible, since
    the looks contradict each other there.

    Raise :class:`BadInputError` (``body_hidden``) if the trunk or half of the limbs are not visible, that is, have
    a visibility below ``seen``.
    """
    in_picture = shown(pixels, visibility, size)
    visibility = np.where(in_picture, visibility, 0.0)
    if not shows_trunk(visibility, seen) or (visibility[LIMBS] >= seen).mean() < 0.5:  # noqa: PLR2004
        raise BadInputError("body_hidden", which="given")
    pose_samples = sampled_joints(looks, visibility, in_picture)
    visibility = np.where(disputed, 0.0, visibility)
    face = None if gazes is None or not visibility[INDEX["head"]] else _gazes(np.asarray(gazes, dtype=np.float64))
    pose = Pose(metres, visibility, pose_samples=pose_samples, gazes=face)
    other_boxes = tuple(box_within(other_box, size) for other_box in others)
    return PoseEstimate(pose, pixels, box_within(box, size), 1 + len(others), other_boxes, heads)


def _gazes(looks: Array) -> Array:
    """Return the mean of the face directions ``looks`` (k, 3), then plausible ones: (65, 3) unit vectors."""
    mean = looks.mean(axis=0)
    return np.concatenate([mean[None] / np.linalg.norm(mean), sampled_gazes(looks)])


def shows_trunk(visibility: Array, seen: float = _SEEN) -> bool:
    """Return whether enough of the trunk is visible to measure a body."""
    return bool((visibility[TRUNK] >= seen).mean() >= 0.75)  # noqa: PLR2004


def inside(pixels: Array, visibility: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which joints (20,) lie in the picture; near its border only clearly visible ones count.

    An estimator guesses how a limb continues beyond the border, often a few pixels inside it.
    """
    to_border = np.minimum(pixels, np.array(size) - pixels).min(axis=1)
    clear = (to_border >= _BORDER * max(size)) | (visibility >= _CLEAR_AT_BORDER)
    within: NDArray[np.bool_] = (to_border >= 0) & clear
    return within


def shown(pixels: Array, visibility: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which joints (20,) a picture shows: those inside it, except in a leg of which nothing is visible.

    An estimator folds legs that the border cuts off into the picture.
    """
    joints = inside(pixels, visibility, size)
    for leg in _LEGS:
        joints[leg] &= visibility[leg].max() >= _GUESSED
    return joints


def box_within(box: Box, size: tuple[int, int]) -> Box:
    """Return the box with a margin for head, fingers and toes, clipped to the picture."""
    left, top, right, bottom = box
    margin = _BOX_MARGIN * max(right - left, bottom - top)
    width, height = size
    return max(0.0, left - margin), max(0.0, top - margin), min(width, right + margin), min(height, bottom + margin)


# Chosen on real photographs with human labels of the changes, so that of the changes that 80 in 100 pairs of samples
# show, 80 in 100 are right.
_ALONG, _DEPTH = 0.03, 0.055  # error in metres of a fully visible joint, along the picture (x and y) and in depth
_STEADY, _UNSTEADY = 0.7, 1.5  # factors of these errors for the trunk, and for knees, ankles and feet
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
    deviation[_LEG_JOINTS] *= _UNSTEADY
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
