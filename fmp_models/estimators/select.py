"""Choice of an estimator: MediaPipe's, or this project's weaker one if MediaPipe is unavailable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import DEFAULT, VARIANTS, OfficialModel, find_pose_model
from fmp_models.estimators.base import PoseEstimator

ESTIMATOR = "estimator"  # bundled name of this project's estimator

Lacking = Literal["pose_model", "mediapipe"]

_REASONS: dict[Lacking, str] = {
    "pose_model": "MediaPipe's pose model is missing and could not be downloaded",
    "mediapipe": "MediaPipe cannot be loaded on this machine",
}
_REMEDIES: dict[Lacking, str] = {
    "pose_model": "start once with a connection, or set FMP_POSE_MODEL to a pose_landmarker .task file",
    "mediapipe": "install the packages of packages.txt and requirements.txt",
}


@dataclass(frozen=True)
class ChosenEstimator:
    """The chosen estimator; ``lacking`` names what is missing if it is this project's weaker one."""

    estimator: PoseEstimator
    lacking: Lacking | None = None


def choose_estimator(  # noqa: PLR0913  sources of models, for tests
    wanted: str,
    cache: Path,
    say: Callable[[str], object],
    *,
    variants: Mapping[str, OfficialModel] = VARIANTS,
    built: Path | None = None,
    bundled: Path | None = None,
    load: bool = False,
) -> ChosenEstimator:
    """Return MediaPipe's estimator with the pose model ``wanted``.

    The pose model is found by :func:`fmp_models.estimators.assets.find_pose_model`. If it is unavailable, return
    this project's own estimator from ``bundled``, the folder of bundled models, and report that with ``say``.
    ``load`` opens the pose model now instead of at the first photograph.

    Raise :class:`BadInputError`: ``pose_model_unreadable`` for a named file; ``pose_model_missing`` or
    ``mediapipe_missing`` if the own estimator is not bundled either; the errors of ``LearnedEstimator.load`` if it
    is damaged.
    """
    try:
        from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415  optional dependency
    except (ImportError, OSError):  # no wheel for this platform, or missing system libraries
        return ChosenEstimator(
            _bundled_estimator(BadInputError("mediapipe_missing"), "mediapipe", say, bundled), "mediapipe"
        )
    try:
        estimator = MediaPipeEstimator(find_pose_model(wanted, cache, say, variants=variants, built=built))
        if load:
            estimator.load()
        return ChosenEstimator(estimator)
    except BadInputError as error:
        if error.code != "pose_model_missing":
            raise
        return ChosenEstimator(_bundled_estimator(error, "pose_model", say, bundled), "pose_model")


def open_estimator(
    pose_model: str | Path | PoseEstimator | None,
    cache: Path | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> PoseEstimator:
    """Return the estimator for a pose model's variant or file, or the given estimator.

    The default is the variant "full"; downloads are kept in ``cache``, by default the user's data folder. Raise
    the errors of :func:`choose_estimator`.
    """
    if not isinstance(pose_model, str | Path | None):
        return pose_model
    cache = cache or user_data_path("fixmypose") / "models"
    return choose_estimator(str(pose_model or DEFAULT), cache, say, load=True).estimator


def _bundled_estimator(
    refusal: BadInputError, lacking: Lacking, say: Callable[[str], object], bundled: Path | None
) -> PoseEstimator:
    # Imported here because they load the Hub's client and torch, which MediaPipe does not need.
    from fmp_models.estimators.learned import LearnedEstimator  # noqa: PLC0415
    from fmp_models.hub.references import CHECKPOINTS, bundled_names, resolve_model  # noqa: PLC0415

    bundled = bundled or CHECKPOINTS
    if ESTIMATOR not in bundled_names(bundled):
        raise refusal
    estimator = LearnedEstimator(resolve_model(ESTIMATOR, bundled=bundled))
    estimator.load()
    say(
        f"{_REASONS[lacking]}, so {estimator.name} is used instead, which misses many people. To fix this, "
        f"{_REMEDIES[lacking]}."
    )
    return estimator
