"""``python -m fmp_models measure-joints``: the joints of a dataset's pictures, measured by MediaPipe."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from fmp_models.cli_base import add_processes, demand_within, importing_training
from fmp_models.commands.pose_models import pose_model_file
from fmp_models.errors import BadInputError
from fmp_models.processes import MAX_PROCESSES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
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
    add_processes(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    demand_within(options, "processes", 1, MAX_PROCESSES)
    with importing_training():
        from fmp_models.training.estimated_joints import MeasuringEstimator, measure_dataset  # noqa: PLC0415
    try:
        from fmp_models.estimators.mediapipe import MediaPipeEstimator  # noqa: PLC0415  optional dependency
    except (ImportError, OSError):
        raise BadInputError("mediapipe_missing") from None
    model = pose_model_file(options.pose_model)
    estimator = MediaPipeEstimator(model)
    estimator.load()  # raise errors here instead of in each process
    eyes = MeasuringEstimator(partial(MediaPipeEstimator, model), estimator.name, options.looks)
    pictures, with_somebody = measure_dataset(options.dataset, eyes, options.processes)
    print(f"{options.dataset}: a person was measured in {with_somebody:,} of {pictures:,} pictures.")
    return 0
