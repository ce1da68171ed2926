"""Check of a photograph that re-enacts a pose, for the annotation package, which imports no models.

The head is assumed to be centred on the head joint, the middle of the ears, whichever way it is turned. Its size
follows from the pixels per metre of this body. So the check needs only joints, from any estimator.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from annotate.errors import RefusedError
from annotate.ports import BodySeen, Examine, Examined, FaceBox, Watch
from demo.gradio_parts.uploads import UploadLedger, read_upload
from demo.live.camera_looks import body_in
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimate, PoseEstimator
from fmp_models.pose import BONES, INDEX, Array, Pose, in_pelvis_frame, mirror
from fmp_models.preprocessing.photograph import read_photograph

_HEAD = 0.25  # metres: side of the box around the ears; the painted area reaches from above the crown to the throat
_BONES = 4.0  # metres: total bone length of an adult, to which bodies are scaled
_REMEMBERED = 64  # target poses; one takes a few kilobytes and a fifth of a second to estimate


def examiner(estimator: PoseEstimator) -> Examine:
    """Return the function that examines photographs with this estimator."""

    @lru_cache(maxsize=_REMEMBERED)
    def pose_of(picture: bytes) -> Pose | None:
        try:
            return estimator.estimate(read_photograph(picture)).pose
        except BadInputError:
            return None

    def examine(photograph: bytes, like: bytes, other: bytes) -> Examined:
        try:
            estimate = estimator.estimate(read_photograph(photograph))
        except BadInputError as error:
            # All other errors about a photograph have the same code in both packages.
            code = {"no_person": "photo_nobody", "body_hidden": "photo_body_hidden"}.get(error.code, error.code)
            raise RefusedError(code, **error.details) from None
        left, top, right, bottom = estimate.box
        target_pose, other_pose = pose_of(like), pose_of(other)
        return Examined(
            people=estimate.people,
            size=max(right - left, bottom - top),
            faces=_faces(estimate),
            pose_distance=None if target_pose is None else pose_distance(estimate.pose, target_pose),
            mirrored=None if target_pose is None else pose_distance(mirror(estimate.pose), target_pose),
            other=None if other_pose is None else pose_distance(estimate.pose, other_pose),
            joints=tuple(tuple(round(float(metres), 3) for metres in joint) for joint in estimate.pose.joints),
            estimator=estimator.name,
        )

    return examine


def watcher(estimator: PoseEstimator) -> Watch:
    """Return the function that tells whether the camera sees the whole body, and where, with this estimator."""

    def watch(picture: bytes) -> BodySeen | None:
        try:
            return body_in(estimator, read_photograph(picture).image)
        except BadInputError as error:
            raise RefusedError(error.code, **error.details) from None

    return watch


@dataclass(frozen=True)
class UploadReader:
    """Reader of uploads that serve one answer only."""

    ledger: UploadLedger

    def __call__(self, path: str) -> bytes:
        """Return the bytes of the upload at ``path``; raise ``photo_gone`` if none is pending there."""
        if not self.ledger.waits(path):
            raise RefusedError("photo_gone")
        try:
            return read_upload(path, "given")
        except BadInputError:
            raise RefusedError("photo_gone") from None
        finally:
            self.ledger.used(path)


def pose_distance(first: Pose, second: Pose) -> float:
    """Return the mean joint distance in metres of two bodies scaled to one size, aligned at the hips and in heading."""
    return float(np.linalg.norm(_alike(first.joints) - _alike(second.joints), axis=-1).mean())


def _alike(joints: Array) -> Array:
    length = sum(float(np.linalg.norm(joints[start] - joints[end])) for start, end in BONES)
    return in_pelvis_frame(joints) * (_BONES / max(length, 1e-6))


def _faces(estimate: PoseEstimate) -> tuple[FaceBox, ...]:
    """Return the box of the head; empty if the head is outside the picture."""
    x, y = estimate.image_joints[INDEX["head"]]
    if not estimate.pose.visibility[INDEX["head"]]:
        return ()
    half = _HEAD * _pixels_a_metre(estimate) / 2
    return (FaceBox(float(x - half), float(y - half), float(2 * half), float(2 * half)),)


def _pixels_a_metre(estimate: PoseEstimate) -> float:
    pixels, metres = estimate.image_joints, estimate.pose.joints[:, :2]
    spread = [float(np.linalg.norm(points - points.mean(axis=0))) for points in (pixels, metres)]
    return spread[0] / max(spread[1], 1e-6)
