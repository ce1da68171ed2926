"""Command-line options shared by several commands, and progress lines on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fmp_models.errors import BadInputError
from fmp_models.processes import one_for_each_core

SEEDS = 2**31  # exclusive upper bound of every seed
# Spins before a waiting thread of GNU OpenMP sleeps. On an idle machine a captioner's correction then takes a tenth
# longer than with threads that never sleep; with threads that sleep at once it takes a quarter longer.
_SPINS = "3000"


def to_standard_error(line: str) -> None:
    """Print progress to standard error, where it does not mix with results."""
    if sys.stderr is not None:  # print(file=None) writes to standard output
        print(line, file=sys.stderr, flush=True)  # noqa: T201  progress


def add_changes(parser: argparse.ArgumentParser, place: str) -> None:
    """Add ``--set KEY=VALUE`` to a training command; ``place`` is help text: what is replaced, with an example."""
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=VALUE", help=f"{place}; may be repeated"
    )


def add_processes(parser: argparse.ArgumentParser) -> None:
    """Add ``--processes N`` to a command that runs several processes; check its range with :func:`demand_within`."""
    parser.add_argument(
        "--processes", type=int, default=one_for_each_core(), help="number of processes (default: one for each core)"
    )


def demand_within(options: argparse.Namespace, name: str, least: int, most: int) -> None:
    """Raise BadInputError (``number_out_of_range``) if an option is below ``least`` or above ``most``."""
    if not least <= getattr(options, name) <= most:
        raise BadInputError("number_out_of_range", name=f"--{name}", least=least, most=most)


def let_waiting_threads_sleep() -> None:
    """Make OpenMP threads sleep soon while they wait for each other, unless the environment decides otherwise.

    Call it before torch is imported. By default waiting threads spin. When other work uses the cores, a
    spinning thread keeps the thread it waits for off its core, and a correction by a trained captioner takes
    minutes instead of a second.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)


@contextmanager
def importing_training() -> Iterator[None]:
    """Wrap the imports of a training command; raise BadInputError (``training_missing``) if a library is missing."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise BadInputError("training_missing", library=str(missing.name)) from None
