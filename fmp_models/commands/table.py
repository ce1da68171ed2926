"""``python -m fmp_models table``: a table of the paper on a simulated dataset, with missing models trained first."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.cli_base import SEEDS, add_changes, importing_training, to_standard_error
from fmp_models.commands.pose_models import chosen_estimator
from fmp_models.commands.results_file import check_writable, write_results
from fmp_models.errors import BadInputError

if TYPE_CHECKING:
    from fmp_models.evaluation.real.model_columns import RealPhotographs

_DIGITS = 10  # more digits than the largest seed has
TABLES = ("2", "3", "5", "7", "9", "joints", "seeing", "backbones", "levers-captioner", "levers-retriever")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "table",
        choices=TABLES,
        help="the paper's number; or joints: true, estimated, none; seeing: framing, predicted joints; backbones: two; "
        "levers: one input left out at a time",
    )
    parser.add_argument("--dataset", type=Path, required=True, help="dataset folder, as simulate makes it")
    parser.add_argument("--runs", type=Path, required=True, help="folder of the runs, shared by all tables")
    parser.add_argument("--size", default="small", help="sizes from the configurations (default: small)")
    parser.add_argument("--seeds", metavar="N,N,N", help="default: those of the table")
    add_changes(parser, "instead of all configurations', such as engine.minutes=30")
    parser.add_argument("--only", metavar="ROW", action="append", help="only this row; may be repeated")
    parser.add_argument("--backbone", metavar="MODEL", help="model to take the backbones from, such as estimator")
    parser.add_argument("--model", default="captioner", help="captioner of the table of joints (default: captioner)")
    parser.add_argument("--estimator", default="estimator", metavar="MODEL", help="estimator of its joints")
    parser.add_argument(
        "--real", type=Path, metavar="FOLDER", help="also evaluate a table of levers on these real photographs"
    )
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="questions for retrievers (default: questions.json of that folder)",
    )
    parser.add_argument("--cache", type=Path, help="cache folder (default: RUNS/cache)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table to a file")
    parser.add_argument("--add", action="store_true", help="add to that file, such as further seeds")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with importing_training():
        from fmp_models.evaluation.paper_tables.reproduction import TableRequest, reproduce  # noqa: PLC0415
        from fmp_models.evaluation.paper_tables.runs import RunStore  # noqa: PLC0415
        from fmp_models.evaluation.reading_out import paper_table  # noqa: PLC0415
        from fmp_models.training.config import read_changes  # noqa: PLC0415
    if options.add and options.json is None:
        raise BadInputError("option_needs", option="--add", with_option="--json")
    if options.json is not None:
        check_writable(options.json)
    kept = options.json if options.add and options.json.exists() else None
    only, seeds = tuple(options.only or ()), _seeds(options.seeds)
    request = TableRequest(options.table, only, seeds, options.model, options.estimator, _real(options))
    cache = options.cache or options.runs / "cache"
    changes = read_changes(options.changes)
    run_store = RunStore(options.dataset, options.runs, options.size, options.backbone, cache, changes)
    table = reproduce(request, run_store, to_standard_error, kept)
    if options.json is not None:
        write_results({options.json: table})
    print(paper_table(table))
    return 0


def _real(options: argparse.Namespace) -> RealPhotographs | None:
    """Return the photographs of ``--real``, read before hours of training."""
    from fmp_models.evaluation.paper_tables.plans import plan_of  # noqa: PLC0415
    from fmp_models.evaluation.real.model_columns import read_real_photographs  # noqa: PLC0415

    if options.real is None:
        return None
    plan = plan_of(options.table)
    if not plan.real_columns:
        raise BadInputError("table_not_of_real", table=options.table)
    return read_real_photographs(plan.kind, options.real, options.questions, chosen_estimator())


def _seeds(text: str | None) -> tuple[int, ...]:
    if text is None:
        return ()
    numbers = [number.strip() for number in text.split(",")]
    seeds = tuple(int(number) for number in numbers if number.isdecimal() and len(number) <= _DIGITS)
    if len(set(seeds)) < len(numbers) or max(seeds) >= SEEDS:
        raise BadInputError("seeds_malformed", text=text)
    return seeds
