"""Publication of models, datasets and Spaces: bundling of a training run, and upload of a folder to the Hub.

A bundled model has the best weights of its run in half precision, with a record of how they were trained. An upload
lists the changes first, then sends them in one commit.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete, HfApi, SpaceHardware
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from fmp_models.common import one_line
from fmp_models.errors import BadInputError
from fmp_models.hub.references import CHECKPOINTS, HUB_FAILURES, ModelFolder, is_unanswered, resolve_model

RepoType = Literal["model", "dataset", "space"]

_ATTRIBUTES = ".gitattributes"  # the Hub's file that says which files are large
HARDWARE = "hardware"  # the setting of a Space that is no variable
_REFUSALS = {
    **dict.fromkeys((401, 403, 404), "push_refused"),
    402: "push_unpaid",
    **dict.fromkeys((409, 412), "push_conflict"),
}  # error codes by HTTP status


@dataclass(frozen=True)
class PushResult:
    """The changes of a push: paths inside the repo, and the commit ``revision`` that contains all of them.

    ``revision`` is None if the repo is new and nothing was sent yet; ``creates`` is true if the push creates the
    repo. ``sizes`` are the bytes of the sent files. If the Hub could not be reached, ``compared`` is False and
    every file is new. ``settings`` are the changed settings of a Space.
    """

    repo: str
    creates: bool
    new: tuple[str, ...]
    changed: tuple[str, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]
    revision: str | None
    sizes: Mapping[str, int] = field(default_factory=dict, compare=False)
    compared: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the repo already has the wanted content."""
        return not (self.creates or self.new or self.changed or self.deleted or self.settings)

    def __str__(self) -> str:
        """Return one line for the repo and one for each file that is added, replaced or removed."""
        if self.is_empty:
            return f"{self.repo}: no changes"
        state = "a new repo" if self.creates else f"{len(self.unchanged)} files stay"
        if not self.compared:
            state = "not compared, because the Hub did not answer"
        marked = [("+", self.new), ("~", self.changed), ("-", self.deleted)]
        lines = [
            f"  {mark} {path}" + (f"  {_bytes(self.sizes[path])}" if path in self.sizes else "")
            for mark, paths in marked
            for path in paths
        ]
        lines += [f"  = {name} {value}" for name, value in self.settings.items()]
        return "\n".join([f"{self.repo}: {state}, {_bytes(sum(self.sizes.values()))} to send", *lines])


def push_files(  # noqa: PLR0913  each has a default
    what: Path | Mapping[str, Path],
    repo: str,
    *,
    repo_type: RepoType = "model",
    private: bool = True,
    mirror: bool = True,
    dry_run: bool = False,
    message: str = "Update",
    settings: Mapping[str, str] | None = None,
    api: HfApi | None = None,
    confirm: Callable[[PushResult], bool] = lambda _: True,
) -> PushResult:
    """Make the repo match a folder, or files by their path in the repo, if ``confirm`` agrees to the changes.

    Hidden files and ``__pycache__`` of a folder are not sent. With ``mirror``, remote files that are missing locally
    are deleted; without it they stay, as in a dataset to which others contribute. All changes go into one commit on
    top of the compared one, so that every revision is complete and no other person's commit is overwritten; without
    changes there is no commit. ``private`` applies to a new repo; an existing one keeps its visibility. With
    ``dry_run`` nothing is sent; if the Hub cannot be reached, or hides the repo without a token, every file is listed.
    ``settings`` are the "hardware" and the variables of a Space, which keeps its other ones.

    Raise :class:`BadInputError`: ``folder_missing``, ``folder_unusable``, ``push_nothing``,
    ``repo_name_malformed``, ``push_refused``, ``push_unpaid``, ``push_conflict``, ``push_unanswered``,
    ``push_card_refused``.
    """
    if "/" not in repo:
        raise BadInputError("repo_name_malformed", repo=repo)
    files = _files(what) if isinstance(what, Path) else dict(what)
    client = api or HfApi()
    try:
        planned = _plan(files, repo, repo_type, client, mirror=mirror, dry_run=dry_run)
        if settings and not dry_run and not planned.creates:
            settings = _changed_settings(client, repo, settings)
        planned = replace(planned, settings=settings or {})
        if dry_run or planned.is_empty or not confirm(planned):
            return planned
        parent = planned.revision
        if planned.creates:
            _create(client, repo, repo_type, planned.settings, private=private)
            parent = client.repo_info(repo, repo_type=repo_type).sha
        else:
            _set(client, repo, planned.settings)
        operations: list[CommitOperationAdd | CommitOperationCopy | CommitOperationDelete] = [
            *(CommitOperationDelete(path, is_folder=False) for path in planned.deleted),
            *(CommitOperationAdd(path, files[path]) for path in (*planned.new, *planned.changed)),
        ]
        if not operations:
            return planned
        commit = client.create_commit(
            repo, operations, commit_message=message, repo_type=repo_type, parent_commit=parent
        )
    except HFValidationError:
        raise BadInputError("repo_name_malformed", repo=repo) from None
    except HUB_FAILURES as error:
        refusal = _refusal(error, repo, str(what) if isinstance(what, Path) else ".")
        if refusal is None:
            raise
        raise refusal from error
    return replace(planned, revision=str(commit.oid))


