"""The Space: its files from the project, and its README.

The header that the Hub reads is only in the project's own README.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
from fmp_models.hub.references import CARD

PROJECT = Path(__file__).resolve().parents[1]

_NEEDED = ("app.py", "annotate", "demo", "fmp_models", "requirements.txt", "packages.txt")
_ALSO = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs")
_LEFT_BEHIND = frozenset({"__pycache__"})
_ENDINGS = frozenset({".pyc", ".pyi"})  # files that Python and Gradio write beside the code
_HEADER = re.compile(r"---\n.+?\n---\n", re.DOTALL)
_HIDDEN_PICTURE = re.compile(r"!\[[^\]]*\]\(\.[^)]*\)\n*")
_MAX_BYTES = 1_000_000


def space_readme(project: Path = PROJECT) -> str:
    """Return the project's README without pictures from hidden folders, which the Space does not contain.

    Raise ``BadInputError``: ``file_unreadable``, ``space_header_missing``.
    """
    path = project / CARD
    text = read_bounded(path, _MAX_BYTES).decode(errors="replace")
    if not _HEADER.match(text):
        raise BadInputError("space_header_missing", path=str(path))
    return _HIDDEN_PICTURE.sub("", text)


def space_files(project: Path = PROJECT) -> dict[str, Path]:
    """Return all files except the README by path in the Space: the app with its models.

    Tests, caches, hidden files and links are excluded. Raise ``BadInputError``: ``file_unreadable`` if a required part
    is missing.
    """
    for name in _NEEDED:
        if not (project / name).exists():
            raise BadInputError("file_unreadable", path=str(project / name))
    files = (path for name in (*_NEEDED, *_ALSO) for path in _within(project / name))
    return {path.relative_to(project).as_posix(): path for path in sorted(files)}


def _within(path: Path) -> Iterator[Path]:
    if path.is_symlink() or path.name.startswith(".") or path.name in _LEFT_BEHIND or path.suffix in _ENDINGS:
        return
    if path.is_dir():
        for inside in path.iterdir():
            yield from _within(inside)
    elif path.is_file():
        yield path
