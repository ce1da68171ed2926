"""A dataset folder on the Hub: its shards, its card with the figures, and nothing else that lies there."""

from __future__ import annotations

import json
from pathlib import Path

from fmp_models.data.card import write_simulated_card
from fmp_models.data.folder import NOTE, contents, shards, whole_contents
from fmp_models.errors import BadInputError
from fmp_models.hub.references import CARD

_FIGURES = ("plots/*.png", "sheets/*.jpg")


def render_dataset(folder: Path) -> Path:
    """Write the card of a simulated dataset anew.

    Raises ``BadInputError``: ``dataset_missing``, and ``dataset_unknown`` for one that ``simulate`` did not make.
    """
    if not contents(folder):
        raise BadInputError("dataset_missing", path=str(folder))
    try:
        noted = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        names = noted.get("names", [])
        if len(names) != len(noted["recordings"]):
            raise BadInputError("dataset_unknown", path=str(folder))
        write_simulated_card(folder, noted["pairs"], noted["seed"], noted["left_out"], names)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BadInputError("dataset_unknown", path=str(folder)) from None
    return folder / CARD


def dataset_files(folder: Path) -> dict[str, Path]:
    """By their path in the repo. Raises ``BadInputError``: ``dataset_missing`` where shards or the card are."""
    found = whole_contents(folder)
    if not contents(folder) or not (folder / CARD).is_file():
        raise BadInputError("dataset_missing", path=str(folder))
    figures = [path for pattern in _FIGURES for path in sorted(folder.glob(pattern))]
    rows = [shard for config, splits in found.items() for split in splits for shard in shards(folder / config, split)]
    return {path.relative_to(folder).as_posix(): path for path in (folder / CARD, *figures, *rows)}
