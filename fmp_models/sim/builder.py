"""``python -m fmp_models simulate``: from an order to a whole dataset folder with its card."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from pathlib import Path

from fmp_models.data.card import write_simulated_card
from fmp_models.sim.assembling import draw, write
from fmp_models.sim.motions import repertoire
from fmp_models.sim.sheets import SheetMaker
from fmp_models.sim.taking import Order, begin, finish, take_units


def build(out: Path, pairs: int, seed: int, processes: int, recordings: Sequence[Path] = ()) -> str:
    """Make a dataset of so many captioning pairs in ``out``, or go on with it; return one sentence for the terminal.

    ``recordings`` are BVH files performed beside the catalogue. Raises :class:`BadInputError` where one of them cannot
    be used, or ``out`` holds something else or cannot be written.
    """
    repertoire(recordings)
    order = Order(pairs, seed, [hashlib.sha256(path.read_bytes()).hexdigest() for path in recordings])
    if begin(out, order):
        return f"{out} holds this dataset already."
    start = time.monotonic()
    units = take_units(out, order, processes, recordings)
    drawn = draw(out, units, order)
    sheets = SheetMaker()
    flaws = write(out, units, order, drawn, sheets)
    sheets.draw(out / "sheets")
    names = [path.name for path in recordings]
    write_simulated_card(out, order.pairs, order.seed, flaws, names)
    finish(out, order, {"left_out": dict(sorted(flaws.items())), "names": names})
    seconds = time.monotonic() - start
    return f"{out}: {len(drawn.captioning)} captioning pairs and all that belongs to them in {seconds:.0f} seconds."
