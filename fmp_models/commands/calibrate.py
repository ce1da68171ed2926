"""``python -m fmp_models calibrate``: the confidence of a captioner's clauses, fitted to simulated pictures."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.cli_base import importing_training, to_standard_error
from fmp_models.commands.pose_models import chosen_estimator
from fmp_models.commands.results_file import json_text
from fmp_models.errors import BadInputError

_MAX_PAIRS = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("model", help="captioner: a bundled name, a folder, or org/name@revision on the Hub")
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument("--split", default="val_seen", help="default: val_seen")
    parser.add_argument("--pairs", type=int, default=240, help="number of pairs, from the first on (default: 240)")
    parser.add_argument("--pose-model", metavar="FILE", help="pose model (default: as for correct)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # Imported here because they load torch and scipy, which other commands do not need.
    with importing_training():
        from fmp_models.evaluation.calibration import calibration_clauses, fitted, simulated_pairs  # noqa: PLC0415
        from fmp_models.evaluation.real.answers import RememberingEstimator  # noqa: PLC0415
        from fmp_models.hub.models import load_captioner  # noqa: PLC0415
        from fmp_models.inference.neural_captioner import CaptionGenerator  # noqa: PLC0415
    if not 1 < options.pairs <= _MAX_PAIRS:
        raise BadInputError("number_out_of_range", name="--pairs", least=2, most=_MAX_PAIRS)
    pairs = simulated_pairs(options.dataset, options.split, options.pairs)
    captioning = CaptionGenerator(load_captioner(options.model))
    estimator = RememberingEstimator(chosen_estimator(options.pose_model))
    fits = {}
    for name, alone in (("shown", False), ("alone", True)):
        if alone and captioning.needs_joints:
            continue
        clauses = list(calibration_clauses(captioning, pairs, estimator, alone=alone))
        to_standard_error(f"{name}: {len(clauses)} clauses")
        try:
            fit = fitted(clauses)
        except ValueError:
            raise BadInputError("calibration_too_few", split=options.split) from None
        fits[name] = {"odds": fit.odds._asdict(), "calibration_error": fit.error, "clauses": fit.clauses}
    if options.json:
        print(json_text(fits))
    else:
        for name, fit_of in fits.items():
            print(f"{name}: {fit_of}")
    return 0
