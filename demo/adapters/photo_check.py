"""The check of a photograph that re-enacts a pose, handed to the room of annotation, which knows no models.

The head is taken to lie about the head joint, which is the middle of the ears, whichever way it is turned; how large it
is follows from how many pixels a metre of this body has. So it needs no more than the joints, by whichever estimator.
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

_HEAD = 0.25  # metres of the box about the ears; what is painted about it reaches from above the crown to the throat
_BONES = 4.0  # metres of all bones together, to which bodies are scaled: those of an adult
_REMEMBERED = 64  # poses to re-enact; one takes a few kilobytes, and a fifth of a second to measure


def examiner(estimator: PoseEstimator) -> Examine:
    """The examination of photographs with this estimator."""

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
            # What else is refused of a photograph has one name in both rooms.
            code = {"no_person": "photo_nobody", "body_hidden": "photo_body_hidden"}.get(error.code, error.code)
            raise RefusedError(code, **error.details) from None
        left, top, right, bottom = estimate.box
        target_pose, other_pose = pose_of(like), pose_of(other)
        return Examined(
            people=estimate.people,
            size=max(right - left, bottom - top),
            faces=_faces(estimate),
            apart=None if target_pose is None else apart(estimate.pose, target_pose),
            mirrored=None if target_pose is None else apart(mirror(estimate.pose), target_pose),
            other=None if other_pose is None else apart(estimate.pose, other_pose),
            joints=tuple(tuple(round(float(metres), 3) for metres in joint) for joint in estimate.pose.joints),
            estimator=estimator.name,
        )

    return examine


def watcher(estimator: PoseEstimator) -> Watch:
    """The watch over a camera with this estimator: whether the whole body is before it, and where."""

    def watch(picture: bytes) -> BodySeen | None:
        try:
            return body_in(estimator, read_photograph(picture).image)
        except BadInputError as error:
            raise RefusedError(error.code, **error.details) from None

    return watch


@dataclass(frozen=True)
class Taking:
    """Takes uploads, each of which is there for one answer alone."""

    ledger: UploadLedger

    def __call__(self, path: str) -> bytes:
        """The bytes of what was sent to ``path``; ``photo_gone`` for a path under which nothing waits."""
        if not self.ledger.waits(path):
            raise RefusedError("photo_gone")
        try:
            return read_upload(path, "given")
        except BadInputError:
            raise RefusedError("photo_gone") from None
        finally:
            self.ledger.used(path)


def apart(first: Pose, second: Pose) -> float:
    """Metres of the mean joint between bodies of one size, laid on each other at the hips and turned to one side."""
    return float(np.linalg.norm(_alike(first.joints) - _alike(second.joints), axis=-1).mean())


def _alike(joints: Array) -> Array:
    length = sum(float(np.linalg.norm(joints[start] - joints[end])) for start, end in BONES)
    return in_pelvis_frame(joints) * (_BONES / max(length, 1e-6))


def _faces(estimate: PoseEstimate) -> tuple[FaceBox, ...]:
    """The head of the person; none where it lies outside the picture."""
    x, y = estimate.image_joints[INDEX["head"]]
    if not estimate.pose.visibility[INDEX["head"]]:
        return ()
    half = _HEAD * _pixels_a_metre(estimate) / 2
    return (FaceBox(float(x - half), float(y - half), float(2 * half), float(2 * half)),)


def _pixels_a_metre(estimate: PoseEstimate) -> float:
    pixels, metres = estimate.image_joints, estimate.pose.joints[:, :2]
    spread = [float(np.linalg.norm(points - points.mean(axis=0))) for points in (pixels, metres)]
    return spread[0] / max(spread[1], 1e-6)
