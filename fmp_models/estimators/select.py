"""The choice of an estimator: MediaPipe's, or where that is not to be had, our own weaker one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import DEFAULT, VARIANTS, OfficialModel, find_pose_model
from fmp_models.estimators.base import PoseEstimator

ESTIMATOR = "estimator"  # its bundled name

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
    """Who finds the joints, and where that is our own estimator for want of a better one, what is lacking."""

    estimator: PoseEstimator
    lacking: Lacking | None = None


def choose_estimator(  # noqa: PLR0913  where each of them lies, for tests
    wanted: str,
    cache: Path,
    say: Callable[[str], object],
    *,
    variants: Mapping[str, OfficialModel] = VARIANTS,
    built: Path | None = None,
    bundled: Path | None = None,
    load: bool = False,
) -> ChosenEstimator:
    """MediaPipe with the pose model that :func:`fmp_models.estimators.assets.find_pose_model` gives for ``wanted``.

    Where it cannot be had, our own from ``bundled``, the folder of the models that come with the project; ``say`` is
    told so. ``load`` opens the pose model now and not at the first photograph. Raise :class:`BadInputError`:
    ``pose_model_unreadable`` for a file that was named; ``pose_model_missing``
    or ``mediapipe_missing`` where our own is not bundled either; what ``LearnedEstimator.load`` does where it is
    damaged.
    """
    try:
        from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415  there are machines without it
    except (ImportError, OSError):  # no wheel for this platform, or one whose libraries are not all here
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
    """Load the estimator of a pose model by its variant or file, or return the estimator that is given.

    The default is the variant "full"; downloads are kept in ``cache``, by default the user's data folder. Raise what
    :func:`choose_estimator` does.
    """
    if not isinstance(pose_model, str | Path | None):
        return pose_model
    cache = cache or user_data_path("fixmypose") / "models"
    return choose_estimator(str(pose_model or DEFAULT), cache, say, load=True).estimator


def _bundled_estimator(
    refusal: BadInputError, lacking: Lacking, say: Callable[[str], object], bundled: Path | None
) -> PoseEstimator:
    # They load the Hub's client and torch, for which MediaPipe need not wait.
    from fmp_models.estimators.learned import LearnedEstimator  # noqa: PLC0415
    from fmp_models.hub.references import CHECKPOINTS, bundled_names, resolve  # noqa: PLC0415

    bundled = bundled or CHECKPOINTS
    if ESTIMATOR not in bundled_names(bundled):
        raise refusal
    estimator = LearnedEstimator(resolve(ESTIMATOR, bundled=bundled))
    estimator.load()
    say(
        f"{_REASONS[lacking]}, so {estimator.name} finds the joints, which overlooks many people; to mend that, "
        f"{_REMEDIES[lacking]}."
    )
    return estimator
