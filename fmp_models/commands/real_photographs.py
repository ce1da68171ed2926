"""``evaluate-real`` and ``evaluate-questions``: models on real photographs, against human labels and questions."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.commands.options import check_writable, chosen_estimator, json_text, write_results
from fmp_models.errors import BadInputError
from fmp_models.inference import DEFAULT_MODEL, UNREPAIRED, load_correction_model
from fmp_models.languages import LANGUAGES, grammar

if TYPE_CHECKING:
    from fmp_models.estimators import PersonPoint

_log = logging.getLogger(__name__)


def add_evaluate_real_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate-real``."""
    parser.add_argument("folder", type=Path, help="pictures and truth.json; docs/real_pairs.md describes the format")
    parser.add_argument(
        "--of-film",
        type=Path,
        metavar="FILM",
        help="first create the folder from a film by several calibrated cameras, which measure the changes",
    )
    parser.add_argument(
        "--whom",
        nargs="+",
        action="extend",
        metavar="CAMERA=X,Y",
        help="for a film of several people: cameras to use, and the person's position in each, from 0,0 to 1,1",
    )
    parser.add_argument(
        "--model",
        dest="models",
        nargs="+",
        action="extend",
        metavar="ID",
        help="correction models, as for correct; several are compared (default: FMP_CAPTIONER, else the page's)",
    )
    parser.add_argument(
        "--pose-model",
        dest="pose_models",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="pose models; several are compared (default: FMP_POSE_MODEL, else the page's)",
    )
    parser.add_argument(
        "--language",
        dest="languages",
        nargs="+",
        action="extend",
        metavar="LANGUAGE",
        help=f"one or more of: {', '.join(LANGUAGES)} (default: en)",
    )
    parser.add_argument("--unrepaired", action="store_true", help="evaluate drafts before the joints repair them")
    parser.add_argument("--verbose", action="store_true", help="also print each pair with its clauses and verdicts")
    parser.add_argument(
        "--against", type=Path, metavar="FILE", help="earlier --json or --out: exit with 1 if a share is worse"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_evaluate_real)


def _evaluate_real(options: argparse.Namespace) -> int:
    # Imported here because they load scipy's statistics, which other commands and errors do not need.
    from fmp_models.evaluation import (  # noqa: PLC0415  # noqa: PLC0415  # noqa: PLC0415  # noqa: PLC0415
        EvaluatedModel,
        Pictures,
        RealResults,
        RememberingEstimator,
        demand_comparable,
        judged_answers,
        judgement_lines,
        read_real_pairs,
        read_results,
        real_result,
        regressions,
        results_table,
    )

    languages = tuple(dict.fromkeys(options.languages or ("en",)))
    for language in languages:
        grammar(language)
    if options.out is not None:
        check_writable(options.out)
    if options.whom is not None and options.of_film is None:
        raise BadInputError("option_needs", option="--whom", with_option="--of-film")
    whom = None if options.whom is None else _places(options.whom)
    earlier = None if options.against is None else read_results(RealResults, options.against)
    # Processing a film takes minutes, so all other input is checked first.
    pairs = None if options.of_film is not None else read_real_pairs(options.folder)
    models = dict.fromkeys(options.models or (os.environ.get("FMP_CAPTIONER") or DEFAULT_MODEL,))
    correction_models = [load_correction_model(model, repairs=not options.unrepaired) for model in models]
    estimators = [
        RememberingEstimator(chosen_estimator(pose)) for pose in dict.fromkeys(options.pose_models or (None,))
    ]
    if pairs is None:
        _make_of_film(options, whom)
        pairs = read_real_pairs(options.folder)
    evaluated_models = [
        EvaluatedModel(*evaluated_model) for evaluated_model in product(estimators, correction_models, languages)
    ]
    if earlier is not None:
        demand_comparable(
            earlier, pairs.fingerprint, {evaluated_model.key for evaluated_model in evaluated_models}, options.against
        )
    results = []
    for evaluated_model in evaluated_models:
        judged = judged_answers(pairs, evaluated_model)
        results.append(real_result(judged, evaluated_model))
        for line in (line for answer in judged if options.verbose for line in judgement_lines(answer)):
            (_log.info if options.json else print)(line)
    data = Pictures(pairs.name, len(pairs.pairs), pairs.fingerprint)
    names = [correction_model.name.id.removesuffix(UNREPAIRED) for correction_model in correction_models]
    report = RealResults(results, _command(options, names, languages), data)
    if options.out is not None:
        write_results({options.out: asdict(report)})
    print(json_text(asdict(report)) if options.json else results_table(report))
    worse = [] if earlier is None else regressions(earlier, report)
    if worse:
        _log.warning("Worse than in %s: %s.", options.against, "; ".join(worse))
    return 1 if worse else 0


