"""``python -m fmp_models train``: training of a captioner, retriever, joint estimator or lifter by a recipe."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.cli_base import SEEDS, add_changes, importing_training, to_standard_error
from fmp_models.commands.pose_models import pose_model_file
from fmp_models.errors import BadInputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("kind", choices=("captioner", "retriever", "estimator", "lifter"))
    parser.add_argument("config", type=Path, help="one of fmp_models/training/configs, or your own")
    parser.add_argument("--dataset", type=Path, required=True, help="dataset folder, as simulate makes it")
    parser.add_argument("--out", type=Path, required=True, help="folder of the run; repeat the command to resume")
    parser.add_argument("--size", default="small", help="sizes from the configuration (default: small)")
    parser.add_argument("--seed", type=int, help="default: that of the configuration")
    add_changes(parser, "instead of the configuration's, such as data.languages='[\"hi\"]'")
    parser.add_argument("--start", metavar="MODEL", help="model of the same kind to start from")
    parser.add_argument("--backbone", metavar="MODEL", help="model to take the backbone from")
    parser.add_argument("--cache", type=Path, help="cache folder (default: OUT/../cache)")
    parser.add_argument(
        "--pose-model",
        metavar="FILE",
        help="variant or file of MediaPipe's model, for a lifter (default: FMP_POSE_MODEL, else full)",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    with importing_training():
        from fmp_models.training.config import read_changes  # noqa: PLC0415
        from fmp_models.training.preparation import TrainingOrder  # noqa: PLC0415
        from fmp_models.training.recipes import train  # noqa: PLC0415
    if options.seed is not None and not 0 <= options.seed < SEEDS:
        raise BadInputError("number_out_of_range", name="--seed", least=0, most=SEEDS - 1)
    order = {name: value for name, value in vars(options).items() if name not in ("kind", "run")}
    if options.pose_model is not None and options.kind != "lifter":
        raise BadInputError("option_needs", option="--pose-model", with_option="lifter")
    order["pose_model"] = pose_model_file(options.pose_model) if options.kind == "lifter" else None
    train(options.kind, TrainingOrder(**{**order, "changes": read_changes(options.changes)}), to_standard_error)
    print(options.out / "best")
    return 0
