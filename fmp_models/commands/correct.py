"""``python -m fmp_models correct``: how to get from the pose of one photograph to that of another."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fmp_models.cli_base import to_standard_error
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.estimators.base import PoseEstimator
from fmp_models.files.bounded import read_bounded
from fmp_models.geometry.clauses import Direction
from fmp_models.inference.backends import DEFAULT, GEOMETRY, find_speaker
from fmp_models.inference.corrector import CheckedClause, Correction, Corrector
from fmp_models.inference.measured_pair import measured
from fmp_models.languages.grammar import LANGUAGES


def add_to(
    commands: Any,  # noqa: ANN401  argparse keeps the type to itself
    estimator: Callable[[], PoseEstimator],
    captioner: str,
) -> None:
    """Add the command; ``estimator`` makes who finds the joints, ``captioner`` speaks where nobody else is named."""
    parser = commands.add_parser("correct", help="say how to get from the current pose to the target pose")
    parser.add_argument("current", type=Path, help="photograph of the pose as it is")
    parser.add_argument("target", type=Path, help="photograph of the pose as it should be")
    parser.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    parser.add_argument(
        "--model",
        default=captioner or DEFAULT,
        help=f"who speaks: {GEOMETRY.id}, a bundled captioner, a folder, or org/name@revision "
        f"(default: FMP_CAPTIONER, else {DEFAULT})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run, estimator=estimator)


def _run(options: argparse.Namespace) -> int:
    speaker = find_speaker(options.model, to_standard_error)
    pictures = [read_bounded(path, MAX_BYTES) for path in (options.current, options.target)]
    speaker.load()
    correction, measurements = Corrector(options.estimator(), [speaker]).correct(*pictures, language=options.language)
    if correction.dropped:
        to_standard_error(f"Steps left out because the joints do not bear them out: {correction.dropped}.")
    if max(correction.people) > 1:
        to_standard_error("Several people were seen; the largest in each photograph was used.")
    if options.json:
        print(json.dumps({**correction.as_json(), **measured(measurements.pair)}, ensure_ascii=False))
    else:
        print(_numbered(correction))
    return 0


def _numbered(correction: Correction) -> str:
    """Numbered steps with their confidence, and what was not seen; above them a text that says more than they do."""
    steps = {clause.words: clause for clause in correction.clauses}  # some words say several clauses
    doubted = {clause.words for clause in correction.clauses if clause.agrees is False}
    lines = [
        f"– {step.text}"
        if step.direction == Direction.UNSEEN
        else f"{i}. {step.text} ({step.confidence:.0%}{_aside(step, correction, doubted=words in doubted)})"
        for i, (words, step) in enumerate(steps.items(), 1)
    ]
    covered_words = {number for words in steps for number in range(*words)}
    return "\n".join([correction.text, *lines] if not lines or len(covered_words) < len(correction.words) else lines)


def _aside(step: CheckedClause, correction: Correction, *, doubted: bool) -> str:
    """What a step's confidence does not say."""
    added = step.by == GEOMETRY.id != correction.model.id
    return ", but the joints say otherwise" if doubted else ", added from the joints" if added else ""
