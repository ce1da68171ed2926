"""Model references: a bundled name, a folder, or a Hub repo at one commit, downloaded once."""

from __future__ import annotations

import fnmatch
import functools
import hashlib
import logging
import re
from dataclasses import dataclass
from json import JSONDecodeError
from pathlib import Path

from httpx2 import HTTPError, InvalidURL
from huggingface_hub import HfApi, get_cached_repo_tree
from huggingface_hub.constants import HF_HUB_CACHE
from huggingface_hub.errors import (
    CachedRepoTreeNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
    RevisionResolutionError,
)

from fmp_models.common import open_plain
from fmp_models.errors import BadInputError, ModelUnavailableError

_log = logging.getLogger(__name__)

# RuntimeError: from hf_xet, which transfers large files. ValueError: a response that is not JSON, such as a login page
# on the network, and a token invalid in a header. InvalidURL: HF_ENDPOINT. OSError: other failures and local ones.
HUB_FAILURES = (HTTPError, InvalidURL, RevisionResolutionError, OSError, RuntimeError, ValueError)


def is_unanswered(error: BaseException) -> bool:
    """Return whether the exception means that no Hub answered, not that the client was misused."""
    of_transfer = isinstance(error, RuntimeError) and error.__cause__ is None
    return of_transfer or isinstance(
        error, HTTPError | InvalidURL | RevisionResolutionError | OfflineModeIsEnabled | JSONDecodeError | UnicodeError
    )


CHECKPOINTS = Path(__file__).resolve().parents[1] / "checkpoints"
CONFIG = "config.json"
CARD = "README.md"
WEIGHTS = "model*.safetensors"
MAX_DOWNLOAD_BYTES = (
    512_000_000  # download limit; the paper's largest network with ResNet-101 has 120 MB in half precision
)

_FETCHED = ("*.json", "*.safetensors", "*.txt", "*.md")  # no executable files
_ANSWERS = (CONFIG, WEIGHTS, "vocabulary.*.txt")  # the files that affect a model's output
_REVISION = re.compile(r"(?!.*(\.\.|//))[A-Za-z0-9][A-Za-z0-9._/-]*(?<!/)")
_REFUSED = frozenset({401, 403})


@dataclass(frozen=True)
class ModelFolder:
    """A local model: the folder ``path``, and its ``id`` and ``revision`` as shown in results.

    ``id`` is the bundled name, the path as given, or ``org/name``. ``revision`` is a Hub commit, or else a SHA-256
    of the files that affect the output.
    """

    path: Path
    id: str
    revision: str

    @property
    def shown_id(self) -> str:
        """The id for public display: only the last folder of a path, so that parent folders stay private."""
        return f"./{self.path.resolve().name}" if self.path == _given(self.id) else self.id


def bundled_names(bundled: Path = CHECKPOINTS) -> list[str]:
    """Return the names of the bundled models, sorted."""
    return sorted(config.parent.name for config in bundled.glob(f"*/{CONFIG}"))


def resolve_model(  # noqa: PLR0913  each has a default
    model: str,
    revision: str | None = None,
    *,
    bundled: Path = CHECKPOINTS,
    api: HfApi | None = None,
    cache: Path | None = None,
    most_bytes: int = MAX_DOWNLOAD_BYTES,
) -> ModelFolder:
    """Find a bundled name, else a folder, else ``org/name[@revision]`` on the Hub, and make its files available.

    ``revision`` can be given separately from ``model``. It is resolved to its commit before anything is read;
    without one the latest commit of ``main`` is used and logged. Cached files are not downloaded again, a cached
    commit needs no request, and both work offline. ``api`` overrides the address and token of ``HF_ENDPOINT`` and
    ``HF_TOKEN``; ``cache`` overrides the cache folder.

    Raise :class:`ModelUnavailableError`: ``model_name_unknown``, ``folder_missing``, ``folder_unusable``,
    ``model_not_found``, ``model_no_access``, ``model_no_revision``, ``model_unreachable``, ``model_too_large``.
    """
    model = model if revision is None else f"{model}@{revision}"
    if model in (names := bundled_names(bundled)):
        return _local(bundled / model, model)
    folder = _given(model)
    if model and _is_folder(folder):
        return _local(folder, model)
    if model.startswith(("/", "./", "../", "~/")):
        raise ModelUnavailableError("folder_missing", path=model)
    repo, at, wanted = model.partition("@")
    unknown = BadInputError("model_name_unknown", model=model, known=", ".join(names) or "none is bundled")
    if "/" not in repo or (at and not _REVISION.fullmatch(wanted)):
        raise unknown
    try:
        return _from_hub(repo, wanted or None, api or HfApi(), cache, most_bytes)
    except HFValidationError:
        raise unknown from None
    except HUB_FAILURES as error:
        raise _refusal(error, repo, wanted or "main") from error


