"""``python -m fmp_models evaluate-questions``: how often the photograph that a human description means is found."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import asdict
from pathlib import Path

from fmp_models.cli_base import to_standard_error
from fmp_models.commands.pose_models import chosen_estimator
from fmp_models.commands.results_file import check_writable, json_text, write_results
from fmp_models.languages.language_data import LANGUAGES, grammar


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("folder", type=Path, help="pictures and questions.json, see docs/real_pairs.md")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="default: questions.json of the folder")
    parser.add_argument("--model", default=os.environ.get("FMP_RETRIEVER", ""), help="as for retrieve")
    parser.add_argument(
        "--language", dest="languages", nargs="+", action="extend", metavar="LANGUAGE", help="default: all"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # Imported here because they load torch and scipy's statistics, which other commands and errors do not need.
    from fmp_models.evaluation.real.answers import RememberingEstimator  # noqa: PLC0415
    from fmp_models.evaluation.real.questions import (  # noqa: PLC0415
        QUESTIONS,
        ask_questions,
        read_questions,
        results_lines,
    )
    from fmp_models.evaluation.real.results import QuestionsResults  # noqa: PLC0415
    from fmp_models.inference.retrieval.target_finder import TargetFinder  # noqa: PLC0415

    languages = tuple(dict.fromkeys(options.languages or LANGUAGES))
    for language in languages:
        grammar(language)
    if options.out is not None:
        check_writable(options.out)
    questions, fingerprint = read_questions(options.questions or options.folder / QUESTIONS, options.folder)
    estimator = RememberingEstimator(chosen_estimator())
    finder = TargetFinder.from_pretrained(options.model, pose_model=estimator, say=to_standard_error)
    results = [ask_questions(questions, options.folder, finder, language, to_standard_error) for language in languages]
    report = QuestionsResults(results, _command(options, languages), fingerprint)
    if options.out is not None:
        write_results({options.out: asdict(report)})
    print(json_text(asdict(report)) if options.json else results_lines(results))
    return 0


def _command(options: argparse.Namespace, languages: tuple[str, ...]) -> str:
    """Return the command line that repeats this run; files and folders are given by name only."""
    words = ["evaluate-questions", options.folder.resolve().name]
    words += ["--questions", options.questions.name] if options.questions else []
    words += ["--model", options.model] if options.model else []
    return shlex.join(["python", "-m", "fmp_models", *words, "--language", *languages])
