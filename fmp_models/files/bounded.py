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


def read_within(path: Path, most: int) -> bytes:
    """A whole file of at most ``most`` bytes; raises ``BadInputError``: ``file_unreadable``, ``file_too_large``."""
    data = read_bounded(path, most)
    if len(data) > most:
        raise BadInputError("file_too_large", path=str(path), limit_mb=most // 1_000_000)
    return data
