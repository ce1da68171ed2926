"""Dataset provenance of an evaluation: name, fingerprint and command, so that others can recreate the data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import DatasetCard

from fmp_models.data.folder import NOTE, contents
from fmp_models.training.dataset_samples import fingerprint

_CARD = "README.md"


def about_dataset(folder: Path, parts: Sequence[tuple[str, str]] | None = None) -> dict[str, Any]:
    """Return the dataset's ``name``, the ``fingerprint`` of its (or these) splits, and the ``command`` that made it.

    ``parts`` are (config, split); by default all. The name is the one on the card, or the folder's. The command
    is null if it is not known.
    """
    all_parts = [(config, split) for config, splits in contents(folder).items() for split in splits]
    return {"name": _name(folder), "fingerprint": fingerprint(folder, parts or all_parts), "command": _command(folder)}


def _name(folder: Path) -> str:
    try:
        name = DatasetCard((folder / _CARD).read_text(encoding="utf-8")).data.get("pretty_name")
    except (OSError, ValueError):
        name = None
    return str(name or folder.resolve().name)


def _command(folder: Path) -> str | None:
    try:
        note = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        return f"python -m fmp_models simulate OUT --pairs {int(note['pairs'])} --seed {int(note['seed'])}"
    except (OSError, ValueError, KeyError, TypeError):
        return None
