"""Who finds the joints: MediaPipe's pose landmarker, or our own estimator for retrieval and where MediaPipe is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.estimators import PoseEstimator
from fmp_models.pose_model import POSE_MODEL_URL, find_pose_model

ESTIMATOR = "estimator"  # its bundled name


def choose_estimator(
    pose_model: Path | None,
    cache: Path,
    say: Callable[[str], object],
    *,
    url: str = POSE_MODEL_URL,
    bundled: Path | None = None,
) -> PoseEstimator:
    """MediaPipe with ``pose_model``, or with the official file kept in ``cache``; ``say`` is told where it is not that.

    ``bundled`` is the folder of the models that come with the project. Raise :class:`BadInputError`:
    ``pose_model_unreadable`` for a ``pose_model`` that somebody named; ``pose_model_missing`` or ``mediapipe_missing``
    where our own is not bundled either; what ``LearnedEstimator.load`` does where it is damaged.
    """
    try:
        from fmp_models.mediapipe_estimator import MediaPipeEstimator  # noqa: PLC0415  there are machines without it
    except (ImportError, OSError):  # no wheel for this platform, or one whose libraries are not all here
        return _our_own(BadInputError("mediapipe_missing"), "MediaPipe cannot be loaded on this machine", say, bundled)
    try:
        return MediaPipeEstimator(find_pose_model(pose_model, cache, url=url))
    except BadInputError as error:
        if error.code != "pose_model_missing":
            raise
        return _our_own(error, "MediaPipe's pose model is missing and could not be downloaded", say, bundled)


def estimator_for_retrieval(otherwise: Callable[[], PoseEstimator], *, bundled: Path | None = None) -> PoseEstimator:
    """Who measures what a retriever compares: our own estimator where it is bundled, else whom ``otherwise`` makes.

    Retrievers learn from its joints, mistakes included; MediaPipe makes other ones. Raise what ``LearnedEstimator``
    does.
    """
    from fmp_models.hub.references import CHECKPOINTS, bundled_names, resolve  # noqa: PLC0415  the Hub's client is slow
    from fmp_models.learned_estimator import LearnedEstimator  # noqa: PLC0415

    bundled = bundled or CHECKPOINTS
    return LearnedEstimator(resolve(ESTIMATOR, bundled=bundled)) if ESTIMATOR in bundled_names(bundled) else otherwise()


def _our_own(refusal: BadInputError, reason: str, say: Callable[[str], object], bundled: Path | None) -> PoseEstimator:
    # They load the Hub's client and torch, for which MediaPipe need not wait.
    from fmp_models.hub.references import CHECKPOINTS, bundled_names, resolve  # noqa: PLC0415
    from fmp_models.learned_estimator import LearnedEstimator  # noqa: PLC0415

    bundled = bundled or CHECKPOINTS
    if ESTIMATOR not in bundled_names(bundled):
        raise refusal
    estimator = LearnedEstimator(resolve(ESTIMATOR, bundled=bundled))
    estimator.load()
    say(f"{reason}, so {estimator.name} finds the joints, which is less exact.")
    return estimator
