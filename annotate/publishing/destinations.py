"""Destinations of shards: a local folder, or a dataset of the Hub; the same files under the same names.

A change is whole or not there at all on the Hub. In a folder every file appears whole under its name, new ones before
old ones go, and what a crash cut off is made up for the next time, since names are known before anything is sent.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from httpx2 import HTTPError, InvalidURL
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

from annotate.errors import RefusedError
from annotate.files.disks import at_home, disk_refusal, trouble_with
from annotate.publishing.dataset_card import CARD
from annotate.publishing.shards import kind_of
from fmp_models.common.refusals import one_line

_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_REFUSED = frozenset({401, 402, 403, 404, 410, 451})
# RuntimeError: hf_xet, which carries large files; ValueError: what is no JSON, or a token that no header can hold.
_FAILURES = (HTTPError, InvalidURL, OSError, RuntimeError, ValueError)


def names_a_repo(text: str) -> bool:
    """Whether this looks like the name of a dataset of the Hub."""
    return _REPO.fullmatch(text) is not None


@dataclass(frozen=True)
class Contents:
    """The contents of a destination: shards, card, and the commit that both were read at (None for a folder)."""

    shards: frozenset[str]
    card: str | None
    revision: str | None


class Destination(Protocol):
    """The protocol of a place to publish to; everything may raise :class:`RefusedError`.

    ``publish_refused``, ``folder_unusable`` and ``disk_…`` will not pass by themselves; ``publish_failed`` may.
    """

    name: str
    keeps_history: bool

    def prepare(self) -> None:
        """Make the place where there is none."""

    def prove_writable(self) -> None:
        """Raise where a commit would be refused for good, as far as can be told without one."""

    def contents(self) -> Contents:
        """Shards and card, read at one time."""

    def read(self, path: str) -> bytes:
        """A file, whole."""

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Add and delete, and name the commit; ``parent`` refuses it where somebody else came first."""


class FolderDestination:
    """A folder of this machine."""

    keeps_history = False

    def __init__(self, folder: Path) -> None:
        self.folder = at_home(folder).absolute()
        self.name = str(self.folder)

    def prepare(self) -> None:
        """Make the folder."""
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
        """Shards and card as they are now."""
        try:
            paths = [path.relative_to(self.folder).as_posix() for path in self.folder.glob("data/*/*.parquet")]
            has_card = (self.folder / CARD).exists()
            card = (self.folder / CARD).read_text(encoding="utf-8", errors="replace") if has_card else None
        except OSError as error:
            raise self._unusable(error) from None
        return Contents(frozenset(path for path in paths if kind_of(path)), card, None)

    def read(self, path: str) -> bytes:
        """A file of the disk."""
        try:
            return (self.folder / path).read_bytes()
        except OSError as error:
            raise self._unusable(error) from None

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Write every file beside its name, sync it and rename it; nobody else is there to come first."""
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
    """Write all of a file or nothing of it, even after the power went."""
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
    """Let names survive too, where the system can open a folder."""
    if os.name == "posix" and folder.is_dir():
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


class HubDestination:
    """A dataset of the Hub, private where it has to be made."""

    keeps_history = True

    def __init__(self, repo: str, api: HfApi | None = None) -> None:
        if not names_a_repo(repo):
            raise RefusedError("repo_name_malformed", repo=repo)
        self.name = repo
        self._api = api or HfApi()

    def prepare(self) -> None:
        """Make the dataset where there is none; one that exists stays as visible as it is."""
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
        """Ask what every commit asks first; the Hub refuses it without the right to write, and nothing is changed."""
        try:
            self._api.preupload_lfs_files(self.name, [CommitOperationAdd(CARD, b"#")], repo_type="dataset")
        except _FAILURES as error:
            raise self._refusal(error) from error

    def contents(self) -> Contents:
        """Shards and card, read at the newest commit."""
        try:
            head = self._api.repo_info(self.name, repo_type="dataset").sha
            tree = self._api.list_repo_tree(self.name, recursive=True, repo_type="dataset", revision=head)
            paths = {entry.path for entry in tree if isinstance(entry, RepoFile)}
        except _FAILURES as error:
            raise self._refusal(error) from error
        card = self.read(CARD, head).decode(errors="replace") if CARD in paths else None
        return Contents(frozenset(path for path in paths if kind_of(path)), card, head)

    def read(self, path: str, revision: str | None = None) -> bytes:
        """A file of the Hub, past the cache of this machine: what a person deletes must not stay there."""
        try:
            with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
                file = self._api.hf_hub_download(
                    self.name, path, repo_type="dataset", revision=revision, local_dir=folder
                )
                return Path(file).read_bytes()
        except _FAILURES as error:
            raise self._refusal(error) from error

    def commit(self, added: Mapping[str, bytes], deleted: Collection[str], parent: str | None) -> str:
        """Add and delete in one commit, and name it."""
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
        """The refusal of what the client raised, as one sentence."""
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        status = cause.response.status_code if isinstance(cause, HfHubHTTPError) else None
        if isinstance(cause, HFValidationError):
            return RefusedError("repo_name_malformed", repo=self.name)
        # A file or a commit that has just gone is missing in what was read, and is not missed when it is read again.
        if status in _REFUSED and not isinstance(cause, RemoteEntryNotFoundError | RevisionNotFoundError):
            return RefusedError("publish_refused", target=self.name)
        reason = "this machine is set to offline" if isinstance(cause, OfflineModeIsEnabled) else _reason(cause, status)
        return RefusedError("publish_failed", target=self.name, reason=reason)


def _reason(cause: BaseException, status: int | None) -> str:
    if status is not None:
        return f"the Hub answered {status}"
    return one_line(cause) or type(cause).__name__
