"""Result files of long commands: checked for write access at the start, written atomically at the end."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from fmp_models.errors import BadInputError
from fmp_models.files.atomic_write import replace_file


def check_writable(path: Path) -> None:
    """Create the folder of a future file; raise ``BadInputError`` (``folder_unusable``)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError:
        raise BadInputError("folder_unusable", path=str(path.parent)) from None
    if path.is_dir():
        raise BadInputError("folder_unusable", path=str(path))


def write_results(results: Mapping[Path, object]) -> None:
    """Write each object to its file, completely or not at all; raise ``BadInputError`` (``folder_unusable``)."""
    for path, content in results.items():
        text = f"{json_text(content, indent=2)}\n"
        try:
            replace_file(path, partial(Path.write_text, data=text, encoding="utf-8"))
        except OSError:
            raise BadInputError("folder_unusable", path=str(path.parent)) from None


def json_text(content: object, indent: int | None = None) -> str:
    """Return an object as JSON text in the format of all commands here."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=indent)
