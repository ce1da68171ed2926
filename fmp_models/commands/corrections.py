"""``correct``, ``measure``, ``retrieve`` and ``difference``: what photographs show, and what distinguishes them."""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fmp_models.commands.options import add_workers, chosen_estimator, demand_within, given_workers, wanted_pose_model
from fmp_models.common import MAX_BYTES
from fmp_models.describe import CheckedClause, StepKind
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded
from fmp_models.geometry import EXCLUDABLE_PARTS, joints_left_out
from fmp_models.inference import (
    AXES,
    DEFAULT_MODEL,
    FORMATS,
    GEOMETRY,
    UNITS,
    Correction,
    Corrector,
    MeasuredPhotographs,
    correct_joints,
    read_joints,
)
from fmp_models.languages import LANGUAGES, grammar
from fmp_models.pose import PosePair
from fmp_models.preprocessing import TURNS, Orientation

if TYPE_CHECKING:
    from fmp_models.inference import Ranking


_log = logging.getLogger(__name__)
_WHICH = ("current", "target")
_OF_EITHER = (  # options of photographs alone, and of joints alone
    ("pairs", "turn_current", "turn_target", "mirror_current", "mirror_target"),
    ("format", "units", "axes", "frame_current", "frame_target"),
)


def add_correct_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``correct``."""
    add_pair_arguments(parser, nargs="?")
    parser.add_argument("--pairs", type=Path, metavar="FILE.csv", help="correct a table: current, target, language, id")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="file for the pairs; repeat to resume")
    add_workers(parser)
    parser.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    parser.add_argument(
        "--model",
        default=os.environ.get("FMP_CAPTIONER") or DEFAULT_MODEL,
        help=f"correction model: {GEOMETRY.id}, a bundled captioner, a folder, or org/name@revision "
        f"(default: FMP_CAPTIONER, else {DEFAULT_MODEL})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument(
        "--joints", action="store_true", help="the files are 3-D joints, JSON or .bvh, described by their geometry"
    )
    parser.add_argument("--format", help=f"format of joint files that declare none, from: {', '.join(FORMATS)}")
    parser.add_argument("--units", help=f"their units, from: {', '.join(UNITS)}")
    parser.add_argument(
        "--axes", help=f"their axes: {', '.join(AXES)}, or letters such as RUB (x right, y up, z back for a viewer)"
    )
    for which in _WHICH:
        parser.add_argument(f"--frame-{which}", type=int, help=f"frame of a {which} .bvh file (default: 0)")
    parser.set_defaults(run=_correct)


def add_pair_arguments(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """Add two photographs, and how to take them; see :func:`pair_arguments`."""
    parser.add_argument("current", type=Path, nargs=nargs, help="photograph of the current pose")
    parser.add_argument("target", type=Path, nargs=nargs, help="photograph of the target pose")
    parser.add_argument(
        "--leave-out",
        nargs="+",
        default=(),
        metavar="PART",
        help=f"body parts to leave out, from: {', '.join(EXCLUDABLE_PARTS)}",
    )
    for which in _WHICH:
        parser.add_argument(
            f"--turn-{which}",
            type=int,
            choices=TURNS,
            default=0,
            help=f"degrees to turn the {which} photograph clockwise until it is upright (default: 0)",
        )
        parser.add_argument(f"--mirror-{which}", action="store_true", help=f"mirror the {which} photograph after that")


def pair_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of ``Corrector.measure``; raise BadInputError for a file that cannot be read."""
    current, target = (read_bounded(path, MAX_BYTES) for path in (options.current, options.target))
    return {"current": current, "target": target, **_taken(options)}


