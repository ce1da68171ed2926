"""``simulate``, ``import-fixmypose`` and ``edit-dataset``: datasets of simulated people and of the official release."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.commands.options import add_workers, demand_within, given_workers
from fmp_models.common import SEEDS
from fmp_models.data import MAX_PAIRS, PAPER_PAIRS
from fmp_models.errors import needs_extra


def add_simulate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``simulate``."""
    parser.add_argument("out", type=Path, help="new folder, or an unfinished one of the same command")
    parser.add_argument(
        "--pairs", type=int, default=PAPER_PAIRS, help=f"captioning pairs (default: {PAPER_PAIRS}, the paper's)"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    add_workers(parser)
    parser.add_argument(
        "--bvh",
        dest="recordings",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a motion capture to add",
    )
    parser.set_defaults(run=_simulate)


def _simulate(options: argparse.Namespace) -> int:
    for name, least, most in (("pairs", 4, MAX_PAIRS), ("seed", 0, SEEDS - 1)):
        demand_within(options, name, least, most)
    workers = given_workers(options)
    with needs_extra("simulator_missing"):
        from fmp_models.sim import build_dataset  # noqa: PLC0415
    print(build_dataset(options.out, options.pairs, options.seed, workers, options.recordings))
    return 0


def add_import_fixmypose_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``import-fixmypose``."""
    parser.add_argument("--annotations", type=Path, required=True, help="folder of the released json files")
    parser.add_argument("--images", type=Path, help="folder of the released pictures")
    parser.add_argument("--joints", type=Path, help="folder of the released joint text files")
    parser.add_argument("out", type=Path, help="new folder for the dataset")
    parser.set_defaults(run=_import_release)


def _import_release(options: argparse.Namespace) -> int:
    # Imported here because it loads datasets and matplotlib, which a correction does not need.
    from fmp_models.data import import_release  # noqa: PLC0415

    summary = import_release(options.annotations, options.images, options.joints, options.out)
    print(summary)
    return 0


def add_edit_dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``edit-dataset``."""
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    add_workers(parser)
    parser.set_defaults(run=_edit_dataset)


def _edit_dataset(options: argparse.Namespace) -> int:
    demand_within(options, "seed", 0, SEEDS - 1)
    workers = given_workers(options)
    from fmp_models.editing import write_editing  # noqa: PLC0415  it loads torch

    counts = write_editing(options.dataset, options.seed, workers)
    print(
        f"{options.dataset}: {', '.join(f'{count:,} {kind}' for kind, count in sorted(counts.items()))} texts to edit."
    )
    return 0
