"""``python -m fmp_models simulate``: from an order to a whole dataset folder with its card."""

from __future__ import annotations

import os
import time
from pathlib import Path

from fmp_models.data.card import write_simulated_card
from fmp_models.sim.assembling import draw, write
from fmp_models.sim.sheets import SheetMaker
from fmp_models.sim.taking import Order, begin, finish, take_units


def build(out: Path, order: Order, processes: int | None = None) -> str:
    """Make the dataset that ``order`` asks for in ``out``, or go on with it; return one sentence for the terminal.

    Raises :class:`BadInputError` where ``out`` holds something else or cannot be written.
    """
    if begin(out, order):
        return f"{out} holds this dataset already."
    start = time.monotonic()
    units = take_units(out, order, processes or os.cpu_count() or 1)
    drawn = draw(out, units, order)
    sheets = SheetMaker()
    flaws = write(out, units, order, drawn, sheets)
    sheets.draw(out / "sheets")
    write_simulated_card(out, order.pairs, order.seed, flaws)
    finish(out, order, {"left_out": dict(sorted(flaws.items()))})
    pairs = len(drawn.captioning)
    return f"{out}: {pairs} captioning pairs and all that belongs to them in {time.monotonic() - start:.0f} seconds."
