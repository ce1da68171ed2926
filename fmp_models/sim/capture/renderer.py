"""Parallel capture of units, with finished units kept.

Every unit becomes one file under ``OUT/.units``, written atomically, so a run that was killed resumes where it stopped.
The order (pairs, seed, recordings) determines every byte; the number of processes has no influence.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from fmp_models.data.features import CAPTIONING, Shot, captioning_row
from fmp_models.data.folder import NOTE
from fmp_models.data.splits import PAIRS
from fmp_models.data.uids import MOMENTS, PictureName
from fmp_models.errors import BadInputError
from fmp_models.geometry.landmarks import Landmark
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.processes import end_with_parent
from fmp_models.sim.capture.render_job import RenderedPair, RenderJob, describe_pair, flawed_text
from fmp_models.sim.capture.schedule import Unit, captures_of, share_for, units_for
from fmp_models.sim.motions import repertoire

VERSION = 1  # of the result of an order; increase it with every change that alters pictures or texts
WIDE_VERSION = (
    2  # of the wide pairs only: a finished folder with an older version gets new wide pairs, and nothing else
)
TEXTS = 3  # descriptions of an evaluation pair
UNITS_FOLDER = ".units"
ABOUT = b"fixmypose"


@dataclass(frozen=True)
class CaptureOrder:
    """The order: captioning pairs over all splits, the seed, and the SHA-256 of each recording used."""

    pairs: int = PAIRS
    seed: int = 0
    recordings: list[str] = field(default_factory=list)
    version: int = VERSION


Work = TypeVar("Work")


def take_units(out: Path, order: CaptureOrder, processes: int, recordings: Sequence[Path] = ()) -> list[Unit]:
    """Capture every unit of the order that has no file yet, with progress; return all units."""
    motions = repertoire(recordings)
    units = units_for(order.pairs, order.seed)
    folder = out / UNITS_FOLDER
    folder.mkdir(exist_ok=True)
    left = [unit for unit in units if not _file(out, unit).exists()]
    share = share_for(order.pairs, units, motions)
    work = [_Work(out, unit, order.seed, share, tuple(recordings)) for unit in left]
    in_processes(
        _take_unit,
        {work.unit: work for work in work},
        {unit: len(captures_of(unit, order.seed, share, motions)) for unit in left},
        processes,
        folder,
    )
    return units


def in_processes(
    take: Callable[[Work], int], work: Mapping[Unit, Work], counts: Mapping[Unit, int], processes: int, folder: Path
) -> None:
    """Run ``take`` for every unit in a process pool, with progress; ``take`` returns how many pairs are done."""
    for stale in folder.glob("*.part"):
        stale.unlink()
    # Dressing a character is slow, so its units are submitted together.
    units = sorted(work, key=lambda unit: (unit.character, unit.room))
    _one_thread_each()
    with (
        tqdm(total=sum(counts.values()), unit=" pairs", desc="taking pictures", disable=not units) as bar,
        ProcessPoolExecutor(
            min(processes, max(len(units), 1)), mp_context=get_context("spawn"), initializer=end_with_parent
        ) as pool,
    ):
        jobs = [pool.submit(take, work[unit]) for unit in units]
        try:
            for job in as_completed(jobs):
                bar.update(job.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def unit_rows(out: Path, unit: Unit, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Return the usable pairs of a unit, as rows of the captioning schema."""
    rows: list[dict[str, Any]] = pq.read_table(_file(out, unit), columns=columns).to_pylist()
    return rows


def unit_about(out: Path, unit: Unit) -> tuple[list[Landmark], Counter[str]]:
    """Return the landmarks of a unit, and the number of captures left out for each flaw."""
    about = json.loads(pq.read_schema(_file(out, unit)).metadata[ABOUT])
    landmarks = [Landmark(kind, tuple(place), radius) for kind, place, radius in about["landmarks"]]
    return landmarks, Counter(about["flaws"])


def finish(out: Path, order: CaptureOrder, facts: Mapping[str, Any]) -> None:
    """Record in the folder that it is complete, and delete the units' files."""
    _write_order(out, {**asdict(order), "finished": True, "wide": WIDE_VERSION, **facts})
    _let_go(out)


