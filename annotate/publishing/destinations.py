"""Destinations of shards: a local folder, or a dataset of the Hub, with the same files under the same names.

On the Hub a commit is atomic. In a folder each file is replaced atomically, and new files are written before
old ones are deleted. What a crash interrupts is completed the next time, since names are known before
anything is sent.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.hf_api import RepoFile

from annotate.campaigns import HUB_FAILURES, names_a_repo
from annotate.disks import at_home, disk_refusal, trouble_with
from annotate.errors import RefusedError
from annotate.publishing.tables import CARD, kind_of
from fmp_models.common import one_line

_REFUSED = frozenset({401, 402, 403, 404, 410, 451})
_FAILURES = HUB_FAILURES


@dataclass(frozen=True)
class Contents:
    """The contents of a destination: shards, card, and the commit that both were read at (None for a folder)."""

    shards: frozenset[str]
    card: str | None
    revision: str | None


class Destination(Protocol):
    """The protocol of a destination; every method may raise :class:`RefusedError`.

    ``publish_refused``, ``folder_unusable`` and ``disk_…`` are permanent; a retry may help after
    ``publish_failed``.
    """

    name: str
    keeps_history: bool
    is_private: bool  # whether the public could not read the last contents()

    def prepare(self) -> None:
        """Create the destination if it does not exist."""

    def prove_writable(self) -> None:
        """Raise if commits would be refused permanently, as far as this can be told without one."""

    def contents(self) -> Contents:
        """Return the shards and the card, read at one time."""

    def read(self, path: str) -> bytes:
        """Return a whole file."""

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Add and delete files, and return the commit; raise if there is a newer commit than ``parent``."""


class FolderDestination:
    """A folder on this machine."""

    keeps_history = False
    is_private = False  # people send folders on

    def __init__(self, folder: Path) -> None:
        self.folder = at_home(folder).absolute()
        self.name = str(self.folder)

    def prepare(self) -> None:
        """Create the folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unusable(error) from None

    def prove_writable(self) -> None:
        """Try to write a file."""
        trouble = trouble_with(self.folder / CARD)
        if trouble is not None:
            raise trouble

    def contents(self) -> Contents:
        """Return the current shards and card."""
        try:
            paths = [path.relative_to(self.folder).as_posix() for path in self.folder.glob("data/*/*.parquet")]
            has_card = (self.folder / CARD).exists()
            card = (self.folder / CARD).read_text(encoding="utf-8", errors="replace") if has_card else None
        except OSError as error:
            raise self._unusable(error) from None
        return Contents(frozenset(path for path in paths if kind_of(path)), card, None)

    def read(self, path: str) -> bytes:
        """Return a file from the disk."""
        try:
            return (self.folder / path).read_bytes()
        except OSError as error:
            raise self._unusable(error) from None

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Write each file under a temporary name, sync it and rename it; ``parent`` is not used."""
        del parent
        try:
            for path, data in added.items():
                _write_synced(self.folder / path, data)
            for path in deleted:
                (self.folder / path).unlink(missing_ok=True)
                _sync_folder((self.folder / path).parent)
        except OSError as error:
            raise self._unusable(error) from None
        return uuid4().hex

    def _unusable(self, error: OSError) -> RefusedError:
        refusal = disk_refusal(error, self.folder)
        return (
            refusal
            if refusal.code in {"disk_full", "disk_read_only"}
            else RefusedError("folder_unusable", path=self.name)
        )


def _write_synced(path: Path, data: bytes) -> None:
    """Write a file atomically, even if the power fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that file names survive a power failure; only on POSIX."""
    if os.name == "posix" and folder.is_dir():
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class HubDestination:
    """A dataset on the Hub, created as private; with a ``revision`` it is read as it was then."""

    keeps_history = True
    is_private = False

    def __init__(self, repo: str, api: HfApi | None = None, revision: str | None = None) -> None:
        if not names_a_repo(repo):
            raise RefusedError("repo_name_malformed", repo=repo)
        self.name = repo
        self._revision = revision
        self._api = api or HfApi()

    def prepare(self) -> None:
        """Create the dataset if it does not exist; the visibility of an existing one is not changed."""
        try:
            self._api.repo_info(self.name, repo_type="dataset")
        except RepositoryNotFoundError:
            pass
        except _FAILURES as error:
            raise self._refusal(error) from error
        else:
            return
        try:
            self._api.create_repo(self.name, repo_type="dataset", private=True, exist_ok=True)
        except _FAILURES as error:
            raise self._refusal(error) from error

    def prove_writable(self) -> None:
        """Send the request that precedes every commit; the Hub refuses it without write permission."""
        try:
            self._api.preupload_lfs_files(self.name, [CommitOperationAdd(CARD, b"#")], repo_type="dataset")
        except _FAILURES as error:
            raise self._refusal(error) from error

    def contents(self) -> Contents:
        """Return the shards and the card at the newest commit, or at the revision."""
        try:
            info = self._api.repo_info(self.name, repo_type="dataset", revision=self._revision)
            self.is_private, head = info.private is True, info.sha
            tree = self._api.list_repo_tree(self.name, recursive=True, repo_type="dataset", revision=head)
            paths = {entry.path for entry in tree if isinstance(entry, RepoFile)}
        except _FAILURES as error:
            raise self._refusal(error) from error
        card = self.read(CARD, head).decode(errors="replace") if CARD in paths else None
        return Contents(frozenset(path for path in paths if kind_of(path)), card, head)

    def read(self, path: str, revision: str | None = None) -> bytes:
        """Download a file without the local cache, where deleted answers must not remain."""
        try:
            with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
                file = self._api.hf_hub_download(
                    self.name, path, repo_type="dataset", revision=revision or self._revision, local_dir=folder
                )
                return Path(file).read_bytes()
        except _FAILURES as error:
            raise self._refusal(error) from error

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Add and delete files in one commit, and return its id."""
        operations: list[CommitOperationAdd | CommitOperationDelete] = [
            *(CommitOperationAdd(path, data) for path, data in added.items()),
            *(CommitOperationDelete(path, is_folder=False) for path in deleted),
        ]
        try:
            commit = self._api.create_commit(
                self.name,
                operations,
                commit_message=f"Add {len(added)} files, remove {len(deleted)}",
                repo_type="dataset",
                parent_commit=parent,
            )
        except _FAILURES as error:
            raise self._refusal(error) from error
        return str(commit.oid)

    def _refusal(self, error: Exception) -> RefusedError:
        """Return the error for an exception of the client, as one sentence."""
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        status = cause.response.status_code if isinstance(cause, HfHubHTTPError) else None
        if isinstance(cause, HFValidationError):
            return RefusedError("repo_name_malformed", repo=self.name)
        # A file or commit that was deleted just now is only missing until the contents are read again.
        if status in _REFUSED and not isinstance(cause, RemoteEntryNotFoundError | RevisionNotFoundError):
            return RefusedError("publish_refused", target=self.name)
        reason = "this machine is set to offline" if isinstance(cause, OfflineModeIsEnabled) else _reason(cause, status)
        return RefusedError("publish_failed", target=self.name, reason=reason)


def _reason(cause: BaseException, status: int | None) -> str:
    if status is not None:
        return f"the Hub answered {status}"
    return one_line(cause) or type(cause).__name__
