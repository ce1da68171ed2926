"""MediaPipe's pose model on disk: a named file, the official file of a variant, or an available substitute."""

from __future__ import annotations

import hashlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import requests
from tqdm import tqdm

from fmp_models.errors import BadInputError
from fmp_models.files.atomic_write import replace_file


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
DEFAULT = "full"
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
    say: Callable[[str], object],
    *,
    variants: Mapping[str, OfficialModel] = VARIANTS,
    built: Path | None = None,
) -> Path:
    """Return the file ``wanted``, or the official file of the variant ``wanted`` in the folder ``cache``.

    Any readable file is accepted. An official file in ``cache`` with the right hash needs no request; a missing or
    damaged one is downloaded, with progress on standard error. If that fails, an available file is used:
    ``built``, or another official one in ``cache``. ``say`` reports a substitute of another variant.

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
    if download(official, cached, _ANSWER_NEEDED if substitute is None else _ANSWER):
        return cached
    if substitute is None:
        raise BadInputError("pose_model_missing", url=official.url)
    if variant != wanted:
        say(
            f"MediaPipe's pose model “{wanted}” is missing and could not be downloaded, "
            f"so its variant “{variant}” is used instead."
        )
    return substitute


def _here(cache: Path, variants: Mapping[str, OfficialModel], built: Path) -> Iterator[tuple[str, Path]]:
    """Yield the variants that need no download, with their files; the default one first."""
    for variant in sorted(variants, key=lambda name: name != DEFAULT):
        cached = cache / variants[variant].name
        if _is(variants[variant], cached):
            yield variant, cached
        if variant == DEFAULT and built.is_file():
            yield variant, built


def revision_of(path: Path) -> str:
    """Return the SHA-256 of a pose model's file; raise :class:`BadInputError` (``pose_model_unreadable``)."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        raise BadInputError("pose_model_unreadable") from None


def _is(official: OfficialModel, path: Path) -> bool:
    try:
        return revision_of(path) in official.hashes
    except BadInputError:
        return False


def download(official: OfficialModel, path: Path, seconds: float) -> bool:
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
