"""``train``, ``table`` and ``measure-joints``: training by a recipe, and tables of the paper from it."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.commands.options import (
    add_changes,
    add_workers,
    check_writable,
    chosen_estimator,
    given_workers,
    pose_model_file,
    write_results,
)
from fmp_models.common import SEEDS
from fmp_models.errors import BadInputError, needs_extra

if TYPE_CHECKING:
    from fmp_models.evaluation import RealPhotographs


def add_train_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train``."""
    parser.add_argument("kind", choices=("captioner", "retriever", "editor", "estimator", "lifter"))
    parser.add_argument("config", type=Path, help="one of fmp_models/training/configs, or your own")
    parser.add_argument("--dataset", type=Path, required=True, help="dataset folder, as simulate makes it")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run; repeat the command to resume")
    parser.add_argument("--size", default="small", help="sizes from the configuration (default: small)")
    parser.add_argument("--seed", type=int, help="default: that of the configuration")
    add_changes(parser, "instead of the configuration's, such as data.languages='[\"hi\"]'")
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="KEY=V,V",
        help="a run in OUT for each value, such as dropout=0.3,0.5; may be repeated for all combinations",
    )
    parser.add_argument("--start", metavar="MODEL", help="model of the same kind to start from")
    parser.add_argument("--backbone", metavar="MODEL", help="model to take the backbone from")
    parser.add_argument("--cache", type=Path, help="cache folder (default: OUT/../cache)")
    parser.add_argument(
        "--pose-model",
        metavar="FILE",
        help="variant or file of MediaPipe's model, for a lifter (default: FMP_POSE_MODEL, else full)",
    )
    parser.set_defaults(run=_train)


def _train(options: argparse.Namespace) -> int:
    with needs_extra("training_missing"):
        # Imported here because it imports torch.
        from fmp_models.training import TrainingOrder, grid_table, read_changes, read_grid, train, train_grid  # noqa: PLC0415
    if options.seed is not None and not 0 <= options.seed < SEEDS:
        raise BadInputError("number_out_of_range", name="--seed", least=0, most=SEEDS - 1)
    order = {name: value for name, value in vars(options).items() if name not in ("kind", "run", "grid")}
    if options.pose_model is not None and options.kind != "lifter":
        raise BadInputError("option_needs", option="--pose-model", with_option="lifter")
    order["pose_model"] = pose_model_file(options.pose_model) if options.kind == "lifter" else None
    training_order = TrainingOrder(**{**order, "changes": read_changes(options.changes)})
    if options.grid:
        points = train_grid(options.kind, training_order, read_grid(options.grid, options.kind, training_order))
        print(grid_table(points))
        print(points[0].order.out / "best")
        return 0
    train(options.kind, training_order)
    print(options.out / "best")
    return 0


_DIGITS = 10  # more digits than the largest seed has
TABLES = (
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "9",
    "joints",
    "poses",
    "seeing",
    "backbones",
    "levers-captioner",
    "levers-retriever",
)


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``table``."""
    parser.add_argument(
        "table",
        choices=TABLES,
        help="the paper's number; or joints: true, estimated, none; seeing: framing, predicted joints; backbones: two; "
        "poses: from a text to a pose; "
        "levers: one input left out at a time",
    )
    parser.add_argument("--dataset", type=Path, required=True, help="dataset folder, as simulate makes it")
    parser.add_argument("--runs", type=Path, required=True, help="folder of the runs, shared by all tables")
    parser.add_argument("--size", default="small", help="sizes from the configurations (default: small)")
    parser.add_argument("--seeds", metavar="N,N,N", help="default: those of the table")
    add_changes(parser, "instead of all configurations', such as engine.minutes=30")
    parser.add_argument("--only", metavar="ROW", action="append", help="only this row; may be repeated")
    parser.add_argument("--backbone", metavar="MODEL", help="model to take the backbones from, such as estimator")
    parser.add_argument(
        "--model", default="captioner", help="captioner of table 6 and of the table of joints (default: captioner)"
    )
    parser.add_argument("--estimator", default="estimator", metavar="MODEL", help="estimator of its joints")
    parser.add_argument(
        "--real",
        type=Path,
        metavar="FOLDER",
        help="also evaluate a table of levers on these real photographs; table 6: the dataset with test_real",
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
    parser.set_defaults(run=_table)


def _table(options: argparse.Namespace) -> int:
    with needs_extra("training_missing"):
        from fmp_models.evaluation import (  # noqa: PLC0415
            RunStore,
            TableRequest,
            paper_table,
            reproduce,
        )
        from fmp_models.training import read_changes  # noqa: PLC0415
    if options.add and options.json is None:
        raise BadInputError("option_needs", option="--add", with_option="--json")
    if options.json is not None:
        check_writable(options.json)
    kept = options.json if options.add and options.json.exists() else None
    only, seeds = tuple(options.only or ()), _seeds(options.seeds)
    photographs = options.real if options.table == "6" else None
    real = None if photographs else _real(options)
    request = TableRequest(options.table, only, seeds, options.model, options.estimator, real, photographs)
    cache = options.cache or options.runs / "cache"
    changes = read_changes(options.changes)
    run_store = RunStore(options.dataset, options.runs, options.size, options.backbone, cache, changes)
    table = reproduce(request, run_store, kept)
    if options.json is not None:
        write_results({options.json: table})
    print(paper_table(table))
    return 0


def _real(options: argparse.Namespace) -> RealPhotographs | None:
    """Return the photographs of ``--real``, read before hours of training."""
    from fmp_models.evaluation import plan_of, read_real_photographs  # noqa: PLC0415

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


def add_measure_joints_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``measure-joints``."""
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it; repeat to resume")
    parser.add_argument(
        "--pose-model", metavar="FILE", help="variant or file of MediaPipe's model (default: FMP_POSE_MODEL, else full)"
    )
    parser.add_argument(
        "--looks",
        choices=("1", "2", "all"),
        default="2",
        help="detections for each picture; all, as for photographs, take five times as long as two (default: 2)",
    )
    add_workers(parser)
    parser.set_defaults(run=_measure_joints)


def _measure_joints(options: argparse.Namespace) -> int:
    workers = given_workers(options)
    with needs_extra("training_missing"):
        from fmp_models.training import MeasuringEstimator, measure_dataset  # noqa: PLC0415
    try:
        from fmp_models.estimators import MediaPipeEstimator  # noqa: PLC0415  optional dependency
    except (ImportError, OSError):
        raise BadInputError("mediapipe_missing") from None
    model = pose_model_file(options.pose_model)
    estimator = MediaPipeEstimator(model)
    estimator.load()  # raise errors here instead of in each process
    eyes = MeasuringEstimator(partial(MediaPipeEstimator, model), estimator.name, options.looks)
    pictures, with_somebody = measure_dataset(options.dataset, eyes, workers)
    print(f"{options.dataset}: a person was measured in {with_somebody:,} of {pictures:,} pictures.")
    return 0
