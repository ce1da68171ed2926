"""``python -m fmp_models correct``: how to get from the pose of one photograph to that of another."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

from fmp_models.cli_base import to_standard_error
from fmp_models.commands.pose_models import chosen_estimator
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.describe.trainer_steps import StepKind
from fmp_models.files.bounded import read_bounded
from fmp_models.geometry.lexicon import EXCLUDABLE_PARTS
from fmp_models.inference.corrector import CheckedClause, Correction, Corrector
from fmp_models.inference.model_names import DEFAULT, GEOMETRY
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.preprocessing import TURNS, Orientation

_WHICH = ("current", "target")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("current", type=Path, help="photograph of the current pose")
    parser.add_argument("target", type=Path, help="photograph of the target pose")
    parser.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    parser.add_argument(
        "--model",
        default=os.environ.get("FMP_CAPTIONER") or DEFAULT,
        help=f"correction model: {GEOMETRY.id}, a bundled captioner, a folder, or org/name@revision "
        f"(default: FMP_CAPTIONER, else {DEFAULT})",
    )
    parser.add_argument(
        "--leave-out",
        nargs="+",
        default=(),
        metavar="PART",
        help=f"body parts to leave out, from: {', '.join(EXCLUDABLE_PARTS)}",
    )
    for which in _WHICH:
        parser.add_argument(
            f"--turn-{which}",
            type=int,
            choices=TURNS,
            default=0,
            help=f"degrees to turn the {which} photograph clockwise until it is upright (default: 0)",
        )
        parser.add_argument(f"--mirror-{which}", action="store_true", help=f"mirror the {which} photograph after that")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    pictures = [read_bounded(path, MAX_BYTES) for path in (options.current, options.target)]
    corrector = Corrector.from_pretrained(options.model, pose_model=chosen_estimator(), say=to_standard_error)
    correction, measurements = corrector.correct(
        *pictures,
        language=options.language,
        leave_out=options.leave_out,
        orientations=(
            Orientation(-options.turn_current % 360, options.mirror_current),
            Orientation(-options.turn_target % 360, options.mirror_target),
        ),
        with_progress=options.json,
    )
    for which, estimate in zip(_WHICH, measurements.estimates, strict=True):
        if estimate is not None and estimate.turned_by:
            to_standard_error(f"The {which} photograph seems to be upside down; if it is, give --turn-{which} 180.")
    if correction.dropped:
        to_standard_error(f"Steps removed because the joints do not confirm them: {correction.dropped}.")
    if max(correction.people) > 1:
        to_standard_error("Several people were seen; the largest in each photograph was used.")
    if options.json:
        print(json.dumps(correction.as_json(), ensure_ascii=False))
    else:
        print(_numbered(correction))
    return 0


def _numbered(correction: Correction) -> str:
    """Return numbered steps with their confidence, then the other sentences; a text without steps unchanged."""
    lines: list[str] = []
    for step in correction.steps:
        clauses = [correction.clauses[place] for place in step.clauses]
        if step.kind in {StepKind.STEP, StepKind.FINE} and step.confidence is not None:
            number = f"{len(lines) + 1}." if step.kind == StepKind.STEP else "–"
            lines.append(f"{number} {step.text} ({step.confidence:.0%}{_aside(clauses, correction)})")
        else:
            lines.append(f"– {step.text}")
    return "\n".join(lines or [correction.text])


def _aside(clauses: Sequence[CheckedClause], correction: Correction) -> str:
    """Return remarks on a step that its confidence does not express."""
    if any(clause.agrees is False for clause in clauses):
        return ", but the joints say otherwise"
    added = correction.model.id != GEOMETRY.id and all(clause.by == GEOMETRY.id for clause in clauses)
    return ", added from the joints" if added else ""