def _create(client: HfApi, repo: str, repo_type: RepoType, settings: Mapping[str, str], *, private: bool) -> None:
    of_space: dict[str, Any] = {}
    if repo_type == "space":
        variables = [{"key": name, "value": value} for name, value in settings.items() if name != HARDWARE]
        of_space = {
            "space_sdk": "gradio",
            "space_hardware": settings.get(HARDWARE),
            "space_variables": variables or None,
        }
    client.create_repo(repo, repo_type=repo_type, private=private, exist_ok=True, **of_space)


def _set(client: HfApi, repo: str, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        if name == HARDWARE:
            client.request_space_hardware(repo, SpaceHardware(value))
        else:
            client.add_space_variable(repo, name, value)


def _changed_settings(client: HfApi, repo: str, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that the Space lacks or has otherwise."""
    runtime = client.get_space_runtime(repo)
    has = {name: variable.value for name, variable in client.get_space_variables(repo).items()}
    has[HARDWARE] = str(runtime.requested_hardware or runtime.hardware)
    return {name: value for name, value in settings.items() if has.get(name) != value}


def _is_own_file(path: Path) -> bool:
    """Return whether the path is a regular file; a link could expose a file outside the folder."""
    return path.is_file() and not path.is_symlink()


def _files(folder: Path) -> dict[str, Path]:
    """Return the files to send by their path in the repo."""
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if _is_own_file(path)}
    sent = {
        name: path
        for name, path in files.items()
        if name == _ATTRIBUTES or not any(part.startswith(".") or part == "__pycache__" for part in name.split("/"))
    }
    if not sent:
        raise BadInputError("push_nothing", path=str(folder))
    return sent


def _bytes(count: int) -> str:
    """Format a size for people: whole bytes below one kilobyte, else one decimal."""
    for unit, name in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"


def _plan(  # noqa: PLR0913  arguments of push_files
    files: dict[str, Path], repo: str, repo_type: RepoType, client: HfApi, *, mirror: bool, dry_run: bool
) -> PushResult:
    """Return the changes; for a dry run without a reachable Hub, list all files as new."""
    everything = _all_new(files, repo)
    try:
        return _compare(files, repo, repo_type, client, mirror=mirror)
    except HUB_FAILURES as error:
        refusal = _refusal(error, repo, ".")
        if not dry_run or refusal is None or refusal.code not in {"push_refused", "push_unanswered"}:
            raise
    return replace(everything, creates=False, compared=False)


def _all_new(files: dict[str, Path], repo: str) -> PushResult:
    sizes = {name: path.stat().st_size for name, path in files.items()}
    return PushResult(
        repo, creates=True, new=tuple(files), changed=(), deleted=(), unchanged=(), revision=None, sizes=sizes
    )


def _compare(files: dict[str, Path], repo: str, repo_type: RepoType, client: HfApi, *, mirror: bool) -> PushResult:
    sizes = {name: path.stat().st_size for name, path in files.items()}
    try:
        head = client.repo_info(repo, repo_type=repo_type).sha
    except RepositoryNotFoundError:
        return _all_new(files, repo)
    tree = client.list_repo_tree(repo, recursive=True, revision=head, repo_type=repo_type)
    there = {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}
    same = {name for name, path in files.items() if name in there and _is_same(path, there[name])}
    gone = there.keys() - files.keys() - {_ATTRIBUTES} if mirror else set()
    return PushResult(
        repo,
        creates=False,
        new=tuple(name for name in files if name not in there),
        changed=tuple(name for name in files if name in there and name not in same),
        deleted=tuple(sorted(gone)),
        unchanged=tuple(sorted(same)),
        revision=head,
        sizes={name: size for name, size in sizes.items() if name not in same},
    )


def _is_same(path: Path, there: RepoFile) -> bool:
    """Compare by size, then by hash: SHA-256 for a large file, git's SHA-1 of a blob for others."""
    size = path.stat().st_size
    if size != there.size:
        return False
    digest = hashlib.sha256() if there.lfs else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        hashlib.file_digest(file, lambda: digest)
    return digest.hexdigest() == (there.lfs.sha256 if there.lfs else there.blob_id)


def _refusal(error: Exception, repo: str, folder: str) -> BadInputError | None:
    """Return the BadInputError for an exception of the client; None for an unexpected one."""
    cause = (isinstance(error, RuntimeError) and error.__cause__) or error  # uploads of large files wrap the cause
    status = cause.response.status_code if isinstance(cause, HfHubHTTPError) else None
    if str(error).startswith("Invalid metadata in README.md"):  # the client raises a plain ValueError
        return BadInputError("push_card_refused", repo=repo, reason=one_line(error))
    if status in _REFUSALS:
        return BadInputError(_REFUSALS[status], repo=repo)
    if is_unanswered(cause):
        return BadInputError("push_unanswered", repo=repo)
    if isinstance(cause, OSError):
        return BadInputError("folder_unusable", path=str(cause.filename or folder))
    return None


TRAINING = "training.json"

_RUN, _BEST, _SCORES = "config.json", "best", "scores.json"
_ABOUT = ("hours", "machine", "packages")  # what the run's own training.json notes
_CARD = "# {name}\n\nIts card is written by `python -m hub_cards render`.\n"


@dataclass(frozen=True)
class TrainingRecord:
    """The content of ``training.json``: the ``commands`` that made the weights, in order, and the last run's settings.

    ``size`` is the recipe's size, ``dataset`` the fingerprint of the data. ``validation`` holds the scores for
    which these weights were kept, and their step. ``recipe`` holds every table of the run's configuration.
    ``hours``, ``machine`` and ``packages`` are those of the last run; older records lack them.
    """

    commands: tuple[str, ...]
    size: str
    dataset: str
    validation: Mapping[str, float]
    recipe: Mapping[str, Any]
    hours: float | None = None
    machine: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)


def bundle_run(run: Path, name: str, commands: Sequence[str], bundled: Path = CHECKPOINTS) -> ModelFolder:
    """Copy the best weights of a run's folder to ``bundled/name`` and replace any model and results there.

    Raise ``BadInputError``: ``run_incomplete`` if ``run`` is not a folder made by ``train``, and the errors of
    loading and saving a model.
    """
    begun, scores = _noted(run, run / _RUN), _noted(run, run / _BEST / _SCORES)
    noted = _noted(run, run / TRAINING) if (run / TRAINING).is_file() else {}
    about = {name: noted[name] for name in _ABOUT if name in noted}
    size, dataset = (str(begun.pop(name, "")) for name in ("size", "dataset"))
    training = TrainingRecord(tuple(commands), size, dataset, scores, begun, **about)
    folder = bundled / name
    _save(str((run / _BEST).resolve()), folder, _CARD.format(name=name))
    text = json.dumps(asdict(training), ensure_ascii=False, indent=2)
    (folder / TRAINING).write_text(f"{text}\n", encoding="utf-8")
    return resolve_model(name, bundled=bundled)


def _noted(run: Path, file: Path) -> dict[str, Any]:
    try:
        noted = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        noted = None
    if not isinstance(noted, dict):
        raise BadInputError("run_incomplete", path=str(run), file=file.relative_to(run).as_posix())
    return noted


def _save(best: str, folder: Path, card: str) -> None:
    # Imported here because they load torch, which reading a training record does not need.
    from fmp_models.hub.models import (  # noqa: PLC0415
        kind_of,
        load_captioner,
        load_editor,
        load_estimator,
        load_lifter,
        load_retriever,
        save_model,
        save_speaking,
    )

    kind = kind_of(resolve_model(best))
    if kind in {"estimator", "lifter"}:
        network = load_estimator(best).network if kind == "estimator" else load_lifter(best).network
        save_model(folder, kind, asdict(network.config), network, {}, card)
        return
    if kind == "editor":
        editor = load_editor(best)
        save_speaking(folder, editor.network, editor.vocabularies, card)
        return
    loaded = load_captioner(best) if kind == "captioner" else load_retriever(best)
    save_speaking(folder, loaded.network, loaded.vocabularies, card)
