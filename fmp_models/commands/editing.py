"""``edit``, and caption editing in files of COCO-EE (``edit-*``) and of a dataset (``evaluate-edits``)."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from fmp_models.commands.options import (
    cache_folder,
    check_writable,
    chosen_estimator,
    demand_within,
    json_text,
    pose_model_file,
    write_results,
)
from fmp_models.errors import BadInputError, needs_extra
from fmp_models.languages import LANGUAGES

_MAX_PAIRS = 300_000
_FILE = "JSON list of instances with Ref-Cap and GT-Cap, as COCO-EE and Flickr30K-EE have them"


def add_edit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``edit``."""
    from fmp_models.commands.corrections import add_pair_arguments  # noqa: PLC0415  loads no photograph for files

    add_pair_arguments(parser)
    parser.add_argument("text", help="text to make right, in words")
    parser.add_argument("--language", help=f"one of: {', '.join(LANGUAGES)} (default: detected from the script)")
    parser.add_argument(
        "--model", default="rules", help="rules, a bundled editor, a folder, or org/name@revision (default: rules)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_edit)


def _edit(options: argparse.Namespace) -> int:
    from fmp_models.commands.corrections import log_measured, pair_arguments  # noqa: PLC0415
    from fmp_models.editing import marked_edits, open_editor  # noqa: PLC0415
    from fmp_models.inference import Corrector, check_description  # noqa: PLC0415

    language = check_description(options.text, options.language)
    editor = open_editor(options.model)
    photographs = pair_arguments(options)
    measurements = Corrector.from_pretrained(pose_model=chosen_estimator()).measure(**photographs)
    edited = editor.edit(options.text, language, measurements)
    log_measured(measurements)
    if options.json:
        print(json_text(edited.as_json()))
    else:
        print(edited.text if not edited.rounds else f"{edited.text}\n{marked_edits(edited.operations)}")
    return 0


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


def add_evaluate_edits_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate-edits``."""
    parser.add_argument(
        "editors",
        nargs="+",
        metavar="EDITOR",
        help="none (the given text stays), captioner (its text replaces the given one), rules, or a trained editor: "
        "a bundled name, a folder, or org/name@revision on the Hub",
    )
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="dataset folder with texts of edit-dataset")
    parser.add_argument("--split", default="test_unseen", help="default: test_unseen")
    parser.add_argument(
        "--joints",
        choices=("true", "estimated", "mediapipe"),
        default="true",
        help="joints that editors are given: of the dataset (default), of measure-joints, or MediaPipe's",
    )
    parser.add_argument("--pose-model", metavar="FILE", help="variant or file of MediaPipe's model (default: full)")
    parser.add_argument("--pairs", type=int, metavar="N", help="evaluate N pairs, evenly spread (default: all)")
    parser.add_argument("--cache", type=Path, help="cache folder for computed image features (default: none)")
    parser.add_argument("--out", type=Path, help="file for the scores")
    parser.add_argument(
        "--examples", type=int, metavar="N", help="write N edited texts, with pictures, next to that file"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_evaluate_edits)


def _evaluate_edits(options: argparse.Namespace) -> int:
    with needs_extra("training_missing"):
        from fmp_models.evaluation import EditsRequest, edits_table, evaluate_edits  # noqa: PLC0415
    if options.pairs is not None:
        demand_within(options, "pairs", 1, _MAX_PAIRS)
    if options.examples is not None:
        demand_within(options, "examples", 1, _MAX_PAIRS)
        if options.out is None:
            raise BadInputError("option_needs", option="--examples", with_option="--out")
    if options.out is not None:
        check_writable(options.out)
    pose_model = pose_model_file(options.pose_model) if options.joints == "mediapipe" else None
    editors = tuple(dict.fromkeys(options.editors))
    request = EditsRequest(editors, options.dataset, options.split, options.joints, pose_model, options.pairs)
    if options.examples is not None:
        request = replace(request, examples=options.examples, folder=options.out.parent)
    with cache_folder(options.cache) as cache:
        report = evaluate_edits(request, cache)
    if options.out is not None:
        write_results({options.out: report})
    print(json_text(report) if options.json else edits_table(report))
    return 0
