"""Command-line options that several commands share, and their progress lines on standard error."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from fmp_models.errors import BadInputError
from fmp_models.processes import one_for_each_core

SEEDS = 2**31  # every seed is below
# Looks at each other's work before GNU's threads fall asleep: on a quiet machine a correction by a captioner takes a
# tenth longer than with threads that never sleep, and a quarter longer with threads that sleep at once.
_SPINS = "3000"


def to_standard_error(line: str) -> None:
    """Say how far a command is, where it does not mix with results."""
    if sys.stderr is not None:  # print would turn to standard output
        print(line, file=sys.stderr, flush=True)  # noqa: T201  progress


def add_changes(parser: argparse.ArgumentParser, place: str) -> None:
    """``--set KEY=VALUE`` of commands that train; ``place`` says in place of what, with an example."""
    parser.add_argument(
        "--set", dest="changes", action="append", default=[], metavar="KEY=VALUE", help=f"{place}; may be repeated"
    )


def add_processes(parser: argparse.ArgumentParser) -> None:
    """``--processes N`` of commands that work in several; see :func:`demand_within`."""
    parser.add_argument(
        "--processes", type=int, default=one_for_each_core(), help="at once (default: one for each core)"
    )


def demand_within(options: argparse.Namespace, name: str, least: int, most: int) -> None:
    """Refuse a number (``number_out_of_range``) that is smaller or larger."""
    if not least <= getattr(options, name) <= most:
        raise BadInputError("number_out_of_range", name=f"--{name}", least=least, most=most)


def let_waiting_threads_sleep() -> None:
    """Before torch is imported: its threads soon sleep while they wait for each other, unless the environment decides.

    By default they spin on, and beside other work a thread that spins keeps from its core the one it waits for: a
    correction by a trained captioner then takes minutes in the place of a second.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)


@contextmanager
def importing_training() -> Iterator[None]:
    """Around the imports of a command that trains; ``training_missing`` where a library is not installed."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise BadInputError("training_missing", library=str(missing.name)) from None
