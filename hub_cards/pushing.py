"""Push of a model, a dataset or the Space, with a check of all files before they are sent.

Of a dataset's folder, the shards and the card with its figures are sent, and no other files. The Space holds files of
the project; the header that the Hub reads is only in the project's own README.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from types import MappingProxyType

from huggingface_hub import HfApi

from annotate.campaigns import FILE as CAMPAIGN_FILE
from annotate.campaigns import PICTURES, Campaign
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.hub import (
    CARD,
    CHECKPOINTS,
    CONFIG,
    HARDWARE,
    MAX_DOWNLOAD_BYTES,
    ModelFolder,
    PushResult,
    RepoType,
    bundled_names,
    push_files,
    resolve_model,
)

_FIGURES = ("plots/*.png", "sheets/*.jpg")


def render_dataset(folder: Path) -> Path:
    """Write the card of a simulated dataset again and return its path.

    Raise ``BadInputError``: ``dataset_missing``, or ``dataset_unknown`` if ``simulate`` did not create the dataset.
    """
    # They load datasets and matplotlib, which other cards do not need.
    from fmp_models.data import (  # noqa: PLC0415
        SIMULATION_NOTE,
        dataset_contents,
        write_simulated_card,
    )

    if not dataset_contents(folder):
        raise BadInputError("dataset_missing", path=str(folder))
    try:
        noted = json.loads((folder / SIMULATION_NOTE).read_text(encoding="utf-8"))
        names = noted.get("names", [])
        if len(names) != len(noted["recordings"]):
            raise BadInputError("dataset_unknown", path=str(folder))
        write_simulated_card(folder, noted["pairs"], noted["seed"], noted["left_out"], names)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInputError("dataset_unknown", path=str(folder)) from None
    return folder / CARD


def dataset_files(folder: Path) -> dict[str, Path]:
    """Return the files by path in the repo; raise ``BadInputError`` ``dataset_missing`` without shards or card."""
    from fmp_models.data import complete_contents, dataset_contents, split_shards  # noqa: PLC0415  loads datasets

    found = complete_contents(folder)
    if not dataset_contents(folder) or not (folder / CARD).is_file():
        raise BadInputError("dataset_missing", path=str(folder))
    figures = [path for pattern in _FIGURES for path in sorted(folder.glob(pattern))]
    rows = [
        shard for config, splits in found.items() for split in splits for shard in split_shards(folder / config, split)
    ]
    return {path.relative_to(folder).as_posix(): path for path in (folder / CARD, *figures, *rows)}


PROJECT = Path(__file__).resolve().parents[1]

_NEEDED = ("app.py", "annotate", "demo", "fmp_models", "requirements.txt", "packages.txt")
_ALSO = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs")
_LEFT_BEHIND = frozenset({"__pycache__"})
_WRITTEN = re.compile(r".*\.pyc|(?!__init__\.).*\.pyi")  # files that Python and Gradio write beside the code
_HEADER = re.compile(r"---\n.+?\n---\n", re.DOTALL)
_HIDDEN_PICTURE = re.compile(r"!\[[^\]]*\]\(\.[^)]*\)\n*")
_MAX_BYTES = 1_000_000
SPACE_HARDWARE = ("zero-a10g", "cpu-basic")  # what free and paid accounts get without further costs
# The bundled models that the app does not use if one on the Hub has their role.
_REPLACED = {"captioner": "fmp_models/checkpoints/captioner/*", "retriever": "fmp_models/checkpoints/retriever-*"}
_COMMIT_CHARS = 40


def space_readme(project: Path = PROJECT, header: Mapping[str, str | list[str]] = MappingProxyType({})) -> str:
    """Return the project's README without pictures from hidden folders, which the Space does not contain.

    ``header`` replaces or adds entries of the header.

    Raise ``BadInputError``: ``file_unreadable``, ``space_header_missing``.
    """
    path = project / CARD
    text = read_bounded(path, _MAX_BYTES).decode(errors="replace")
    found = _HEADER.match(text)
    if not found:
        raise BadInputError("space_header_missing", path=str(path))
    lines = [line for line in found[0].splitlines()[:-1] if line.partition(":")[0] not in header]
    for name, value in header.items():
        lines += [f"{name}: {value}"] if isinstance(value, str) else [f"{name}:", *(f"  - {one}" for one in value)]
    body = _HIDDEN_PICTURE.sub("", text[found.end() :])
    return "\n".join([*lines, f"---\n{body}"])


def space_files(project: Path = PROJECT, left_out: Collection[str] = ()) -> dict[str, Path]:
    """Return all files except the README by path in the Space: the app with its models.

    Tests, caches, hidden files, links and the patterns in ``left_out`` are excluded. Raise ``BadInputError``:
    ``file_unreadable`` if a required part is missing.
    """
    for name in _NEEDED:
        if not (project / name).exists():
            raise BadInputError("file_unreadable", path=str(project / name))
    files = (path for name in (*_NEEDED, *_ALSO) for path in _within(project / name))
    named = {path.relative_to(project).as_posix(): path for path in sorted(files)}
    return {name: path for name, path in named.items() if not any(fnmatch(name, pattern) for pattern in left_out)}


def _within(path: Path) -> Iterator[Path]:
    if path.is_symlink() or path.name.startswith(".") or path.name in _LEFT_BEHIND or _WRITTEN.fullmatch(path.name):
        return
    if path.is_dir():
        for inside in path.iterdir():
            yield from _within(inside)
    elif path.is_file():
        yield path


_CAMPAIGN_CARD = """---
pretty_name: FixMyPose campaign {name}
tags: [fixmypose]
viewer: false
---
# The campaign {name}