def _given(model: str) -> Path:
    return Path.home() / model[2:] if model.startswith("~/") else Path(model)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long for the file system
        return False


def _local(folder: Path, model: str) -> ModelFolder:
    """Return a folder with a revision from its content, without card and results, which do not affect the output."""
    digest = hashlib.sha256()
    try:
        for file in sorted(file for file in folder.iterdir() if _fits(file.name, _ANSWERS)):
            with open_plain(file) as opened:
                digest.update(f"{file.name} {hashlib.file_digest(opened, 'sha256').hexdigest()}\n".encode())
    except OSError:
        raise ModelUnavailableError("folder_unusable", path=str(folder)) from None
    return ModelFolder(folder, model, digest.hexdigest())


@functools.cache
def _log_latest(repo: str, commit: str) -> None:
    """Log which commit is used, once however often it is resolved."""
    _log.info("Using %s at commit %s; to pin this version, give %s@%s.", repo, commit, repo, commit)


def _from_hub(repo: str, revision: str | None, api: HfApi, cache: Path | None, most_bytes: int) -> ModelFolder:
    pinned = api.resolve_revision(repo, revision=revision, cache_dir=cache)
    commit = pinned.resolved
    if revision is None:
        _log_latest(repo, commit)

    def files(*, here: bool) -> Path:
        # Subfolders of a repo hold no model files.
        return Path(
            api.snapshot_download(
                repo,
                revision=pinned,
                cache_dir=cache,
                local_files_only=here,
                allow_patterns=list(_FETCHED),
                ignore_patterns="*/*",
            )
        )

    here: Path | None = None
    try:
        here = files(here=True)
        # If the cache also has the list of all files, the client has checked that none is missing.
        get_cached_repo_tree(repo, revision=pinned, cache_dir=cache)
        return ModelFolder(here, repo, commit)
    except (LocalEntryNotFoundError, CachedRepoTreeNotFoundError):
        pass  # nothing is cached, or another tool fetched single files, such as the card
    try:
        listed = api.model_info(repo, revision=commit, files_metadata=True).siblings or []
        if sum(file.size or 0 for file in listed if _fits(file.rfilename, _FETCHED)) > most_bytes:
            raise BadInputError("model_too_large", model=repo, limit_mb=most_bytes // 1_000_000)
        here = files(here=False)
    except HUB_FAILURES:
        if here is None or not (here / CONFIG).is_file():
            raise
    return ModelFolder(here, repo, commit)


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return "/" not in name and any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _refusal(error: Exception, repo: str, revision: str) -> BadInputError:
    """Return the BadInputError for an exception of the client; specific errors are checked before general ones."""
    status = error.response.status_code if isinstance(error, HfHubHTTPError) else None
    if isinstance(error, RevisionNotFoundError):
        return BadInputError("model_no_revision", model=repo, revision=revision)
    if isinstance(error, RepositoryNotFoundError) and not isinstance(error, GatedRepoError):
        return BadInputError("model_not_found", model=repo)
    if status in _REFUSED:
        return BadInputError("model_no_access", model=repo)
    if isinstance(error, OSError) and error.errno is not None:  # a local error, not one of the client
        return ModelUnavailableError("folder_unusable", path=str(error.filename or HF_HUB_CACHE))
    return BadInputError("model_unreachable", model=repo)
