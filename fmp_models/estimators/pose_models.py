"""The choice of an estimator, and MediaPipe's pose model on disk.

The model is a named file, the official file of a variant, or an available substitute. Without MediaPipe, this
project's own weaker estimator is used.
"""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import requests
from platformdirs import user_data_path
from tqdm import tqdm

from fmp_models.common import replace_file
from fmp_models.errors import BadInputError
from fmp_models.estimators.base import PoseEstimator

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OfficialModel:
    """The official file of a variant: its URL and accepted SHA-256 hashes."""

    url: str
    hashes: frozenset[str]

    @property
    def name(self) -> str:
        """The file name."""
        return self.url.rsplit("/", 1)[-1]


def _official(variant: str, *hashes: str) -> OfficialModel:
    folder = f"https://storage.googleapis.com/mediapipe-models/pose_landmarker/pose_landmarker_{variant}/float16/1"
    return OfficialModel(f"{folder}/pose_landmarker_{variant}.task", frozenset(hashes))


VARIANTS = {
    "lite": _official("lite", "59929e1d1ee95287735ddd833b19cf4ac46d29bc7afddbbf6753c459690d574a"),
    "full": _official(
        "full",
        "5134a3aad27a58b93da0088d431f366da362b44e3ccfbe3462b3827a839011b1",
        "4eaa5eb7a98365221087693fcc286334cf0858e2eb6e15b506aa4a7ecdcec4ad",  # the file behind the "latest" URL
    ),
    "heavy": _official("heavy", "64437af838a65d18e5ba7a0d39b465540069bc8aae8308de3e318aad31fcbc7b"),
}
POSE_MODELS = tuple(VARIANTS)  # names that ``choose_estimator`` knows
DEFAULT_POSE_MODEL = "full"
# The file that ``make venv`` builds from a wheel (:mod:`fmp_models.estimators.asset_wheel`): the variant "full".
BUILT = Path(sys.prefix) / "share" / "fixmypose" / "pose_landmarker_full.task"

_CONNECTION = 3.0  # seconds to reach one address of the server
_ANSWER = 3.0  # seconds until the server responds if another model is available; short for users who are offline
_ANSWER_NEEDED = 10.0  # the same if no other model is available
_SILENCE = 20.0  # seconds without a new byte
_PIECE = 1 << 16  # bytes
_MAX_FILE_BYTES = 1 << 26  # maximum bytes of a file


def find_pose_model(
    wanted: str,
    cache: Path,
    *,
    variants: Mapping[str, OfficialModel] = VARIANTS,
    built: Path | None = None,
) -> Path:
    """Return the file ``wanted``, or the official file of the variant ``wanted`` in the folder ``cache``.

    Any readable file is accepted. An official file in ``cache`` with the right hash needs no request; a missing or
    damaged one is downloaded, with progress on standard error. If that fails, an available file is used:
    ``built``, or another official one in ``cache``. A substitute of another variant is logged.

    Raise :class:`BadInputError`: ``pose_model_unreadable`` for a named file, ``pose_model_missing`` if no file is
    available.
    """
    official = variants.get(wanted)
    if official is None:
        try:
            path = Path(wanted).expanduser()
        except RuntimeError:  # the home folder of an unknown user
            raise BadInputError("pose_model_unreadable") from None
        if not (path.is_file() and os.access(path, os.R_OK)):
            raise BadInputError("pose_model_unreadable")
        return path
    cached = cache / official.name
    if _is(official, cached):
        return cached
    variant, substitute = next(_here(cache, variants, built or BUILT), ("", None))
    if download_official(official, cached, _ANSWER_NEEDED if substitute is None else _ANSWER):
        return cached
    if substitute is None:
        raise BadInputError("pose_model_missing", url=official.url)
    if variant != wanted:
        _log.warning(
            "MediaPipe's pose model “%s” is missing and could not be downloaded, so its variant “%s” is used instead.",
            wanted,
            variant,
        )
    return substitute


def _here(cache: Path, variants: Mapping[str, OfficialModel], built: Path) -> Iterator[tuple[str, Path]]:
    """Yield the variants that need no download, with their files; the default one first."""
    for variant in sorted(variants, key=lambda name: name != DEFAULT_POSE_MODEL):
        cached = cache / variants[variant].name
        if _is(variants[variant], cached):
            yield variant, cached
        if variant == DEFAULT_POSE_MODEL and built.is_file():
            yield variant, built


