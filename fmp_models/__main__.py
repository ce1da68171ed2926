"""The command line: ``python -m fmp_models correct | simulate | import-fixmypose``.

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
from typing import NoReturn

from platformdirs import user_data_path

from fmp_models.data.splits import MOST_PAIRS, PAIRS
from fmp_models.errors import BadInputError
from fmp_models.estimators import MediaPipeEstimator
from fmp_models.languages.grammar import LANGUAGES
from fmp_models.photograph import MAX_BYTES
from fmp_models.pipelines import GEOMETRY, Correction, Corrector
from fmp_models.pose_model import find_pose_model

BAD_INPUT = 2
MOST_PROCESSES = 256


class _OneSentenceParser(argparse.ArgumentParser):
    """Refuses in one line, as every other refusal here."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{message[:1].upper()}{' '.join(message[1:].split())}; see {self.prog} --help.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except BadInputError as error:
        sys.stderr.write(f"{' '.join(error.sentence.split())}\n")
        return BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = _OneSentenceParser(prog="python -m fmp_models", description="FixMyPose from the command line.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_OneSentenceParser)
    correct = commands.add_parser("correct", help="say how to get from the current pose to the target pose")
    correct.add_argument("current", type=Path, help="photograph of the pose as it is")
    correct.add_argument("target", type=Path, help="photograph of the pose as it should be")
    correct.add_argument("--language", default="en", help=f"one of: {', '.join(LANGUAGES)} (default: en)")
    correct.add_argument("--model", default=GEOMETRY.id, help=f"who speaks (default: {GEOMETRY.id})")
    correct.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    correct.set_defaults(run=_correct)
    simulated = commands.add_parser("simulate", help="make a dataset of simulated people in furnished rooms")
    simulated.add_argument("out", type=Path, help="new folder, or one that was begun by the same command")
    simulated.add_argument("--pairs", type=int, default=PAIRS, help=f"captioning pairs (default: {PAIRS}, the paper's)")
    simulated.add_argument("--seed", type=int, default=0, help="another seed makes another dataset (default: 0)")
    simulated.add_argument(
        "--processes", type=int, default=min(os.cpu_count() or 1, 256), help="at once (default: one for each core)"
    )
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
    if options.model != GEOMETRY.id:
        raise BadInputError("unknown_model", model=options.model, known=GEOMETRY.id)
    pictures = [_read(options.current), _read(options.target)]
    correction, _ = _corrector().correct(*pictures, language=options.language)
    if max(correction.people) > 1:
        sys.stderr.write("Several people were seen; the largest in each photograph was used.\n")
    print(json.dumps(correction.as_json(), ensure_ascii=False) if options.json else _numbered(correction))
    return 0


def _simulate(options: argparse.Namespace) -> int:
    for name, least, most in (("pairs", 4, MOST_PAIRS), ("seed", 0, 2**31 - 1), ("processes", 1, MOST_PROCESSES)):
        if not least <= getattr(options, name) <= most:
            raise BadInputError("number_out_of_range", name=f"--{name}", least=least, most=most)
    try:
        # What the simulator stands on is installed for development only.
        from fmp_models.sim.builder import build  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise BadInputError("simulator_missing", library=str(missing.name)) from None
    print(build(options.out, options.pairs, options.seed, options.processes, options.recordings))
    return 0


def _import_release(options: argparse.Namespace) -> int:
    # It loads datasets and matplotlib, for which a correction need not wait.
    from fmp_models.data.release import import_release  # noqa: PLC0415

    summary = import_release(
        options.annotations, options.images, options.joints, options.out, lambda line: print(line, file=sys.stderr)
    )
    print(summary)
    return 0


def _corrector() -> Corrector:
    """The variables are those of ``demo/settings.py``; a command line is an entry of its own and cannot import it."""
    model = os.environ.get("FMP_POSE_MODEL")
    data = os.environ.get("FMP_DATA_DIR")
    cache = (Path(data).expanduser() if data else user_data_path("fixmypose")) / "models"
    return Corrector(MediaPipeEstimator(find_pose_model(Path(model).expanduser() if model else None, cache)))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one more than allowed, so that the check sees the excess
    except (OSError, ValueError):
        raise BadInputError("file_unreadable", path=str(path)) from None


def _numbered(correction: Correction) -> str:
    """Numbered steps, each with its confidence; the one sentence of an empty correction as it is."""
    steps = (f"{i}. {clause.text} ({clause.confidence:.0%})" for i, clause in enumerate(correction.clauses, 1))
    return "\n".join(steps) or correction.text


if __name__ == "__main__":
    sys.exit(main())