def _taken(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parts to leave out and the orientations; raise BadInputError (``unknown_part``)."""
    turned = (
        Orientation(-options.turn_current % 360, options.mirror_current),
        Orientation(-options.turn_target % 360, options.mirror_target),
    )
    return {"leave_out": options.leave_out, "orientations": turned}


def _correct(options: argparse.Namespace) -> int:
    unused = next((name for name in _OF_EITHER[not options.joints] if getattr(options, name)), None)
    if unused is not None:
        code = "option_apart" if options.joints else "option_needs"
        raise BadInputError(code, option=f"--{unused.replace('_', '-')}", with_option="--joints")
    if options.pairs is not None:
        return _correct_pairs(options)
    _refuse_without(options, "--pairs", "out", "scheduler")
    if options.target is None:
        raise BadInputError("pair_missing")
    if options.joints:
        return _print_correction(_joint_correction(options), options)
    photographs = pair_arguments(options)
    corrector = Corrector.from_pretrained(options.model, pose_model=chosen_estimator())
    correction, measurements = corrector.correct(**photographs, language=options.language, with_progress=options.json)
    log_measured(measurements)
    if correction.dropped:
        _log.info("Steps removed because the joints do not confirm them: %d.", correction.dropped)
    return _print_correction(correction, options)


def _refuse_without(options: argparse.Namespace, needed: str, *names: str) -> None:
    """Raise BadInputError (``option_needs``) for options that have no meaning without the ``needed`` one."""
    for name in names:
        if getattr(options, name) is not None:
            raise BadInputError("option_needs", option=f"--{name}", with_option=needed)


def _joint_correction(options: argparse.Namespace) -> Correction:
    declared = {"joint_format": options.format, "units": options.units, "axes": options.axes}
    bodies = (
        read_joints(getattr(options, which), which, **declared, frame=getattr(options, f"frame_{which}") or 0)
        for which in _WHICH
    )
    return correct_joints(*bodies, language=options.language, leave_out=options.leave_out)


def _print_correction(correction: Correction, options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps(correction.as_json(), ensure_ascii=False))
    else:
        print(_numbered(correction))
    return 0


def _correct_pairs(options: argparse.Namespace) -> int:
    grammar(options.language)
    joints_left_out(options.leave_out)
    if options.out is None or options.current is not None:
        raise BadInputError("pair_missing")
    from fmp_models.inference import BatchOptions, correct_pairs  # noqa: PLC0415  they load pyarrow

    taken = BatchOptions(*wanted_pose_model(), options.model, _taken(options))
    counts = correct_pairs(options.pairs, options.out, options.language, taken, given_workers(options))
    _print_counts(options, counts, "pairs")
    return 0


def _print_counts(options: argparse.Namespace, counts: Counter[str], what: str) -> None:
    """Print how many items a batch has, and how many of them have each error."""
    errors = {code: count for code, count in counts.most_common() if code}
    if options.json:
        print(json.dumps({what: counts.total(), "errors": errors}))
        return
    print(f"{options.out}: {counts.total():,} {what}, {sum(errors.values()):,} of them with an error.")
    for code, count in errors.items():
        print(f"{count:>10,} {code}")


def add_measure_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``measure``."""
    parser.add_argument("--images", type=Path, required=True, metavar="DIR", help="folder of photographs, with its own")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE.parquet", help="file of joints; repeat to resume"
    )
    parser.add_argument(
        "--pose-model", metavar="FILE", help="variant or file of MediaPipe's model (default: FMP_POSE_MODEL, else full)"
    )
    add_workers(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_measure)


def _measure(options: argparse.Namespace) -> int:
    from fmp_models.inference import BatchOptions, measure_folder  # noqa: PLC0415  they load pyarrow

    taken = BatchOptions(*wanted_pose_model(options.pose_model))
    _print_counts(options, measure_folder(options.images, options.out, taken, given_workers(options)), "pictures")
    return 0


def log_measured(measurements: MeasuredPhotographs) -> None:
    """Log what a person may have to change: a photograph upside down, or another person measured."""
    for which, estimate in zip(_WHICH, measurements.estimates, strict=True):
        if estimate is not None and estimate.turned_by:
            _log.warning("The %s photograph seems to be upside down; if it is, give --turn-%s 180.", which, which)
    if any(estimate is not None and estimate.people > 1 for estimate in measurements.estimates):
        _log.info("Several people were seen; the largest in each photograph was used.")


def measured_pair(photographs: Mapping[str, Any]) -> PosePair:
    """Return the two poses of photographs; raise as ``Corrector.measure``."""
    measurements = Corrector.from_pretrained(pose_model=chosen_estimator()).measure(**photographs)
    log_measured(measurements)
    if measurements.pair is None:
        raise BadInputError("no_person", which="current" if measurements.estimates[0] is None else "target")
    return measurements.pair


def _numbered(correction: Correction) -> str:
    """Return numbered steps with their confidence, then the other sentences; a text without steps unchanged."""
    lines: list[str] = []
    for step in correction.steps:
        clauses = [correction.clauses[place] for place in step.clauses]
        if step.kind in {StepKind.STEP, StepKind.FINE} and step.confidence is not None:
            number = f"{len(lines) + 1}." if step.kind == StepKind.STEP else "–"
            lines.append(f"{number} {step.text} ({step.confidence:.0%}{_aside(clauses, correction)})")
        else:
            lines.append(f"– {step.text}")
    return "\n".join(lines or [correction.text])


