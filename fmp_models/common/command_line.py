"""Command lines: one-sentence errors, three exit codes, progress on standard error, and worker processes.

0: success, 2: bad input with one sentence that says why, 1: an internal error.
"""

from __future__ import annotations

import argparse
import errno
import io
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from difflib import get_close_matches
from multiprocessing import parent_process
from typing import Any, NoReturn

from fmp_models.common.coded_errors import CodedError
from fmp_models.common.files import private_folder

BAD_INPUT = 2
_NO_READER = frozenset({errno.EPIPE} | ({errno.EINVAL} if os.name == "nt" else set()))  # raised by a closed pipe


class OneSentenceParser(argparse.ArgumentParser):
    """Argument parser that reports an error in one line, like every other error of the project."""

    _mixing = False

    def error(self, message: str) -> NoReturn:
        """Exit with the code of bad input."""
        self.exit(BAD_INPUT, f"{message[:1].upper()}{' '.join(message[1:].split())}; see {self.prog} --help.\n")

    def parse_known_args(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401
    ) -> tuple[Any, list[str]]:
        """Let options stand between positional arguments of any number, too, which ``argparse`` does not."""
        if self._mixing or all(action.nargs not in {"?", "*", "+"} for action in self._get_positional_actions()):
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Name the choice that was most likely meant, as Python 3.14 does."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            for nearest in get_close_matches(str(value), map(str, action.choices or ()), 1):
                error.message = error.message.replace(" (choose", f", maybe you meant '{nearest}'? (choose")
            raise


def write_every_letter() -> None:
    """Let standard output and standard error write any text: as UTF-8, or escaped on a terminal with another encoding.

    On Windows, files and pipes would otherwise use an encoding without Hindi, and ``PYTHONIOENCODING`` may
    name one.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(OSError):  # raised after the change, for a pipe that replaced a file
                stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


_LOGGERS = tuple(map(logging.getLogger, ("__main__", "annotate", "app", "demo", "fmp_models", "hub_cards")))


@contextmanager
def log_to_standard_error() -> Iterator[None]:
    """Print the project's log messages to standard error, where progress does not mix with results.

    Elsewhere ``logging`` itself prints only warnings.
    """
    handler = logging.StreamHandler()
    levels = [logger.level for logger in _LOGGERS]
    for logger in _LOGGERS:
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
    try:
        yield
    finally:
        for logger, level in zip(_LOGGERS, levels, strict=True):
            logger.setLevel(level)
            logger.removeHandler(handler)


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run the function ``run`` that the chosen sub-command set as a parser default, and return its exit code."""
    write_every_letter()
    options = parser.parse_args(arguments)
    try:
        with log_to_standard_error(), ExitStack() as stack:
            with suppress(OSError):  # many commands do not need a temporary folder
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


def end_process(code: int) -> NoReturn:
    """Flush all output and end this process at once.

    A normal exit of Python visits everything that was imported, which takes seconds, and waits for every
    thread. Libraries that remove their own temporary folders at exit would find them already deleted.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            if stream is not None:
                stream.flush()
    os._exit(code)


def _nobody_reads() -> bool:
    """Return whether the reader of standard output has closed it.

    If not, the broken pipe belongs to a server or another process.
    """
    try:
        print(flush=True)  # noqa: T201  only a write detects a broken pipe
    except OSError as error:
        if error.errno not in _NO_READER:
            raise
        return True
    return False


MAX_PROCESSES = 256


def one_for_each_core() -> int:
    """Return the default number of worker processes: one per core, at most ``MAX_PROCESSES``."""
    return min(os.cpu_count() or 1, MAX_PROCESSES)


def end_with_parent() -> None:
    """End this process when its parent ends; otherwise it would wait for work forever after the parent was killed."""

    def wait() -> None:
        if (parent := parent_process()) is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


SEEDS = 2**31  # exclusive upper bound of every seed


# Spins before a waiting thread of GNU OpenMP sleeps. On an idle machine a captioner's correction then takes a tenth
# longer than with threads that never sleep; with threads that sleep at once it takes a quarter longer.
_SPINS = "3000"


def let_waiting_threads_sleep() -> None:
    """Make OpenMP threads sleep soon while they wait for each other, unless the environment decides otherwise.

    Call it before torch is imported. By default waiting threads spin. When other work uses the cores, a
    spinning thread keeps the thread it waits for off its core, and a correction by a trained captioner takes
    minutes instead of a second.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)
