"""Command line ``python -m fmp_models COMMAND``, from ``correct`` to ``import-fixmypose``.

Exit codes: 0 success, 2 bad input with one sentence that says why, 1 an internal error. With ``--json``
standard output is exactly one JSON object; progress and warnings go to standard error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_data_path

from fmp_models.cli_base import let_waiting_threads_sleep, to_standard_error
from fmp_models.commands import (
    calibrate,
    correct,
    evaluate,
    evaluate_questions,
    evaluate_real,
    import_release,
    measure_joints,
    retrieve,
    score,
    simulate,
    table,
    train,
)
from fmp_models.common.command_line import OneSentenceParser, end, run
from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import DEFAULT as DEFAULT_POSE_MODEL
from fmp_models.estimators.assets import find_pose_model
from fmp_models.estimators.base import PoseEstimator
from fmp_models.estimators.select import choose_estimator


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    let_waiting_threads_sleep()
    return run(_parser(), arguments)


def _parser() -> OneSentenceParser:
    parser = OneSentenceParser(prog="python -m fmp_models", description="FixMyPose from the command line.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    retriever = os.environ.get("FMP_RETRIEVER", "")
    correct.add_to(commands, _estimator, os.environ.get("FMP_CAPTIONER", ""))
    retrieve.add_to(commands, _estimator, retriever)
    score.add_to(commands)
    train.add_to(commands, _pose_model)
    evaluate.add_to(commands)
    evaluate_real.add_to(commands, _estimator)
    evaluate_questions.add_to(commands, _estimator, retriever)
    calibrate.add_to(commands, _estimator)
    table.add_to(commands, _estimator)
    measure_joints.add_to(commands, _pose_model)
    simulate.add_to(commands)
    import_release.add_to(commands)
    return parser


def _estimator(pose_model: str | None = None) -> PoseEstimator:
    """Return the joint estimator for the named pose model, else FMP_POSE_MODEL, else the default variant.

    A file that is not a pose model raises BadInputError here, before any photograph is read.

    The environment variables are those of ``demo/settings.py``, which a separate entry point cannot import.
    """
    return choose_estimator(*_wanted(pose_model), to_standard_error, load=True).estimator


def _pose_model(pose_model: str | None = None) -> Path:
    """Return the file of MediaPipe's pose model that :func:`_estimator` would use."""
    return find_pose_model(*_wanted(pose_model), to_standard_error)


def _wanted(pose_model: str | None) -> tuple[str, Path]:
    """Return the name of the requested pose model and the folder that holds downloaded official ones."""
    data = os.environ.get("FMP_DATA_DIR")
    try:
        kept = (Path(data).expanduser() if data else user_data_path("fixmypose")) / "models"
    except RuntimeError:  # the home folder is unknown
        raise BadInputError("folder_unusable", path=str(data)) from None
    return pose_model or os.environ.get("FMP_POSE_MODEL") or DEFAULT_POSE_MODEL, kept


if __name__ == "__main__":
    end(main())