def _aside(clauses: Sequence[CheckedClause], correction: Correction) -> str:
    """Return remarks on a step that its confidence does not express."""
    if any(clause.agrees is False for clause in clauses):
        return ", but the joints say otherwise"
    added = correction.model.id != GEOMETRY.id and all(clause.by == GEOMETRY.id for clause in clauses)
    return ", added from the joints" if added else ""


def add_retrieve_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``retrieve``."""
    parser.add_argument("current", type=Path, help="photograph of the current pose")
    parser.add_argument("description", help="what to change, in words")
    parser.add_argument("candidates", type=Path, nargs="*", metavar="candidate", help="photographs to choose from")
    parser.add_argument(
        "--gallery", metavar="DATASET[:SPLIT]|FOLDER|FILE.parquet", help="search a collection, by joints, instead"
    )
    parser.add_argument("--top", type=int, metavar="K", help="results on a page of a collection (default: 10)")
    parser.add_argument("--page", type=int, metavar="N", help="page of these results (default: 1)")
    parser.add_argument("--language", help=f"one of: {', '.join(LANGUAGES)} (default: detected from the script)")
    parser.add_argument(
        "--model",
        default=os.environ.get("FMP_RETRIEVER", ""),
        help="a bundled retriever, a folder, or org/name@revision (default: FMP_RETRIEVER, else that of the language)",
    )
    add_workers(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_retrieve)


def _retrieve(options: argparse.Namespace) -> int:
    if options.language is not None:
        grammar(options.language)
    if options.gallery is not None:
        return _search(options)
    _refuse_without(options, "--gallery", "top", "page", "scheduler")
    current, *candidates = (read_bounded(path, MAX_BYTES) for path in (options.current, *options.candidates))
    # It loads torch, for which a refusal need not wait.
    from fmp_models.inference import TargetFinder  # noqa: PLC0415

    finder = TargetFinder.from_pretrained(options.model, pose_model=chosen_estimator())
    ranking, _ = finder.find(current, options.description, candidates, language=options.language)
    for candidate, people in enumerate(ranking.people[1:]):
        if people == 0:
            _log.warning("No person could be measured in %s.", options.candidates[candidate])
    print(json.dumps(ranking.as_json(), ensure_ascii=False) if options.json else _ranked(ranking, options.candidates))
    return 0


def _search(options: argparse.Namespace) -> int:
    """Print a page of the pictures of a collection that fit a description best."""
    for name, usual, most in (("top", 10, 100), ("page", 1, 500)):
        if getattr(options, name) is None:
            setattr(options, name, usual)
        demand_within(options, name, 1, most)
    if options.candidates:
        raise BadInputError("gallery_and_candidates")
    data = read_bounded(options.current, MAX_BYTES)
    from fmp_models.inference import BatchOptions, GallerySearch, read_description  # noqa: PLC0415  they load torch

    read_description(options.description, options.language)  # raise its errors before a collection is measured
    search = GallerySearch(options.gallery, options.model, BatchOptions(*wanted_pose_model()), given_workers(options))
    found = search.find(data, options.description, options.language, options.page, options.top)
    if options.json:
        print(json.dumps(found, ensure_ascii=False))
        return 0
    for result in found["results"]:
        share = "" if result["probability"] is None else f" ({result['probability']:.0%})"
        print(f"{result['rank']}. {result['picture']}{share}")
    return 0


def add_difference_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``difference``."""
    configured = os.environ.get("FMP_DIFFERENCE_CAPTIONER")
    parser.add_argument("current", type=Path, metavar="IMAGE1", help="picture of anything")
    parser.add_argument("target", type=Path, metavar="IMAGE2", help="picture to compare it with")
    parser.add_argument(
        "--captioner",
        required=not configured,
        default=configured,
        metavar="RUN",
        help="captioner without joints: a folder, or org/name@revision (default: FMP_DIFFERENCE_CAPTIONER)",
    )
    parser.add_argument(
        "--language", default="en", help=f"one of: {', '.join(LANGUAGES)}, if it knows it (default: en)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=_difference)


def _difference(options: argparse.Namespace) -> int:
    grammar(options.language)
    current, target = (read_bounded(path, MAX_BYTES) for path in (options.current, options.target))
    from fmp_models.inference import DifferenceCaptioner  # noqa: PLC0415  a wrong file is told before it is loaded

    told = DifferenceCaptioner(options.captioner).describe(current, target, options.language)
    print(json.dumps(told.as_json(), ensure_ascii=False) if options.json else told.text)
    return 0


def _ranked(ranking: Ranking, paths: list[Path]) -> str:
    """Return the files with their probabilities, best first."""
    return "\n".join(
        f"{i}. {paths[ranked.candidate]} ({ranked.score:.0%})" for i, ranked in enumerate(ranking.ranking, 1)
    )
