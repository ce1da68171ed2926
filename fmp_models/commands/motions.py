"""``describe-motion``: a motion capture or a film -> what changes from pose to pose."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from fmp_models.commands.options import chosen_estimator, demand_within, json_text
from fmp_models.errors import BadInputError
from fmp_models.estimators import TrackingEstimator
from fmp_models.languages import LANGUAGES, grammar
from fmp_models.pose import Pose

if TYPE_CHECKING:
    from fmp_models.coach import MotionStep

_MIN_EVERY, _MAX_EVERY = 0.1, 60.0  # seconds
_MAX_POSES = 1_000_000  # no capture of that many is described
_TRACKED_EVERY = 0.1  # seconds between frames of a film


def add_describe_motion_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``describe-motion``."""
    parser.add_argument("file", type=Path, help="motion capture (.bvh), or a film of one person such as .mp4")
    parser.add_argument("--every", type=float, default=0.5, help="seconds between compared poses (default: 0.5)")
    parser.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    parser.add_argument("--format", choices=("text", "srt", "json"), default="text", help="default: text")
    parser.add_argument("--axes", help="axes of a capture, as for correct --joints (default: y-up)")
    parser.set_defaults(run=_describe)


def _describe(options: argparse.Namespace) -> int:
    from fmp_models.coach import describe_motion  # noqa: PLC0415

    demand_within(options, "every", _MIN_EVERY, _MAX_EVERY)
    grammar(options.language)
    captured = options.file.suffix.lower() == ".bvh"
    if options.axes and not captured:
        raise BadInputError("option_needs", option="--axes", with_option="a .bvh file")
    poses = _captured(options) if captured else _filmed(options)
    steps = list(describe_motion(poses, options.language))
    if options.format == "json":
        told = [
            {**asdict(step), "clauses": [{"part": c.part_name, "direction": c.direction.value} for c in step.clauses]}
            for step in steps
        ]
        print(json_text({"file": options.file.name, "language": options.language, "steps": told}))
    elif options.format == "srt":
        print("\n".join(_subtitle(number, step) for number, step in enumerate(steps, 1)), end="")
    else:
        print("\n".join(f"{step.start:.1f}–{step.end:.1f} s: {step.text}" for step in steps))
    return 0


def _captured(options: argparse.Namespace) -> Iterator[tuple[float, Pose]]:
    from fmp_models.inference import captured_poses  # noqa: PLC0415
    from fmp_models.sim import read_recording  # noqa: PLC0415

    recording = read_recording(options.file)
    first, step = recording.first, options.every / recording.seconds
    count = int(min((len(recording.values) - 1 - first) / step, _MAX_POSES)) + 1
    frames = [first + round(number * step) for number in range(count)]
    times = [round(frame * recording.seconds, 3) for frame in frames]
    yield from zip(times, captured_poses(recording, frames, options.axes, placed=True), strict=True)


def _filmed(options: argparse.Namespace) -> Iterator[tuple[float, Pose]]:
    from fmp_models.evaluation import film_frames  # noqa: PLC0415

    estimator = chosen_estimator()
    if not isinstance(estimator, TrackingEstimator):
        raise BadInputError("mediapipe_missing")
    tracker, due = estimator.new_tracker(), 0.0
    for seconds, frame in film_frames(options.file, _TRACKED_EVERY):
        person = tracker.track(frame, seconds)
        if person is not None and seconds >= due:
            due = seconds + options.every
            yield seconds, person.pose
    if not due:
        raise BadInputError("film_without_person", path=str(options.file))


def _subtitle(number: int, step: MotionStep) -> str:
    """Return a step as an entry of an SRT file."""
    start, end = (round(seconds * 1000) for seconds in (step.start, step.end))
    return f"{number}\n{_stamp(start)} --> {_stamp(end)}\n{step.text}\n"


def _stamp(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d},{rest:03d}"
