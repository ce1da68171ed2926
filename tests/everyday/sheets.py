"""Draw the contact sheets of docs/sheets: ``python -m tests.everyday.sheets``, or ``make sheets``.

One for the everyday phrases of each language, those of the development half first, and one for the corrections of the
bundled examples and of ten pairs of FMP_SHARED.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from demo.examples.catalogue import EXAMPLES, ExamplePair
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.geometry.execution import ARRIVED
from fmp_models.inference.correction import DEFAULT_MODEL
from fmp_models.inference.corrector import Corrector, load_correction_model
from fmp_models.languages.language_data import LANGUAGES
from tests.everyday.contact_sheet import Cell, draw_sheet, save_sheet
from tests.everyday.judge import COLUMNS, judge, phrases
from tests.pose_models import pose_model_here

ROOT = Path(__file__).resolve().parents[2]
SHARED = (ROOT / os.environ.get("FMP_SHARED", "../shared")).resolve()
FOLDER = ROOT / "docs" / "sheets"
_SHARED_PAIRS = 10
_CORRECTION_COLUMNS = 4


def corrections() -> Iterator[Cell]:
    """Give the end of every correction against its goal; framed where a joint is not there."""
    pose_model = pose_model_here(os.environ.get("FMP_POSE_MODEL", ""), SHARED)
    if pose_model is None:
        sys.exit("there is no pose model: name one in FMP_POSE_MODEL, or a folder that has one in FMP_SHARED")
    corrector = Corrector(MediaPipeEstimator(pose_model), [load_correction_model(DEFAULT_MODEL)])
    for pair in (*EXAMPLES, *shared_pairs()):
        _, measurements = corrector.correct(pair.current, pair.target)
        done = measurements.demonstration
        if done is None or done.target is None:
            sys.exit(f"{pair.name}: nobody was measured")
        furthest = float(np.linalg.norm(done.poses[-1] - done.target, axis=-1).max())
        title = f"{pair.name.replace('_', ' ')}, steps: {len(done.poses) - 1}"
        fault = f"{100 * furthest:.0f} cm from the goal" if furthest > ARRIVED else ""
        yield Cell(title, done.poses[0], done.poses[-1], done.target, fault)


def shared_pairs() -> list[ExamplePair]:
    """Read ten real pairs, every other one of those that lie in FMP_SHARED; none where there is no such folder."""
    folder = SHARED / "data" / "realbench"
    if not folder.is_dir():
        return []
    pairs = json.loads((folder / "truth.json").read_text(encoding="utf-8"))[: 2 * _SHARED_PAIRS : 2]
    return [
        ExamplePair(pair["id"], *((folder / pair[which]).read_bytes() for which in ("current", "target")))
        for pair in pairs
    ]


def main() -> None:
    """Draw all sheets and print where they are, with how many figures are as they shall be."""
    sheets = {
        f"phrases_{language}": (
            [judge(p).cell for held in (False, True) for p in phrases([language], held=held)],
            COLUMNS,
        )
        for language in LANGUAGES
    }
    sheets["corrections"] = [*corrections()], _CORRECTION_COLUMNS
    for name, (cells, columns) in sheets.items():
        save_sheet(draw_sheet(cells, columns), FOLDER / f"{name}.png")
        right = sum(not cell.fault for cell in cells)
        print(f"{(FOLDER / name).relative_to(ROOT)}.png: {right} of {len(cells)} as expected")


if __name__ == "__main__":
    main()
