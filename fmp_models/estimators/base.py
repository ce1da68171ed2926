"""The estimator, photograph -> joints: what each gives, and when a person is seen too little to be measured.

One protocol; behind it MediaPipe's pose landmarker (:mod:`fmp_models.estimators.mediapipe`) and our own network
(:mod:`fmp_models.estimators.learned`). :mod:`fmp_models.estimators.select` says which of them measures.
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
from fmp_models.preprocessing.photograph import Photograph

Box = tuple[float, float, float, float]  # left, top, right, bottom in pixels
Head = tuple[float, float, float]  # its middle, across and down, and its radius in pixels

TRUNK = [INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("shoulder", "hip")]
LIMBS = [*TRUNK, *(INDEX[f"{side}_{part}"] for side in BODY_SIDES for part in ("elbow", "wrist", "knee", "ankle"))]

_SEEN = 0.3  # visibility from which a joint counts as seen; how surely, its plausible places say
_BORDER = 0.03  # share of the picture's longer side within which the border may cut a limb off
_GUESSED = 0.1  # visibility of the clearest joint of a leg below which all of it is guessed
_LEGS = [[INDEX[f"{side}_{part}"] for part in ("knee", "ankle", "foot")] for side in BODY_SIDES]
_CLEAR_AT_BORDER = 0.5  # visibility from which a joint so near to the border is seen
_BOX_MARGIN = 0.05  # joints end at the wrists' knuckles and the ears; the person reaches a little further


NOBODY = frozenset({"no_person", "body_hidden"})  # codes of refusals: there is nobody to measure


@dataclass(frozen=True)
class PoseEstimate:
    """What an estimator sees: the pose, where its joints lie in the picture, the box of the person, how many people."""

    pose: Pose
    image_joints: Array  # (20, 2) pixels of ``Photograph.image``; may lie outside it
    box: Box  # within the picture
    people: int
    others: tuple[Box, ...] = ()  # where the others are who were seen, if the estimator sees more than one
    heads: tuple[Head, ...] = ()  # of everybody else who may be in the picture, seen surely or not
    turned: PoseEstimate | None = None  # the same person with their back where the front is, where looks saw them so
    turned_share: float = 0.0  # of the looks
    turned_by: int = 0  # degrees clockwise by which the photograph was turned where that is plain; the pose is as shown
    tilt: CameraTilt | None = None  # of the camera, by which the joints were levelled
    tilt_evidence: TiltEvidence | None = None  # what the photograph alone shows of it

    def __str__(self) -> str:
        """Return what is seen, without the numbers."""
        return f"{self.pose}, of one of {self.people} people"


PersonPoint = tuple[float, float]  # in a photograph, in shares of its width and height


class PoseEstimator(Protocol):
    """Anything that finds the joints of the largest person in a photograph."""

    name: str

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Raise :class:`BadInputError` (``no_person``, ``body_hidden``) when there is nobody to measure."""
        ...


@runtime_checkable
class TargetedEstimator(PoseEstimator, Protocol):
    """An estimator that can be told whom of several people to measure."""

    def estimate_near(self, photograph: Photograph, place: PersonPoint) -> PoseEstimate:
        """As :meth:`estimate`, of the person nearest to the place."""
        ...


def estimate_person(estimator: PoseEstimator, photograph: Photograph, person_point: PersonPoint | None) -> PoseEstimate:
    """The person at a place, or the largest: where nobody was chosen, or the estimator sees no more than one."""
    if person_point is None or not isinstance(estimator, TargetedEstimator):
        return estimator.estimate(photograph)
    return estimator.estimate_near(photograph, person_point)


def estimate_if_seen(
    estimator: PoseEstimator, photograph: Photograph, person_point: PersonPoint | None = None
) -> PoseEstimate | None:
    """As :func:`estimate_person`; ``None`` where there is nobody to measure."""
    try:
        return estimate_person(estimator, photograph, person_point)
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return None


def estimate_of(  # noqa: PLR0913, PLR0917  all that is known of one person
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
    """A person measured in a picture of this size; what lies outside it is not seen, whatever was thought.

    ``looks`` are the metres (20, 3) that single looks gave; ``metres`` is the mean of most of them. ``gazes`` (k, 3)
    are where each saw the face point. Joints that are ``disputed`` (20,) are not seen, because looks contradict each
    other there.
    Raise :class:`BadInputError` (``body_hidden``) where the trunk or half of the limbs cannot be seen: where their
    visibility is below ``seen``.
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
    """The mean of ``looks`` (k, 3) at where a face points, and then plausible ones: (65, 3) unit vectors."""
    mean = looks.mean(axis=0)
    return np.concatenate([mean[None] / np.linalg.norm(mean), sampled_gazes(looks)])


def shows_trunk(visibility: Array, seen: float = _SEEN) -> bool:
    """Whether so much of a trunk can be seen that a body can be measured."""
    return bool((visibility[TRUNK] >= seen).mean() >= 0.75)  # noqa: PLR2004


def inside(pixels: Array, visibility: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which joints (20,) lie in the picture: near its border only those that are clearly visible.

    An estimator guesses where a limb goes on that the border cuts off, often a few pixels inside it.
    """
    to_border = np.minimum(pixels, np.array(size) - pixels).min(axis=1)
    clear = (to_border >= _BORDER * max(size)) | (visibility >= _CLEAR_AT_BORDER)
    within: NDArray[np.bool_] = (to_border >= 0) & clear
    return within


def shown(pixels: Array, visibility: Array, size: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which joints (20,) a picture shows: those inside it, and none of a leg of which nothing can be seen.

    An estimator folds legs that the border cuts off into the picture.
    """
    joints = inside(pixels, visibility, size)
    for leg in _LEGS:
        joints[leg] &= visibility[leg].max() >= _GUESSED
    return joints


def box_within(box: Box, size: tuple[int, int]) -> Box:
    """The box with a margin for head, fingers and toes, cut to the picture."""
    left, top, right, bottom = box
    margin = _BOX_MARGIN * max(right - left, bottom - top)
    width, height = size
    return max(0.0, left - margin), max(0.0, top - margin), min(width, right + margin), min(height, bottom + margin)
