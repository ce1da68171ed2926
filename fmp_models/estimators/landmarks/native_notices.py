"""Filter of MediaPipe's and LiteRT's notices on standard error, which no option or environment variable turns off."""

from __future__ import annotations

import os
import re
import tempfile
import threading
from contextlib import suppress
from typing import IO

_STANDARD_ERROR = 2
# Threads may write between the level, the message and the end of a line. Errors do not count as notices.
_NOTICE = re.compile(
    rb"(?:(?:INFO|WARNING): )*"
    rb"(?:\[\w+\.cc:\d+\] |Created TensorFlow Lite |Replacing \d+ |Logging before |All log messages before |\s*$)"
    rb"|[IW]\d{4} \d\d:\d\d:\d+\."
)


class HeldNotices:
    """A context that buffers standard error and writes everything except the notices at its end.

    Several threads can be in it at the same time; the last one ends it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads = 0
        self._stream = -1
        self._written: IO[bytes] | None = None

    def __enter__(self) -> None:
        """Redirect standard error to a file, unless there is no standard error or no space for the file."""
        with self._lock, suppress(OSError):
            self._threads += 1
            if self._threads == 1:
                self._stream = os.dup(_STANDARD_ERROR)
                self._written = tempfile.TemporaryFile()
                os.dup2(self._written.fileno(), _STANDARD_ERROR)

    def __exit__(self, *_: object) -> None:
        """Restore standard error, and write all lines that are not notices."""
        with self._lock, suppress(OSError):
            self._threads -= 1
            if self._threads or self._stream < 0:
                return
            os.dup2(self._stream, _STANDARD_ERROR)
            os.close(self._stream)
            self._stream = -1
            if self._written is not None:
                with self._written as written:
                    self._written = None
                    written.seek(0)
                    os.write(_STANDARD_ERROR, b"".join(line for line in written if not _NOTICE.match(line)))


NOTICES_HELD = HeldNotices()
