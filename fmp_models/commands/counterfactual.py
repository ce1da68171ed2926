"""``audit-choices``: how often the words of four-choice questions give the right answer away."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.commands.options import json_text


def add_audit_choices_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``audit-choices``."""
    parser.add_argument("file", type=Path, help="JSON list of questions with four choices, as CoSIm has them")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_audit_choices)


def _audit_choices(options: argparse.Namespace) -> int:
    from fmp_models.metrics import audit_choices, audit_lines, read_choices  # noqa: PLC0415

    audit = audit_choices(read_choices(options.file))
    print(json_text(audit) if options.json else audit_lines(audit))
    return 0
