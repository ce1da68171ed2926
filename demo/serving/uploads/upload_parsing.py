"""Upload parsing: Gradio's parser with cleanup after errors and limits on texts.

Gradio's own parser leaves partial files if the connection breaks, reads texts of any length into memory, and stores
files of equal content under one path, where the end of one answer can delete the file of the next.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.formparsers import MultiPartException

from demo.gradio_parts.gradio_internals import replace, route_utils

MAX_FILES = 32  # in one upload
MAX_TEXT_BYTES = 64_000  # bytes of all fields that are not files

_NAMELESS = "photograph"
_MAX_NAME_BYTES = 200  # bytes


class UploadParser(route_utils.GradioMultiPartParser):
    """A parser of one upload."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as Gradio has them
        super().__init__(*arguments, **{**options, "max_files": MAX_FILES, "max_fields": MAX_FILES})
        self._text = 0

    def on_headers_finished(self) -> None:
        """Start a part; replace a file name that is not usable."""
        super().on_headers_finished()
        file = self._current_part.file
        if not isinstance(file, route_utils.GradioUploadFile):
            return
        file.sha.update(secrets.token_bytes(16))  # makes the name of its folder unique
        if not _is_plain(Path(file.filename or "").name):
            file.filename = _NAMELESS

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Process a piece of a file or of a text."""
        if self._current_part.file is not None:
            super().on_part_data(data, start, end)
            return
        self._text += end - start
        if self._text > MAX_TEXT_BYTES:
            raise MultiPartException(
                f"The text of an upload exceeds the maximum allowed size of {MAX_TEXT_BYTES} bytes."
            )
        self._current_part.data += data[start:end]

    async def parse(self) -> FormData:
        """Return the files and texts; delete all files if the upload is incomplete."""
        try:
            return await super().parse()
        except BaseException:
            self._forget()
            raise

    def _forget(self) -> None:
        for file in self._files_to_close_on_error:
            file.close()
            Path(file.name).unlink(missing_ok=True)


def _is_plain(name: str) -> bool:
    """Return whether the name is usable as a file name."""
    return bool(name.strip(" .")) and name.isprintable() and len(name.encode()) <= _MAX_NAME_BYTES


def install() -> None:
    """Make every page launched from now on read uploads this way."""
    replace("upload parser", UploadParser)