{pairs} pairs of pictures for people to describe, rate and compare with the FixMyPose annotation tool. Start the app
with `FMP_CAMPAIGN={repo}@REVISION` to ask about them; REVISION is a commit of this repo.
"""
MAX_SPACE_FILE_BYTES = 15_000_000  # larger files belong in a repo of their own, from which the Space loads them
MAX_SPACE_BYTES = 1_000_000_000  # free storage of a Space on the Hub
MAX_DATASET_FILE_BYTES = 50_000_000_000  # maximum size of one file on the Hub

_SECRET = re.compile(rb"\bhf_[A-Za-z0-9]{30,}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----")
_SECRET_NAMES = re.compile(r".*\.(pem|key|p12|pfx)|id_(rsa|dsa|ecdsa|ed25519)|(credentials|secrets)\.(json|toml|ya?ml)")
_MAX_TEXT_BYTES = 5_000_000  # larger files are not searched for secrets


@dataclass(frozen=True)
class PushOrder:
    """Destination and options of a push, as in ``push_files``."""

    repo: str
    private: bool = True
    dry_run: bool = False
    confirm: Callable[[PushResult], bool] = lambda _: True
    api: HfApi | None = None


def push_model(model: str, order: PushOrder, bundled: Path = CHECKPOINTS) -> PushResult:
    """Push the folder of a bundled or other model, if the model loads and its card is up to date.

    Raise ``BadInputError``: ``model_name_unknown``, ``card_outdated``, and what loading, ``push_files`` and
    :func:`looked_through` raise.
    """
    names = bundled_names(bundled)
    folder = bundled / model if model in names else Path(model)
    if not (folder / CONFIG).is_file():
        raise BadInputError("model_name_unknown", model=model, known=", ".join(names) or "none is bundled")
    from hub_cards.cards import read_checkpoint, render  # noqa: PLC0415  loads torch, which datasets do not need

    _load(read_checkpoint(folder).described.kind, str(folder.resolve()))
    render([folder], check=True)
    files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith(".")}
    further = [*sorted(folder.glob("*/*.json")), *sorted(folder.glob("examples/*.jpg"))]
    files |= {path.relative_to(folder).as_posix(): path for path in further}
    return _push(files, "model", order, MAX_DOWNLOAD_BYTES, MAX_DOWNLOAD_BYTES)


def _load(kind: str, model: str | ModelFolder) -> None:
    """Load a model; raise the errors of its loading, and of another kind."""
    # They load torch, which datasets do not need.
    from fmp_models.hub import load_captioner, load_editor, load_estimator, load_lifter, load_retriever  # noqa: PLC0415

    load: dict[str, Callable[[str | ModelFolder], object]] = {
        "captioner": load_captioner,
        "retriever": load_retriever,
        "editor": load_editor,
        "estimator": load_estimator,
        "lifter": load_lifter,
    }
    load[kind](model)


def push_dataset(folder: Path, order: PushOrder) -> PushResult:
    """Push the shards and the card; raise as ``dataset_files``, ``push_files`` and :func:`looked_through` do."""
    return _push(dataset_files(folder), "dataset", order, MAX_DATASET_FILE_BYTES, None)


def push_campaign(folder: Path, order: PushOrder) -> PushResult:
    """Push a campaign that can be used, so that ``FMP_CAMPAIGN=org/name@revision`` opens it on a Space.

    Raise what :meth:`Campaign.open`, ``push_files`` and :func:`looked_through` do.
    """
    campaign = Campaign.open(folder)
    names = [CAMPAIGN_FILE, *(f"{PICTURES}/{name}" for name in sorted(campaign.picture_names()))]
    card = _CAMPAIGN_CARD.format(name=campaign.name, repo=order.repo, pairs=len(campaign.items))
    with _written(card) as readme:
        return _push(
            {**{name: folder / name for name in names}, CARD: readme}, "dataset", order, MAX_DATASET_FILE_BYTES, None
        )


def push_space(project: Path, order: PushOrder, hardware: str | None = None, **models: str | None) -> PushResult:
    """Push the app with all it needs to run, and request its ``hardware``.

    ``captioner`` and ``retriever`` are models on the Hub, ``org/name@revision``. The Space gets their files from the
    Hub when it is built, and the settings that name them, and no bundled models of their roles.

    Raise ``space_model_local`` and what loading, ``space_files``, ``push_files`` and :func:`looked_through` raise.
    """
    header: dict[str, str | list[str]] = {"suggested_hardware": hardware} if hardware else {}
    settings = {HARDWARE: hardware} if hardware else {}
    found = {role: _on_hub(role, model, order) for role, model in models.items() if model is not None}
    if found:
        files_of = [(one, ",".join(sorted(path.name for path in one.path.iterdir()))) for one in found.values()]
        header["models"] = [one.id for one in found.values()]
        header["preload_from_hub"] = [f"{one.id} {files} {one.revision}" for one, files in files_of]
        settings |= {f"FMP_{role.upper()}": f"{one.id}@{one.revision}" for role, one in found.items()}
    with _written(space_readme(project, header)) as readme:
        sent = {**space_files(project, [_REPLACED[role] for role in found]), CARD: readme}
        return _push(sent, "space", order, MAX_SPACE_FILE_BYTES, MAX_SPACE_BYTES, settings)


def _on_hub(role: str, model: str, order: PushOrder) -> ModelFolder:
    """Return a model on the Hub that loads; raise ``space_model_local`` for another."""
    folder = resolve_model(model, api=order.api)
    if len(folder.revision) != _COMMIT_CHARS:
        raise BadInputError("space_model_local", model=model)
    _load(role, folder)
    return folder


def looked_through(files: Mapping[str, Path], most_file_bytes: int, most_bytes: int | None) -> None:
    """Check that no file or total is too large, and that no file may contain a secret.

    Raise ``BadInputError``: ``push_too_large``, ``push_secret``, ``folder_unusable``.
    """
    total = 0
    for name, path in files.items():
        try:
            size = path.stat().st_size
            _keep_within(name, size, most_file_bytes)
            total += size
            content = path.read_bytes() if size <= _MAX_TEXT_BYTES else b""
        except OSError:
            raise BadInputError("folder_unusable", path=str(path)) from None
        if _SECRET_NAMES.fullmatch(path.name) or _SECRET.search(content):
            raise BadInputError("push_secret", path=name)
    if most_bytes is not None:
        _keep_within(f"{len(files)} files", total, most_bytes)


def _push(  # noqa: PLR0913, PLR0917  limits and settings differ by kind
    files: Mapping[str, Path],
    repo_type: RepoType,
    order: PushOrder,
    most_file_bytes: int,
    most_bytes: int | None,
    settings: Mapping[str, str] | None = None,
) -> PushResult:
    looked_through(files, most_file_bytes, most_bytes)
    return push_files(
        files,
        order.repo,
        repo_type=repo_type,
        private=order.private,
        dry_run=order.dry_run,
        settings=settings,
        api=order.api,
        confirm=order.confirm,
    )


@contextmanager
def _written(text: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / CARD
        path.write_text(text, encoding="utf-8", newline="\n")
        yield path


def _keep_within(name: str, size: int, limit: int) -> None:
    if size > limit:
        found, most = (f"{count / 1_000_000:,.1f}" for count in (size, limit))
        raise BadInputError("push_too_large", path=name, found_mb=found, limit_mb=most)
