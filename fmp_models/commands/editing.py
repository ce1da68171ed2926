"""``edit-oracle`` and ``edit-score``: caption editing in the files of COCO-EE and Flickr30K-EE."""

from __future__ import annotations

import argparse
from pathlib import Path

from fmp_models.commands.options import json_text

_FILE = "JSON list of instances with Ref-Cap and GT-Cap, as COCO-EE and Flickr30K-EE have them"


def add_edit_oracle_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``edit-oracle``."""
    parser.add_argument("file", type=Path, help=_FILE)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_oracle)


def _oracle(options: argparse.Namespace) -> int:
    from fmp_models.editing import read_edit_instances, score_lines, score_oracle  # noqa: PLC0415

    scores = score_oracle(read_edit_instances(options.file))
    print(json_text(scores) if options.json else score_lines(scores))
    return 0


def add_edit_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``edit-score``."""
    parser.add_argument("file", type=Path, help=_FILE)
    parser.add_argument(
        "--predictions", type=Path, help="JSON: {sample_id: text}, or the texts in order (default: Ref-Caps)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_score)


def _score(options: argparse.Namespace) -> int:
    from fmp_models.editing import read_edit_instances, read_edited, score_edits, score_lines  # noqa: PLC0415

    instances = read_edit_instances(options.file)
    given = [instance.ref for instance in instances]
    scores = score_edits(
        instances, given if options.predictions is None else read_edited(options.predictions, instances)
    )
    print(json_text(scores) if options.json else score_lines(scores))
    return 0
