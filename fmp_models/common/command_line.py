"""Command-line skeleton: it refuses in one sentence and ends with 0, 2 or 1.

0: done, 2: bad input with one sentence why, 1: a fault of ours.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import NoReturn

from fmp_models.common.refusals import CodedError
from fmp_models.common.temporary_folder import private_folder

BAD_INPUT = 2
_NO_READER = frozenset({errno.EPIPE} | ({errno.EINVAL} if os.name == "nt" else set()))  # what writing to a pipe raises


class OneSentenceParser(argparse.ArgumentParser):
    """Refuses in one line, as every other refusal here."""

    def error(self, message: str) -> NoReturn:
        """End with the exit code of bad input."""
        self.exit(BAD_INPUT, f"{message[:1].upper()}{' '.join(message[1:].split())}; see {self.prog} --help.\n")


def write_every_letter() -> None:
    """Let standard output and standard error take any text: as UTF-8, or escaped on a terminal of another encoding.

    Files and pipes of Windows would be of an encoding without Hindi, and ``PYTHONIOENCODING`` may name one.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):  # told after the change: the position of a pipe that took a file's place
                stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run the command that the arguments name, ``run`` of its parser's defaults, and return its exit code."""
    write_every_letter()
    options = parser.parse_args(arguments)
    try:
        with ExitStack() as stack:
            with suppress(OSError):  # many commands need no temporary folder
                stack.enter_context(private_folder())
            code = int(options.run(options))
        if sys.stdout is not None:
            sys.stdout.flush()
    except CodedError as error:
        sys.stderr.write(f"{' '.join(error.sentence.split())}\n")
        return BAD_INPUT
    except OSError as error:
        if error.errno not in _NO_READER or not _nobody_reads():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def end(code: int) -> NoReturn:
    """End this process at once with all of its output.

    Python would first look through everything that was imported, which takes seconds, and wait for every thread.
    Libraries that remove their own temporary folders at the end would meet one that is gone.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:
                stream.flush()
    os._exit(code)


def _nobody_reads() -> bool:
    """Whether the reader of the output has seen enough; else it was a pipe to a server or a process that broke."""
    try:
        print(flush=True)  # noqa: T201  only writing tells
    except OSError as error:
        if error.errno not in _NO_READER:
            raise
        return True
    return False
