"""Plain log: text from a client can neither imitate a log line nor send terminal control codes."""

from __future__ import annotations

import logging
import traceback
from typing import Any

_MAX_CHARS = 1000  # of a line


class PlainRecord(logging.LogRecord):
    """A log record whose message is one line; lines of a traceback are indented."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as logging has them
        super().__init__(*arguments, **options)
        if self.exc_info and self.exc_info[1] is not None:
            told = "".join(traceback.format_exception(self.exc_info[1]))
            self.exc_text = "\n".join(f"  {plain(line)}" for line in told.splitlines())

    def getMessage(self) -> str:  # noqa: N802  logging's name
        """Return the message with its control characters escaped."""
        return plain(super().getMessage())


def plain(line: str) -> str:
    """Return a line with non-printable characters escaped, truncated if it is long."""
    line = line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


def install() -> None:
    """Make all log records plain from now on."""
    logging.setLogRecordFactory(PlainRecord)
