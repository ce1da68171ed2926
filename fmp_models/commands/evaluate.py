"""``python -m fmp_models evaluate``: all scores of a model on splits that it was not trained on."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fmp_models.cli_base import importing_training, to_standard_error
from fmp_models.commands.results_file import check_writable, json_text, write_results
from fmp_models.errors import BadInputError

_MAX_TEXTS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
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
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # Imported here because they load torch, which other commands do not need.
    with importing_training():
        from fmp_models.evaluation.model_evaluation import EvaluationRequest, evaluate  # noqa: PLC0415
        from fmp_models.evaluation.reading_out import evaluation_table  # noqa: PLC0415
        from fmp_models.inference.caption_selection import Decoding  # noqa: PLC0415
    if not 1 <= options.texts <= _MAX_TEXTS:
        raise BadInputError("number_out_of_range", name="--texts", least=1, most=_MAX_TEXTS)
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
    with _cache(options.cache) as cache:
        evaluation = evaluate(question, cache, to_standard_error)
    if options.out is not None:
        texts = {
            options.out.with_name(f"predictions_{split}_{language}.json"): dict(text_by_uid)
            for (split, language), text_by_uid in evaluation.predictions.items()
        }
        write_results({options.out: evaluation.report, **texts})
    print(json_text(evaluation.report) if options.json else evaluation_table(evaluation.report))
    return 0


@contextmanager
def _cache(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="fixmypose-") as folder:
        yield Path(folder)
