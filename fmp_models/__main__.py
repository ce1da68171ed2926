"""The command line: ``python -m fmp_models COMMAND``, from ``correct`` to ``import-fixmypose``.

Exit codes: 0 done, 2 bad input with one sentence why, 1 a fault of ours. With ``--json`` standard output is exactly one
JSON object; progress and warnings go to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_data_path

from fmp_models.cli_base import SEEDS, OneSentenceParser, add_processes, demand_within, run, to_standard_error
from fmp_models.commands import (
    calibrate,
    evaluate,
    evaluate_questions,
    evaluate_real,
    measure_joints,
    retrieve,
    table,
    train,
)
from fmp_models.data.splits import MOST_PAIRS, PAIRS
from fmp_models.errors import BadInputError
from fmp_models.estimators.assets import DEFAULT as DEFAULT_POSE_MODEL
from fmp_models.estimators.assets import find_pose_model
from fmp_models.estimators.base import PoseEstimator
from fmp_models.estimators.select import choose_estimator
from fmp_models.files.bounded import read_bounded
from fmp_models.geometry.clauses import Direction
from fmp_models.inference.backends import DEFAULT, GEOMETRY, find_speaker
from fmp_models.inference.corrector import CheckedClause, Correction, Corrector
from fmp_models.inference.measured_pair import measured
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.preprocessing.photograph import MAX_BYTES
from fmp_models.processes import MOST_PROCESSES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return run(_parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = OneSentenceParser(prog="python -m fmp_models", description="FixMyPose from the command line.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=OneSentenceParser)
    correct = commands.add_parser("correct", help="say how to get from the current pose to the target pose")
    correct.add_argument("current", type=Path, help="photograph of the pose as it is")
    correct.add_argument("target", type=Path, help="photograph of the pose as it should be")
    correct.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    correct.add_argument(
        "--model",
        default=os.environ.get("FMP_CAPTIONER") or DEFAULT,
        help=f"who speaks: {GEOMETRY.id}, a bundled captioner, a folder, or org/name@revision "
        f"(default: FMP_CAPTIONER, else {DEFAULT})",
    )
    correct.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    correct.set_defaults(run=_correct)
    retrieve.add_to(commands, _estimator, os.environ.get("FMP_RETRIEVER", ""))
    scored = commands.add_parser("score", help="score corrections against human references, as the paper does")
    scored.add_argument("predictions", type=Path, help="JSON: {uid: text}")
    scored.add_argument("references", type=Path, help="JSON: {uid: [text, ...]}")
    scored.add_argument("--language", required=True, help=f"one of: {', '.join(LANGUAGES)}")
    scored.add_argument(
        "--joints", type=Path, metavar="DIR", help="joint files of the release, or a dataset, for body-part-match"
    )
    scored.add_argument("--tokeniser", choices=("ptb", "regex"), help="default: ptb where there is Java, else regex")
    scored.add_argument("--intervals", action="store_true", help="95 %% intervals, by bootstrap over the pairs")
    scored.add_argument("--instances", action="store_true", help="with --json: the scores of every pair too")
    scored.add_argument(
        "--beside-paper", metavar="SPLIT", help="the paper's rows too: val_seen, val_unseen, test_unseen"
    )
    scored.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    scored.set_defaults(run=_score)
    train.add_to(commands)
    evaluate.add_to(commands)
    evaluate_real.add_to(commands, _estimator)
    evaluate_questions.add_to(commands, _estimator, os.environ.get("FMP_RETRIEVER", ""))
    calibrate.add_to(commands, _estimator)
    table.add_to(commands, _estimator)
    measure_joints.add_to(commands, _pose_model)
    simulated = commands.add_parser("simulate", help="make a dataset of simulated people in furnished rooms")
    simulated.add_argument("out", type=Path, help="new folder, or one that was begun by the same command")
    simulated.add_argument("--pairs", type=int, default=PAIRS, help=f"captioning pairs (default: {PAIRS}, the paper's)")
    simulated.add_argument("--seed", type=int, default=0, help="another seed makes another dataset (default: 0)")
    add_processes(simulated)
    simulated.add_argument(
        "--bvh",
        dest="recordings",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="a motion capture to use too",
    )
    simulated.set_defaults(run=_simulate)
    released = commands.add_parser("import-fixmypose", help="bring the official release into the same schema")
    released.add_argument("--annotations", type=Path, required=True, help="folder of the released json files")
    released.add_argument("--images", type=Path, help="folder of the released pictures")
    released.add_argument("--joints", type=Path, help="folder of the released joint text files")
    released.add_argument("out", type=Path, help="new folder for the dataset")
    released.set_defaults(run=_import_release)
    return parser


def _correct(options: argparse.Namespace) -> int:
    speaker = find_speaker(options.model, to_standard_error)
    pictures = [read_bounded(path, MAX_BYTES) for path in (options.current, options.target)]
    speaker.load()
    correction, seen = Corrector(_estimator(), [speaker]).correct(*pictures, language=options.language)
    if correction.dropped:
        to_standard_error(f"Steps left out because the joints do not bear them out: {correction.dropped}.")
    if max(correction.people) > 1:
        to_standard_error("Several people were seen; the largest in each photograph was used.")
    if options.json:
        print(json.dumps({**correction.as_json(), **measured(seen.pair)}, ensure_ascii=False))
    else:
        print(_numbered(correction))
    return 0


def _score(options: argparse.Namespace) -> int:
    # They load scipy's statistics and pyarrow, for which a correction need not wait.
    from fmp_models.metrics.paper import paper_scores  # noqa: PLC0415
    from fmp_models.metrics.scoring.score_table import as_json, beside_paper, score_table  # noqa: PLC0415
    from fmp_models.metrics.scoring.scorer import score  # noqa: PLC0415
    from fmp_models.metrics.scoring.submissions import read_submission  # noqa: PLC0415
    from fmp_models.metrics.task.moved_joints import find_moved  # noqa: PLC0415

    if options.instances and not options.json:
        raise BadInputError("option_needs_json", option="--instances")
    if options.beside_paper is not None:
        paper_scores(options.beside_paper, options.language)  # refuses before the work is done
    predictions, references = read_submission(options.predictions, options.references, options.language)
    moved = None if options.joints is None else find_moved(options.joints, list(predictions))
    if moved is not None and not moved.known.any():
        raise BadInputError("joints_of_others", path=str(options.joints))
    scores = score(
        predictions, references, options.language, moved=moved, tokeniser=options.tokeniser, say=to_standard_error
    )
    if options.json:
        told = as_json(scores, options.beside_paper, intervals=options.intervals, instances=options.instances)
        print(json.dumps(told, ensure_ascii=False, allow_nan=False))
        return 0
    print(score_table(scores, intervals=options.intervals))
    if options.beside_paper is not None:
        print(f"\n{beside_paper(scores, options.beside_paper)}")
    return 0


def _simulate(options: argparse.Namespace) -> int:
    for name, least, most in (("pairs", 4, MOST_PAIRS), ("seed", 0, SEEDS - 1), ("processes", 1, MOST_PROCESSES)):
        demand_within(options, name, least, most)
    try:
        # What the simulator stands on is installed for development only.
        from fmp_models.sim.builder import build  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise BadInputError("simulator_missing", library=str(missing.name)) from None
    print(build(options.out, options.pairs, options.seed, options.processes, options.recordings))
    return 0


def _import_release(options: argparse.Namespace) -> int:
    # It loads datasets and matplotlib, for which a correction need not wait.
    from fmp_models.data.released.importer import import_release  # noqa: PLC0415

    summary = import_release(options.annotations, options.images, options.joints, options.out, to_standard_error)
    print(summary)
    return 0


def _estimator(pose_model: str | None = None) -> PoseEstimator:
    """Who finds the joints: with the pose model that is named, else FMP_POSE_MODEL, else the default variant.

    The variables are those of ``demo/settings.py``; a command line is an entry of its own and cannot import it.
    """
    return choose_estimator(*_wanted(pose_model), to_standard_error).estimator


def _pose_model(pose_model: str | None = None) -> Path:
    """The file of MediaPipe's pose model that :func:`_estimator` would use."""
    return find_pose_model(*_wanted(pose_model), to_standard_error)


def _wanted(pose_model: str | None) -> tuple[str, Path]:
    """Which pose model is asked for, and the folder where official ones are kept."""
    data = os.environ.get("FMP_DATA_DIR")
    try:
        kept = (Path(data).expanduser() if data else user_data_path("fixmypose")) / "models"
    except RuntimeError:  # under the home of nobody
        raise BadInputError("folder_unusable", path=str(data)) from None
    return pose_model or os.environ.get("FMP_POSE_MODEL") or DEFAULT_POSE_MODEL, kept


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
    said = {number for words in steps for number in range(*words)}
    return "\n".join([correction.text, *lines] if not lines or len(said) < len(correction.words) else lines)


def _aside(step: CheckedClause, correction: Correction, *, doubted: bool) -> str:
    """What a step's confidence does not say."""
    added = step.by == GEOMETRY.id != correction.model.id
    return ", but the joints say otherwise" if doubted else ", added from the joints" if added else ""


if __name__ == "__main__":
    sys.exit(main())
