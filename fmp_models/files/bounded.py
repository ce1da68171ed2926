"""Files that a person names, read within bounds: what cannot be read is bad input."""

from __future__ import annotations

from pathlib import Path

from fmp_models.common.plain_files import read_plain
from fmp_models.errors import BadInputError


def read_bounded(path: Path, most: int) -> bytes:
    """The first ``most`` bytes and one more, so that a check sees the excess; raises ``BadInputError``."""
    try:
        return read_plain(path, most)
    except (OSError, ValueError):
        raise BadInputError("file_unreadable", path=str(path)) from None