def begin(out: Path, order: CaptureOrder) -> bool:
    """Record the order in an empty folder, or check that it matches the recorded one; return whether it is finished.

    Raises :class:`BadInputError` if ``out`` holds something else or cannot be written.
    """
    note = out / NOTE
    try:
        out.mkdir(parents=True, exist_ok=True)
        if note.exists():
            begun = json.loads(note.read_text(encoding="utf-8"))
            if {key: begun.get(key) for key in asdict(order)} != asdict(order):
                raise BadInputError("folder_other_order", path=str(out))
            if (finished := bool(begun.get("finished"))) and begun.get("wide") == WIDE_VERSION:
                _let_go(out)
            return finished
        if any(path.name != f"{NOTE}.part" for path in out.iterdir()):
            raise BadInputError("folder_not_empty", path=str(out))
        _write_order(out, asdict(order))
    except (OSError, ValueError, AttributeError):
        raise BadInputError("folder_unusable", path=str(out)) from None
    return False


def wide_is_current(out: Path) -> bool:
    """Return whether the wide pairs of a finished folder are of the current version."""
    return bool(noted(out).get("wide") == WIDE_VERSION)


def noted(out: Path) -> dict[str, Any]:
    """Return the content of the folder's note."""
    note: dict[str, Any] = json.loads((out / NOTE).read_text(encoding="utf-8"))
    return note


def _let_go(out: Path) -> None:
    """Delete the units' files, which a finished folder does not need."""
    shutil.rmtree(out / UNITS_FOLDER, ignore_errors=True)


def _write_order(out: Path, facts: Mapping[str, Any]) -> None:
    part = out / f"{NOTE}.part"
    part.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    part.replace(out / NOTE)


def _file(out: Path, unit: Unit) -> Path:
    return out / UNITS_FOLDER / f"pairs_{unit}.parquet"


def _one_thread_each() -> None:
    """Limit every process to one thread: the processes already use all cores."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LP_NUM_THREADS"):
        os.environ[variable] = "1"


@dataclass(frozen=True)
class _Work:
    """The arguments of a process that captures one unit."""

    out: Path
    unit: Unit
    seed: int
    share: float
    recordings: tuple[Path, ...]


def _take_unit(work: _Work) -> int:
    """Write one unit's file; return the number of captures tried."""
    motions = repertoire(work.recordings)
    job = RenderJob(work.unit, motions)
    tried = captures_of(work.unit, work.seed, work.share, motions)
    flaws: Counter[str] = Counter()
    rows = []
    for capture in tried:
        taken = job.take(capture)
        if taken.flaw is None and (row := _row(taken, job, work.seed)):
            rows.append(row)
        else:
            flaws[taken.flaw or "text"] += 1
    landmarks = [(mark.kind, [float(x) for x in mark.place], mark.radius) for mark in job.landmarks]
    about = json.dumps({"landmarks": landmarks, "flaws": flaws}).encode()
    write_whole(_file(work.out, work.unit), rows, _SCHEMA, about)
    return len(tried)


def write_whole(file: Path, rows: Sequence[Mapping[str, Any]], schema: pa.Schema, about: bytes) -> None:
    """Write rows as a unit's file atomically."""
    table = pa.Table.from_pylist(list(rows), schema=schema).replace_schema_metadata({ABOUT: about})
    part = file.with_suffix(f".{os.getpid()}.part")
    pq.write_table(table, part)
    part.replace(file)


def _row(taken: RenderedPair, job: RenderJob, seed: int) -> dict[str, Any] | None:
    """Return a row of the captioning schema; ``None`` if a text breaks a writing rule."""
    count = 1 if job.unit.split == "train" else TEXTS
    uid = taken.capture.uid
    descriptions = [describe_pair(taken.poses, job.landmarks, uid, which, seed) for which in range(count)]
    if any(flawed_text(texts) for texts in descriptions):
        return None
    current, target = (
        Shot(PictureName(uid, moment), picture, joints)
        for moment, picture, joints in zip(MOMENTS, taken.pictures, taken.joints, strict=True)
    )
    texts = {code: [each[code].text for each in descriptions] for code in LANGUAGES}
    return captioning_row(uid, current, target, texts)


_SCHEMA = CAPTIONING.arrow_schema.remove_metadata()
