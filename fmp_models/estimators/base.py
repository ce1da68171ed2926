"""Estimator interface: photograph -> joints, and when too little of a person is visible to be measured.

It is implemented by MediaPipe's pose landmarker (:mod:`fmp_models.estimators.mediapipe`) and this project's
network (:mod:`fmp_models.estimators.learned`). :mod:`fmp_models.estimators.select` chooses one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmp_models.errors import BadInputError
from fmp_models.estimators.camera_tilt import CameraTilt, TiltEvidence
from fmp_models.estimators.pose_samples import sampled_gazes, sampled_joints
from fmp_models.pose import BODY_SIDES, INDEX, Array, Pose
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
