"""``python -m fmp_models retrieve``: which of several photographs shows the pose that a description leads to."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fmp_models.cli_base import to_standard_error
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.files.bounded import read_bounded
from fmp_models.languages.grammar import LANGUAGES, grammar

if TYPE_CHECKING:
    from fmp_models.estimators.base import PoseEstimator
    from fmp_models.inference.retrieval.ranking import Ranking


def add_to(
    commands: Any,  # noqa: ANN401  argparse keeps the type to itself
    estimator: Callable[[], PoseEstimator],
    retriever: str,
) -> None:
    """Add the command; ``estimator`` makes who finds the joints, ``retriever`` reads where nobody else is named."""
    parser = commands.add_parser("retrieve", help="find the photograph that a description leads to")
    parser.add_argument("current", type=Path, help="photograph of the pose as it is")
    parser.add_argument("description", help="what to change in it, in words")
    parser.add_argument("candidates", type=Path, nargs="+", metavar="candidate", help="photographs to choose from")
    parser.add_argument("--language", help=f"one of: {', '.join(LANGUAGES)} (default: known by the script)")
    parser.add_argument(
        "--model",
        default=retriever,
        help="a bundled retriever, a folder, or org/name@revision (default: FMP_RETRIEVER, else the language's own)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run, estimator=estimator)


def _run(options: argparse.Namespace) -> int:
    if options.language is not None:
        grammar(options.language)
    current, *candidates = (read_bounded(path, MAX_BYTES) for path in (options.current, *options.candidates))
    # They load torch, for which other commands and a refusal need not wait.
    from fmp_models.inference.retrieval.retriever_registry import Retrievers  # noqa: PLC0415
    from fmp_models.inference.retrieval.target_finder import TargetFinder  # noqa: PLC0415

    retrievers = Retrievers(options.model, say=to_standard_error)
    retrievers.load()  # the files of a model of the caller's choice: what is wrong with them is bad input
    finder = TargetFinder(options.estimator(), retrievers)
    ranking, _ = finder.find(current, options.description, candidates, language=options.language)
    for candidate, people in enumerate(ranking.people[1:]):
        if people == 0:
            to_standard_error(f"Nobody could be measured in {options.candidates[candidate]}.")
    print(json.dumps(ranking.as_json(), ensure_ascii=False) if options.json else _numbered(ranking, options.candidates))
    return 0


def _numbered(ranking: Ranking, paths: list[Path]) -> str:
    """The files, best first, each with its probability."""
    return "\n".join(
        f"{i}. {paths[ranked.candidate]} ({ranked.score:.0%})" for i, ranked in enumerate(ranking.ranking, 1)
    )
