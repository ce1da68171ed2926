"""Dataset folders on the Hub: the shards and the card with its figures, and no other files of the folder."""

from __future__ import annotations

import json
from pathlib import Path

from fmp_models.data.card import write_simulated_card
from fmp_models.data.folder import NOTE, contents, shards, whole_contents
from fmp_models.errors import BadInputError
from fmp_models.hub.references import CARD

_FIGURES = ("plots/*.png", "sheets/*.jpg")


def render_dataset(folder: Path) -> Path:
    """Write the card of a simulated dataset again and return its path.

    Raise ``BadInputError``: ``dataset_missing``, or ``dataset_unknown`` if ``simulate`` did not create the dataset.
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
    """Return the files by path in the repo; raise ``BadInputError`` ``dataset_missing`` without shards or card."""
    found = whole_contents(folder)
    if not contents(folder) or not (folder / CARD).is_file():
        raise BadInputError("dataset_missing", path=str(folder))
    figures = [path for pattern in _FIGURES for path in sorted(folder.glob(pattern))]
    rows = [shard for config, splits in found.items() for split in splits for shard in shards(folder / config, split)]
    return {path.relative_to(folder).as_posix(): path for path in (folder / CARD, *figures, *rows)}
