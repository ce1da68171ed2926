"""``simulate``, ``simulate-changes``, ``import-fixmypose``, ``import-pairs`` and ``edit-dataset``: making datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.commands.options import add_workers, demand_within, given_workers
from fmp_models.common import LANGUAGES, SEEDS
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


def add_simulate_changes_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``simulate-changes``."""
    parser.add_argument("out", type=Path, help="new folder for the dataset")
    parser.add_argument("--pairs", type=int, default=4000, help="number of pairs (default: 4000)")
    parser.add_argument("--seed", type=int, default=0, help="random seed (default: 0)")
    add_workers(parser)
    parser.set_defaults(run=_simulate_changes)


def _simulate_changes(options: argparse.Namespace) -> int:
    for name, least, most in (("pairs", 4, MAX_PAIRS), ("seed", 0, SEEDS - 1)):
        demand_within(options, name, least, most)
    workers = given_workers(options)
    with needs_extra("simulator_missing"):
        from fmp_models.sim import build_changes  # noqa: PLC0415
    rows = build_changes(options.out, options.pairs, options.seed, workers)
    print(f"{options.out}: {', '.join(f'{count:,} pairs in {split}' for split, count in rows.items())}.")
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


def add_import_pairs_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``import-pairs``."""
    parser.add_argument("pair_files", type=Path, nargs="+", metavar="FILE.json", help="pairs with texts, a split each")
    parser.add_argument("out", type=Path, help="new folder for the dataset")
    parser.add_argument("--images", type=Path, metavar="DIR", help="folder of the pictures")
    parser.add_argument(
        "--without-pictures", action="store_true", help="keep pairs whose pictures are missing, as texts alone"
    )
    parser.add_argument(
        "--format", choices=("pairs", "spot-the-diff", "nlvr2", "clevr-change"), help="default: told by the file"
    )
    parser.add_argument("--split", choices=("train", "val", "test"), help="default: told by the name of each file")
    parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="of the texts (default: en)")
    parser.add_argument(
        "--subset", choices=("all", "sc", "nsc"), default="all", help="of CLEVR-Change: sc has the changed scenes alone"
    )
    parser.add_argument(
        "--true-only",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="of NLVR2, leave out statements that are false of their pictures (default)",
    )
    parser.set_defaults(run=_import_pairs)


def _import_pairs(options: argparse.Namespace) -> int:
    from fmp_models.data import PairsOptions, import_pairs  # noqa: PLC0415

    chosen = {
        name: value for name, value in vars(options).items() if name not in {"pair_files", "images", "out", "run"}
    }
    print(import_pairs(options.pair_files, options.images, options.out, PairsOptions(**chosen)))
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
