"""The builder behind ``python -m fmp_models simulate``: it turns an order into a dataset folder with its card."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fmp_models.data.card import write_simulated_card
from fmp_models.sim.capture.dataset_writer import draw, write
from fmp_models.sim.capture.renderer import CaptureOrder, begin, finish, noted, take_units, wide_is_current
from fmp_models.sim.capture.sheets import SheetMaker
from fmp_models.sim.motions import repertoire
from fmp_models.sim.motions.repertoire import RecordedMotion
from fmp_models.sim.wide.renderer import take_wide, write_wide


def build(out: Path, pairs: int, seed: int, processes: int, recordings: Sequence[Path] = ()) -> str:
    """Make a dataset of ``pairs`` captioning pairs in ``out``, or resume it; return one sentence for the terminal.

    ``recordings`` are BVH files performed in addition to the catalogue. Raises :class:`BadInputError` if one of them
    cannot be used, or if ``out`` holds something else or cannot be written. A finished dataset whose wide pairs are of
    an older version gets new wide pairs; nothing else of it changes.
    """
    motions = repertoire(recordings)
    order = CaptureOrder(pairs, seed, [hashlib.sha256(path.read_bytes()).hexdigest() for path in recordings])
    start = time.monotonic()
    names = [path.name for path in recordings]
    if not begin(out, order):
        units = take_units(out, order, processes, recordings)
        take_wide(out, order, processes, recordings)
        drawn = draw(out, units, order)
        sheets = SheetMaker()
        flaws = write(out, units, order, drawn, sheets)
        what = f"{len(drawn.captioning)} captioning pairs, with retrieval and wide pairs"
    elif wide_is_current(out):
        return f"{out} already contains this dataset."
    else:
        take_wide(out, order, processes, recordings)
        sheets = SheetMaker()
        flaws = Counter(noted(out).get("left_out", {}))
        what = "new wide pairs"
    of_wide = write_wide(out, order, sheets)
    sheets.draw(out / "sheets")
    poser = any(isinstance(motion, RecordedMotion) and motion.recording.poser for motion in motions)
    write_simulated_card(out, order.pairs, order.seed, flaws + of_wide, names, acknowledged=poser)
    facts = {"left_out": dict(sorted(flaws.items())), "left_out_of_wide": dict(sorted(of_wide.items())), "names": names}
    finish(out, order, facts)
    return f"{out}: {what} in {time.monotonic() - start:.0f} seconds."
