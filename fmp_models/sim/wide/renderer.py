"""Renderer of the wide pairs of every unit: taken in parallel into files of their own, then written as shards.

They are made separately, so that a finished dataset gets newer wide pairs without changing a byte of the others.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from tqdm import tqdm

from fmp_models.data.features import WIDE, Shot, captioning_row, wide_row
from fmp_models.data.folder import ShardWriter
from fmp_models.data.uids import MOMENTS, PictureName
from fmp_models.sim.capture.dataset_writer import shuffled
from fmp_models.sim.capture.renderer import (
    ABOUT,
    TEXTS,
    UNITS_FOLDER,
    WIDE_VERSION,
    CaptureOrder,
    in_processes,
    write_whole,
)
from fmp_models.sim.capture.schedule import Unit, units_for, wide_counts
from fmp_models.sim.capture.sheets import SheetMaker
from fmp_models.sim.wide.render_job import WidePair, WideRenderJob

_STREAMS = {"train": 6, "test_unseen": 7}  # evaluation pairs use other random numbers
_TEXTS = {"train": 1, "test_unseen": TEXTS}
_SCHEMA = WIDE.arrow_schema.remove_metadata()


@dataclass(frozen=True)
class _Work:
    """The arguments of a process that takes one unit's wide pairs."""

    file: Path
    unit: Unit
    split: str
    seed: int
    count: int
    recordings: tuple[Path, ...]


def take_wide(out: Path, order: CaptureOrder, processes: int, recordings: Sequence[Path] = ()) -> None:
    """Take the wide pairs of every unit that has no file of them yet, with progress."""
    folder = out / UNITS_FOLDER
    folder.mkdir(exist_ok=True)
    units = units_for(order.pairs, order.seed)
    work = {
        unit: _Work(_file(out, unit), unit, split, order.seed, count, tuple(recordings))
        for split, counts in wide_counts(units, order.pairs).items()
        for unit, count in counts.items()
        if count and not _file(out, unit).exists()
    }
    in_processes(_take_unit, work, {unit: one.count for unit, one in work.items()}, processes, folder)


def write_wide(out: Path, order: CaptureOrder, sheets: SheetMaker) -> Counter[str]:
    """Write the shards of ``wide``; return the number of pairs of poses left out, by flaw."""
    units = units_for(order.pairs, order.seed)
    flaws: Counter[str] = Counter()
    for split, counts in wide_counts(units, order.pairs).items():
        with ShardWriter(out, "wide", split) as writer:
            for unit in tqdm(shuffled(units, order.seed), desc=f"writing wide {split}", unit=" units"):
                if not counts.get(unit):
                    continue
                table = pq.read_table(_file(out, unit))
                flaws += Counter(json.loads(table.schema.metadata[ABOUT])["flaws"])
                for row in table.to_pylist():
                    writer.add(row)
                    sheets.see_wide(row)
    return flaws


def _take_unit(work: _Work) -> int:
    """Write one unit's file; return the number of pairs that were requested."""
    job = WideRenderJob(work.unit, work.seed, _STREAMS[work.split], work.recordings)
    rows = [_row(pair) for pair in job.pairs(work.count, _TEXTS[work.split])]
    write_whole(work.file, rows, _SCHEMA, json.dumps({"flaws": job.flaws}).encode())
    return work.count


def _row(pair: WidePair) -> dict[str, Any]:
    current, target = (
        Shot(PictureName(pair.uid, moment), picture, joints)
        for moment, picture, joints in zip(MOMENTS, pair.pictures, pair.joints, strict=True)
    )
    row = captioning_row(pair.uid, current, target, pair.texts)
    return wide_row(row, list(pair.places), pair.tilts, placed=pair.placed)


def _file(out: Path, unit: Unit) -> Path:
    return out / UNITS_FOLDER / f"wide{WIDE_VERSION}_{unit}.parquet"
