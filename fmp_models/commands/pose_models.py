"""The pose model of a command: the one that is named, else ``FMP_POSE_MODEL``, else the default variant."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_path

from fmp_models.cli_base import to_standard_error
from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import DEFAULT, find_pose_model
from fmp_models.estimators.base import PoseEstimator
from fmp_models.estimators.select import open_estimator


def chosen_estimator(pose_model: str | None = None) -> PoseEstimator:
    """Return the estimator of the pose model; raise :class:`BadInputError` for a file that is no pose model."""
    return open_estimator(*_wanted(pose_model), to_standard_error)


def pose_model_file(pose_model: str | None = None) -> Path:
    """Return the file of MediaPipe's pose model that :func:`chosen_estimator` would use."""
    return find_pose_model(*_wanted(pose_model), to_standard_error)


def _wanted(pose_model: str | None) -> tuple[str, Path]:
    """Return the pose model and the folder of downloads.

    The variables are those of ``demo/settings.py``; a command line is an entry of its own and cannot import it.
    """
    data = os.environ.get("FMP_DATA_DIR")
    try:
        kept = (Path(data).expanduser() if data else user_data_path("fixmypose")) / "models"
    except RuntimeError:  # the home of an unknown user
        raise BadInputError("folder_unusable", path=str(data)) from None
    return pose_model or os.environ.get("FMP_POSE_MODEL") or DEFAULT, kept
