"""``python -m fmp_models score``: corrections compared with human references, by every metric of the paper."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from fmp_models.cli_base import to_standard_error
from fmp_models.errors import BadInputError
from fmp_models.languages.language_data import LANGUAGES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("predictions", type=Path, help="JSON: {uid: text}")
    parser.add_argument("references", type=Path, help="JSON: {uid: [text, ...]}")
    parser.add_argument("--language", required=True, help=f"one of: {', '.join(LANGUAGES)}")
    parser.add_argument(
        "--joints",
        type=Path,
        metavar="DIR",
        help="joint files of the release, or a dataset, for body-part-match and goal progress",
    )
    parser.add_argument("--tokeniser", choices=("ptb", "regex"), help="default: ptb if Java is installed, else regex")
    parser.add_argument("--intervals", action="store_true", help="95 %% intervals, by bootstrap over the pairs")
    parser.add_argument("--instances", action="store_true", help="with --json: add the scores of every pair")
    parser.add_argument(
        "--beside-paper", metavar="SPLIT", help="add the paper's rows: val_seen, val_unseen, test_unseen"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # Imported here because they load scipy's statistics and pyarrow, which a correction does not need.
    from fmp_models.metrics.body_parts import find_moved, find_poses  # noqa: PLC0415
    from fmp_models.metrics.score_tables import beside_paper, paper_scores, score_table, scores_as_json  # noqa: PLC0415
    from fmp_models.metrics.scoring import read_submission, score_texts  # noqa: PLC0415

    if options.instances and not options.json:
        raise BadInputError("option_needs", option="--instances", with_option="--json")
    if options.beside_paper is not None:
        paper_scores(options.beside_paper, options.language)  # raises before the work is done
    predictions, references = read_submission(options.predictions, options.references, options.language)
    moved = None if options.joints is None else find_moved(options.joints, list(predictions))
    if moved is not None and not moved.known.any():
        raise BadInputError("joints_of_others", path=str(options.joints))
    pairs = None if options.joints is None else find_poses(options.joints, list(predictions))
    scores = score_texts(
        predictions,
        references,
        options.language,
        moved=moved,
        pairs=pairs,
        tokeniser=options.tokeniser,
        say=to_standard_error,
    )
    if options.json:
        table = scores_as_json(scores, options.beside_paper, intervals=options.intervals, instances=options.instances)
        print(json.dumps(table, ensure_ascii=False, allow_nan=False))
        return 0
    print(score_table(scores, intervals=options.intervals))
    if options.beside_paper is not None:
        print(f"\n{beside_paper(scores, options.beside_paper)}")
    return 0
