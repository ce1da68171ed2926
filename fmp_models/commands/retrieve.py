"""``python -m fmp_models retrieve``: which of several photographs shows the described pose."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.cli_base import to_standard_error
from fmp_models.commands.pose_models import chosen_estimator
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.files.bounded import read_bounded
from fmp_models.languages.language_data import LANGUAGES, grammar

if TYPE_CHECKING:
    from fmp_models.inference.retrieval.ranking import Ranking


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("current", type=Path, help="photograph of the current pose")
    parser.add_argument("description", help="what to change, in words")
    parser.add_argument("candidates", type=Path, nargs="+", metavar="candidate", help="photographs to choose from")
    parser.add_argument("--language", help=f"one of: {', '.join(LANGUAGES)} (default: detected from the script)")
    parser.add_argument(
        "--model",
        default=os.environ.get("FMP_RETRIEVER", ""),
        help="a bundled retriever, a folder, or org/name@revision (default: FMP_RETRIEVER, else that of the language)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    if options.language is not None:
        grammar(options.language)
    current, *candidates = (read_bounded(path, MAX_BYTES) for path in (options.current, *options.candidates))
    # It loads torch, for which a refusal need not wait.
    from fmp_models.inference.retrieval.target_finder import TargetFinder  # noqa: PLC0415

    finder = TargetFinder.from_pretrained(options.model, pose_model=chosen_estimator(), say=to_standard_error)
    ranking, _ = finder.find(current, options.description, candidates, language=options.language)
    for candidate, people in enumerate(ranking.people[1:]):
        if people == 0:
            to_standard_error(f"No person could be measured in {options.candidates[candidate]}.")
    print(json.dumps(ranking.as_json(), ensure_ascii=False) if options.json else _numbered(ranking, options.candidates))
    return 0


def _numbered(ranking: Ranking, paths: list[Path]) -> str:
    """Return the files with their probabilities, best first."""
    return "\n".join(
        f"{i}. {paths[ranked.candidate]} ({ranked.score:.0%})" for i, ranked in enumerate(ranking.ranking, 1)
    )
