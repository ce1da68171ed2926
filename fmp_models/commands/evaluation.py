"""``evaluate``, ``score`` and ``calibrate``: scores of models and texts, and a captioner's confidence."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

from fmp_models.commands.options import (
    cache_folder,
    check_writable,
    chosen_estimator,
    demand_within,
    json_text,
    write_results,
)
from fmp_models.errors import BadInputError, needs_extra
from fmp_models.languages import LANGUAGES

_log = logging.getLogger(__name__)
_MAX_TEXTS = 100


def add_evaluate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate``."""
    parser.epilog = "Captioners are scored by their drafts, which evaluate-real and correct repair by the joints."
    parser.add_argument("model", help="geometry, a bundled name, a folder, or org/name@revision on the Hub")
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument(
        "--split",
        dest="splits",
        action="append",
        default=[],
        help="may be repeated (default: all of the benchmark); wide_test_unseen: held-out turned and lying people",
    )
    parser.add_argument(
        "--joints",
        choices=("true", "estimated", "learned", "mediapipe", "none"),
        default="true",
        help="joints of the dataset (default), of measure-joints, of an estimator as for photographs, or none",
    )
    parser.add_argument("--estimator", metavar="MODEL", default="estimator", help="model for the learned joints")
    parser.add_argument(
        "--pose-model", type=Path, metavar="FILE", help="the pose landmarker for MediaPipe's joints and for a lifter"
    )
    parser.add_argument("--decoding", choices=("greedy", "beam", "sample"), default="greedy")
    parser.add_argument("--texts", type=int, default=5, help="beam width, or number of samples (default: 5)")
    parser.add_argument("--rerank", action="store_true", help="choose the text that agrees best with the joints")
    parser.add_argument(
        "--votes",
        metavar="RETRIEVER",
        action="append",
        default=[],
        help="prefer texts from which this retriever finds the target best, after the joints; one for each language",
    )
    parser.add_argument("--cache", type=Path, help="cache folder for computed image features (default: none)")
    parser.add_argument(
        "--out", type=Path, help="file for the scores; a captioner's texts are written next to it, for score"
    )
    parser.add_argument(
        "--examples",
        type=int,
        metavar="N",
        help="write the texts of N pairs of each split, with pictures, next to that file",
    )
    parser.add_argument(
        "--beside",
        metavar="MODEL",
        action="append",
        default=[],
        help="captioner for the examples (default: the bundled language-only and vision-only ones); may be repeated",
    )
    parser.add_argument(
        "--gallery",
        dest="among_all",
        action="store_true",
        help="only find each target among all pictures of its split, by true joints",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_evaluate)


def _evaluate_gallery(options: argparse.Namespace) -> int:
    from fmp_models.inference import gallery_recalls  # noqa: PLC0415  loads torch

    found = {
        split: gallery_recalls(options.dataset, split, options.model) for split in options.splits or ("test_unseen",)
    }
    print(json_text(found, indent=None if options.json else 2))
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    if options.among_all:
        return _evaluate_gallery(options)
    # Imported here because they load torch, which other commands do not need.
    with needs_extra("training_missing"):
        from fmp_models.evaluation import (  # noqa: PLC0415
            EvaluationRequest,
            check_captioners,
            evaluate_model,
            evaluation_table,
            write_examples,
        )
        from fmp_models.inference import Decoding  # noqa: PLC0415
    if not 1 <= options.texts <= _MAX_TEXTS:
        raise BadInputError("number_out_of_range", name="--texts", least=1, most=_MAX_TEXTS)
    if options.examples is not None:
        demand_within(options, "examples", 1, _MAX_TEXTS)
        if options.out is None:
            raise BadInputError("option_needs", option="--examples", with_option="--out")
    elif options.beside:
        raise BadInputError("option_needs", option="--beside", with_option="--examples")
    question = EvaluationRequest(
        options.model,
        options.dataset,
        tuple(options.splits),
        options.joints,
        options.estimator,
        options.pose_model,
        Decoding(options.decoding, options.texts, options.rerank),
        votes=tuple(options.votes),
    )
    if options.out is not None:
        check_writable(options.out)
    if options.examples is not None:
        check_captioners([options.model, *options.beside])
    with cache_folder(options.cache) as cache:
        evaluation = evaluate_model(question, cache)
        if options.out is not None:
            texts = {
                options.out.with_name(f"predictions_{split}_{language}.json"): dict(text_by_uid)
                for (split, language), text_by_uid in evaluation.predictions.items()
            }
            write_results({options.out: evaluation.report, **texts})
        if options.examples is not None:
            write_examples(question, evaluation, options.examples, options.beside, options.out.parent, cache)
    print(json_text(evaluation.report) if options.json else evaluation_table(evaluation.report))
    return 0


