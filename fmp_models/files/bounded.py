"""Size-limited reading of files that a user names; an unreadable file is bad input."""

from __future__ import annotations

from pathlib import Path

from fmp_models.common.plain_files import read_plain
from fmp_models.errors import BadInputError

MAX_VALUES = 2_000_000  # in one JSON file; the largest of the release has about 50,000


def read_bounded(path: Path, most: int) -> bytes:
    """Return the first ``most`` bytes and one more, so that a caller can detect excess.

    Raise ``BadInputError`` (``file_unreadable``).
    """
    try:
        return read_plain(path, most)
    except (OSError, ValueError):
        raise BadInputError("file_unreadable", path=str(path)) from None


def read_within(path: Path, most: int) -> bytes:
    """Return a whole file of at most ``most`` bytes.

    Raise ``BadInputError``: ``file_unreadable``, ``file_too_large``.
    """
    data = read_bounded(path, most)
    if len(data) > most:
        raise BadInputError("file_too_large", path=str(path), limit_mb=most // 1_000_000)
    return data


def demand_few_values(data: bytes, path: Path) -> None:
    """Raise ``BadInputError`` (``json_too_many``) if JSON holds more values than any file of this project.

    Each parsed value takes about a hundred bytes of memory, however short it is in the file. Commas and
    brackets within strings count too.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise BadInputError("json_too_many", path=str(path), limit=MAX_VALUES)
