"""``python -m fmp_models simulate``: a dataset of simulated people in furnished rooms."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.cli_base import SEEDS, add_processes, demand_within
from fmp_models.data.splits import MAX_PAIRS, PAIRS
from fmp_models.errors import BadInputError
from fmp_models.processes import MAX_PROCESSES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("out", type=Path, help="new folder, or an unfinished one of the same command")
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"captioning pairs (default: {PAIRS}, the paper's)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    add_processes(parser)
    parser.add_argument(
        "--bvh",
        dest="recordings",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a motion capture to add",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    for name, least, most in (("pairs", 4, MAX_PAIRS), ("seed", 0, SEEDS - 1), ("processes", 1, MAX_PROCESSES)):
        demand_within(options, name, least, most)
    try:
        # The simulator's libraries are installed for development only.
        from fmp_models.sim.builder import build_dataset  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise BadInputError("simulator_missing", library=str(missing.name)) from None
    print(build_dataset(options.out, options.pairs, options.seed, options.processes, options.recordings))
    return 0