def add_properties_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``properties``."""
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="texts in English or Hindi: JSON, JSONL, or one on each line",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_properties)


def _properties(options: argparse.Namespace) -> int:
    from fmp_models.metrics import aligned_rows, property_rows, property_shares, read_texts  # noqa: PLC0415

    shares = {
        str(path): {language: property_shares(texts, language) for language, texts in read_texts(path).items()}
        for path in options.files
    }
    rows = property_rows(
        {f"{Path(path).name} {code}": of for path, codes in shares.items() for code, of in codes.items()}
    )
    print(json_text(shares) if options.json else "\n".join(aligned_rows(rows)))
    return 0


def add_score_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``score``."""
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
    parser.set_defaults(run=_score)


def _score(options: argparse.Namespace) -> int:
    # Imported here because they load scipy's statistics and pyarrow, which a correction does not need.
    from fmp_models.metrics import (  # noqa: PLC0415  # noqa: PLC0415  # noqa: PLC0415
        beside_paper,
        find_moved,
        find_poses,
        paper_scores,
        read_submission,
        score_table,
        score_texts,
        scores_as_json,
    )

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
    )
    if options.json:
        table = scores_as_json(scores, options.beside_paper, intervals=options.intervals, instances=options.instances)
        print(json.dumps(table, ensure_ascii=False, allow_nan=False))
        return 0
    print(score_table(scores, intervals=options.intervals))
    if options.beside_paper is not None:
        print(f"\n{beside_paper(scores, options.beside_paper)}")
    return 0


_MAX_PAIRS = 100_000


def add_calibrate_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``calibrate``."""
    parser.add_argument("model", help="captioner: a bundled name, a folder, or org/name@revision on the Hub")
    parser.add_argument("dataset", type=Path, help="dataset folder, as simulate makes it")
    parser.add_argument("--split", default="val_seen", help="default: val_seen")
    parser.add_argument("--pairs", type=int, default=240, help="number of pairs, from the first on (default: 240)")
    parser.add_argument("--pose-model", metavar="FILE", help="pose model (default: as for correct)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_calibrate)


def _calibrate(options: argparse.Namespace) -> int:
    # Imported here because they load torch and scipy, which other commands do not need.
    with needs_extra("training_missing"):
        from fmp_models.evaluation import (  # noqa: PLC0415
            RememberingEstimator,
            calibration_clauses,
            fitted_odds,
            simulated_pairs,
        )
        from fmp_models.hub import load_captioner  # noqa: PLC0415
        from fmp_models.inference import CaptionGenerator  # noqa: PLC0415
    if not 1 < options.pairs <= _MAX_PAIRS:
        raise BadInputError("number_out_of_range", name="--pairs", least=2, most=_MAX_PAIRS)
    pairs = simulated_pairs(options.dataset, options.split, options.pairs)
    captioning = CaptionGenerator(load_captioner(options.model))
    estimator = RememberingEstimator(chosen_estimator(options.pose_model))
    fits = {}
    for name, alone in (("shown", False), ("alone", True)):
        if alone and captioning.needs_joints:
            continue
        clauses = list(calibration_clauses(captioning, pairs, estimator, alone=alone))
        _log.info("%s: %d clauses", name, len(clauses))
        try:
            fit = fitted_odds(clauses)
        except ValueError:
            raise BadInputError("calibration_too_few", split=options.split) from None
        fits[name] = {"odds": fit.odds._asdict(), "calibration_error": fit.error, "clauses": fit.clauses}
    if options.json:
        print(json_text(fits))
    else:
        for name, fit_of in fits.items():
            print(f"{name}: {fit_of}")
    return 0
