"""Files of unknown size, read no further than they may be long."""

from __future__ import annotations

from pathlib import Path

from fmp_models.errors import BadInputError


def read_bounded(path: Path, most: int) -> bytes:
    """The first ``most`` bytes and one more, so that a check sees the excess; raises ``BadInputError``."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError):
        raise BadInputError("file_unreadable", path=str(path)) from None
