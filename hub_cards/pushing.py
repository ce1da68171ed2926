"""Push of a model, a dataset or the Space, with a check of all files before they are sent.

Of a dataset's folder, the shards and the card with its figures are sent, and no other files. The Space holds files of
the project; the header that the Hub reads is only in the project's own README.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import HfApi

from annotate.campaigns import FILE as CAMPAIGN_FILE
from annotate.campaigns import PICTURES, Campaign
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.hub import (
    CARD,
    CHECKPOINTS,
    CONFIG,
    MAX_DOWNLOAD_BYTES,
    PushResult,
    RepoType,
    bundled_names,
    push_files,
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
_ENDINGS = frozenset({".pyc", ".pyi"})  # files that Python and Gradio write beside the code
_HEADER = re.compile(r"---\n.+?\n---\n", re.DOTALL)
_HIDDEN_PICTURE = re.compile(r"!\[[^\]]*\]\(\.[^)]*\)\n*")
_MAX_BYTES = 1_000_000


def space_readme(project: Path = PROJECT) -> str:
    """Return the project's README without pictures from hidden folders, which the Space does not contain.

    Raise ``BadInputError``: ``file_unreadable``, ``space_header_missing``.
    """
    path = project / CARD
    text = read_bounded(path, _MAX_BYTES).decode(errors="replace")
    if not _HEADER.match(text):
        raise BadInputError("space_header_missing", path=str(path))
    return _HIDDEN_PICTURE.sub("", text)


def space_files(project: Path = PROJECT) -> dict[str, Path]:
    """Return all files except the README by path in the Space: the app with its models.

    Tests, caches, hidden files and links are excluded. Raise ``BadInputError``: ``file_unreadable`` if a required part
    is missing.
    """
    for name in _NEEDED:
        if not (project / name).exists():
            raise BadInputError("file_unreadable", path=str(project / name))
    files = (path for name in (*_NEEDED, *_ALSO) for path in _within(project / name))
    return {path.relative_to(project).as_posix(): path for path in sorted(files)}


def _within(path: Path) -> Iterator[Path]:
    if path.is_symlink() or path.name.startswith(".") or path.name in _LEFT_BEHIND or path.suffix in _ENDINGS:
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
    # They load torch, which datasets and the Space do not need.
    from fmp_models.hub import load_captioner, load_estimator, load_lifter, load_retriever  # noqa: PLC0415
    from hub_cards.cards import read_checkpoint, render  # noqa: PLC0415

    load: dict[str, Callable[[str], object]] = {
        "captioner": load_captioner,
        "retriever": load_retriever,
        "estimator": load_estimator,
        "lifter": load_lifter,
    }
    load[read_checkpoint(folder).described.kind](str(folder.resolve()))
    render([folder], check=True)
    files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith(".")}
    files |= {path.relative_to(folder).as_posix(): path for path in sorted(folder.glob("*/*.json"))}
    return _push(files, "model", order, MAX_DOWNLOAD_BYTES, MAX_DOWNLOAD_BYTES)


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


def push_space(project: Path, order: PushOrder) -> PushResult:
    """Push the app with all it needs to run; raise as ``space_files``, ``push_files`` and :func:`looked_through` do."""
    with _written(space_readme(project)) as readme:
        files = {**space_files(project), CARD: readme}
        return _push(files, "space", order, MAX_SPACE_FILE_BYTES, MAX_SPACE_BYTES)


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


def _push(
    files: Mapping[str, Path], repo_type: RepoType, order: PushOrder, most_file_bytes: int, most_bytes: int | None
) -> PushResult:
    looked_through(files, most_file_bytes, most_bytes)
    return push_files(
        files,
        order.repo,
        repo_type=repo_type,
        private=order.private,
        dry_run=order.dry_run,
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