def _places(texts: Sequence[str]) -> dict[str, PersonPoint]:
    """Return the person's place for each camera; raise :class:`BadInputError` (``whom_unreadable``)."""
    found: dict[str, PersonPoint] = {}
    for text in texts:
        name, _, place = text.rpartition("=")
        try:
            x, y = map(float, place.split(","))
        except ValueError:
            raise BadInputError("whom_unreadable", text=text) from None
        if not name or name in found or not (0 <= x <= 1 and 0 <= y <= 1):
            raise BadInputError("whom_unreadable", text=text)
        found[name] = x, y
    return found


def _make_of_film(options: argparse.Namespace, whom: Mapping[str, PersonPoint] | None) -> None:
    from fmp_models.evaluation import write_film_pairs  # noqa: PLC0415  it needs OpenCV

    estimator = chosen_estimator(None)
    _log.info("%s detects the joints in the film.", estimator.name)
    write_film_pairs(options.of_film, options.folder, estimator, whom)


def _command(options: argparse.Namespace, models: Sequence[str], languages: Sequence[str]) -> str:
    """Return the command line that repeats this run; files and folders are given by name only."""
    words = ["evaluate-real", options.folder.resolve().name, "--model", *models]
    words += ["--pose-model", *(Path(pose).name for pose in options.pose_models)] if options.pose_models else []
    words += ["--unrepaired"] * options.unrepaired
    return shlex.join(["python", "-m", "fmp_models", *words, "--language", *languages])


def add_evaluate_questions_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate-questions``."""
    parser.add_argument("folder", type=Path, help="pictures and questions.json, see docs/real_pairs.md")
    parser.add_argument("--questions", type=Path, metavar="FILE", help="default: questions.json of the folder")
    parser.add_argument("--model", default=os.environ.get("FMP_RETRIEVER", ""), help="as for retrieve")
    parser.add_argument(
        "--language", dest="languages", nargs="+", action="extend", metavar="LANGUAGE", help="default: all"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_evaluate_questions)


def _evaluate_questions(options: argparse.Namespace) -> int:
    # Imported here because they load torch and scipy's statistics, which other commands and errors do not need.
    from fmp_models.evaluation import (  # noqa: PLC0415
        QUESTIONS_FILE,
        QuestionsResults,
        RememberingEstimator,
        ask_questions,
        question_lines,
        read_questions,
    )
    from fmp_models.inference import TargetFinder  # noqa: PLC0415

    languages = tuple(dict.fromkeys(options.languages or LANGUAGES))
    for language in languages:
        grammar(language)
    if options.out is not None:
        check_writable(options.out)
    questions, fingerprint = read_questions(options.questions or options.folder / QUESTIONS_FILE, options.folder)
    estimator = RememberingEstimator(chosen_estimator())
    finder = TargetFinder.from_pretrained(options.model, pose_model=estimator)
    results = [ask_questions(questions, options.folder, finder, language) for language in languages]
    report = QuestionsResults(results, _questions_command(options, languages), fingerprint)
    if options.out is not None:
        write_results({options.out: asdict(report)})
    print(json_text(asdict(report)) if options.json else question_lines(results))
    return 0


def _questions_command(options: argparse.Namespace, languages: tuple[str, ...]) -> str:
    """Return the command line that repeats this run; files and folders are given by name only."""
    words = ["evaluate-questions", options.folder.resolve().name]
    words += ["--questions", options.questions.name] if options.questions else []
    words += ["--model", options.model] if options.model else []
    return shlex.join(["python", "-m", "fmp_models", *words, "--language", *languages])