def file_revision(path: Path) -> str:
    """Return the SHA-256 of a pose model's file; raise :class:`BadInputError` (``pose_model_unreadable``)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise BadInputError("pose_model_unreadable") from None


def _is(official: OfficialModel, path: Path) -> bool:
    try:
        return file_revision(path) in official.hashes
    except BadInputError:
        return False


def download_official(official: OfficialModel, path: Path, seconds: float) -> bool:
    """Download the official file to ``path`` if the server responds in ``seconds``; return whether that worked."""
    response = _answer(official.url, seconds)
    if response is None:
        return False
    try:
        with response:
            response.raise_for_status()
            file = _read(response, official.name)
        if hashlib.sha256(file).hexdigest() not in official.hashes:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, lambda part: part.write_bytes(file))
    except (requests.RequestException, OSError):  # broken connection, missing file, unwritable folder
        return False
    return True


def _answer(url: str, seconds: float) -> requests.Response | None:
    """Return the response as soon as it begins, or None after ``seconds``.

    Name resolution and the attempts at each address have no common timeout, so the request runs in a thread.
    """
    answers: queue.SimpleQueue[requests.Response | None] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(requests.get(url, stream=True, timeout=(_CONNECTION, _SILENCE)))
        except (requests.RequestException, OSError):
            answers.put(None)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return answers.get(timeout=seconds)
    except queue.Empty:
        return None


def _read(response: requests.Response, name: str) -> bytes:
    """Return the body, up to the maximum size of a pose model; show progress on standard error."""
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isascii() and length.isdigit() else None
    file = bytearray()
    with tqdm(total=total, desc=name, unit="B", unit_scale=True) as bar:
        for piece in response.iter_content(_PIECE):
            file += piece
            bar.update(len(piece))
            if len(file) > _MAX_FILE_BYTES:
                break
    return bytes(file)


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
    *,
    variants: Mapping[str, OfficialModel] = VARIANTS,
    built: Path | None = None,
    bundled: Path | None = None,
    load: bool = False,
) -> ChosenEstimator:
    """Return MediaPipe's estimator with the pose model ``wanted``.

    The pose model is found by :func:`fmp_models.estimators.pose_models.find_pose_model`. If it is unavailable, return
    this project's own estimator from ``bundled``, the folder of bundled models, and log that.
    ``load`` opens the pose model now instead of at the first photograph.

    Raise :class:`BadInputError`: ``pose_model_unreadable`` for a named file; ``pose_model_missing`` or
    ``mediapipe_missing`` if the own estimator is not bundled either; the errors of ``LearnedEstimator.load`` if it
    is damaged.
    """
    try:
        from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415  optional dependency
    except (ImportError, OSError):  # no wheel for this platform, or missing system libraries
        return ChosenEstimator(
            _bundled_estimator(BadInputError("mediapipe_missing"), "mediapipe", bundled), "mediapipe"
        )
    try:
        estimator = MediaPipeEstimator(find_pose_model(wanted, cache, variants=variants, built=built))
        if load:
            estimator.load()
        return ChosenEstimator(estimator)
    except BadInputError as error:
        if error.code != "pose_model_missing":
            raise
        return ChosenEstimator(_bundled_estimator(error, "pose_model", bundled), "pose_model")


def open_estimator(pose_model: str | Path | PoseEstimator | None, cache: Path | None = None) -> PoseEstimator:
    """Return the estimator for a pose model's variant or file, or the given estimator.

    The default is the variant "full"; downloads are kept in ``cache``, by default the user's data folder. Raise
    the errors of :func:`choose_estimator`.
    """
    if not isinstance(pose_model, str | Path | None):
        return pose_model
    cache = cache or user_data_path("fixmypose") / "models"
    return choose_estimator(str(pose_model or DEFAULT_POSE_MODEL), cache, load=True).estimator


def _bundled_estimator(refusal: BadInputError, lacking: Lacking, bundled: Path | None) -> PoseEstimator:
    # Imported here because they load the Hub's client and torch, which MediaPipe does not need.
    from fmp_models.estimators.learned import LearnedEstimator  # noqa: PLC0415
    from fmp_models.hub import CHECKPOINTS, bundled_names, resolve_model  # noqa: PLC0415

    bundled = bundled or CHECKPOINTS
    if ESTIMATOR not in bundled_names(bundled):
        raise refusal
    estimator = LearnedEstimator(resolve_model(ESTIMATOR, bundled=bundled))
    estimator.load()
    _log.warning(
        "%s, so %s is used instead, which misses many people. To fix this, %s.",
        _REASONS[lacking],
        estimator.name,
        _REMEDIES[lacking],
    )
    return estimator
