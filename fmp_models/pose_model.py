"""Where MediaPipe's pose model lies: a file somebody named, or the official one, downloaded once and checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pooch
import requests

from fmp_models.errors import BadInputError

POSE_MODEL_URL = (
    "https://storage.googleapis.com/mediapipe-models/pose_landmarker/"
    "pose_landmarker_lite/float16/1/pose_landmarker_lite.task"
)
POSE_MODEL_SHA256 = "59929e1d1ee95287735ddd833b19cf4ac46d29bc7afddbbf6753c459690d574a"
BUILT = Path(sys.prefix) / "share" / "fixmypose" / "pose_landmarker_full.task"  # by ``make venv``, of a wheel
_SECONDS = 20.0  # without an answer or a further byte from the server


def find_pose_model(
    path: Path | None, cache: Path, *, url: str = POSE_MODEL_URL, sha256: str = POSE_MODEL_SHA256
) -> Path:
    """Give ``path`` itself, or where nobody named one, the official file in the folder ``cache``.

    Any readable ``path`` is accepted, so that other variants of the model can be used. A file in ``cache`` that has
    the right hash costs no request; a missing or damaged one is downloaded again, with progress on standard error.
    Raise :class:`BadInputError`: ``pose_model_unreadable`` for ``path``, ``pose_model_missing`` for the download.
    """
    if path is not None:
        if not (path.is_file() and os.access(path, os.R_OK)):
            raise BadInputError("pose_model_unreadable")
        return path
    downloader = pooch.HTTPDownloader(progressbar=True, chunk_size=1 << 16, timeout=_SECONDS)
    try:
        found = pooch.retrieve(
            url, known_hash=f"sha256:{sha256}", fname=url.rsplit("/", 1)[-1], path=cache, downloader=downloader
        )
    except (requests.RequestException, ValueError, OSError):  # no connection, other bytes, no place to keep them
        raise BadInputError("pose_model_missing", url=url) from None
    return Path(found)
