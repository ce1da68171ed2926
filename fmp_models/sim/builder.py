"""The builder behind ``python -m fmp_models simulate``: from an order to a dataset folder with its card.

Units are processed one at a time, in an order shuffled by the seed, and all splits are written in parallel, so that
memory holds one unit however large the dataset is. The ``wide`` pairs are made separately, so that a finished dataset
gets newer ones without changing a byte of the others.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from tqdm import tqdm

from fmp_models.data import (
    CAPTIONING_SIZES,
    MOMENTS,
    RETRIEVAL_SIZES,
    TEXT_COLUMNS,
    WIDE_FEATURES,
    Candidates,
    Joints,
    PictureName,
    ShardWriter,
    Shot,
    Uid,
    captioning_row,
    choose_candidates,
    draw_captioning,
    draw_retrieval,
    parse_uid,
    retrieval_row,
    retrieval_split,
    scaled_sizes,
    wide_row,
    write_simulated_card,
)
from fmp_models.geometry import Landmark, Plan
from fmp_models.languages import LANGUAGES, grammar, read_plan
from fmp_models.pose import pose_pair
from fmp_models.sim.capture import (
    ABOUT,
    TEXTS,
    UNITS_FOLDER,
    WIDE_VERSION,
    CaptureOrder,
    Unit,
    begin,
    describe_pair,
    finish,
    flawed_text,
    noted,
    on_workers,
    take_units,
    unit_about,
    unit_rows,
    units_for,
    wide_counts,
    wide_is_current,
    write_whole,
)
from fmp_models.sim.motion_capture import RecordedMotion, repertoire
from fmp_models.sim.sheets import SheetMaker
from fmp_models.sim.wide import WidePair, WideRenderJob
from fmp_models.workers import Workers


def build_dataset(out: Path, pairs: int, seed: int, workers: Workers, recordings: Sequence[Path] = ()) -> str:
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
        units = take_units(out, order, workers, recordings)
        take_wide(out, order, workers, recordings)
        drawn = draw(out, units, order)
        sheets = SheetMaker()
        flaws = write(out, units, order, drawn, sheets)
        what = f"{len(drawn.captioning)} captioning pairs, with retrieval and wide pairs"
    elif wide_is_current(out):
        return f"{out} already contains this dataset."
    else:
        take_wide(out, order, workers, recordings)
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


_TEXT = TEXT_COLUMNS[0]
_DRAWN = ["uid", "current_joints", "target_joints", _TEXT]  # the columns of a row that drawing needs
Row = dict[str, Any]


@dataclass(frozen=True)
class DrawnSplits:
    """The split of every pair that is used, and the candidates of the retrieval pairs."""

    captioning: Mapping[Uid, str]
    retrieval: Mapping[Uid, str]
    candidates: Mapping[Uid, Candidates]


def draw(out: Path, units: Sequence[Unit], order: CaptureOrder) -> DrawnSplits:
    """Draw the splits of both tasks from the usable pairs of all units."""
    uids: list[Uid] = []
    candidates: dict[Uid, Candidates] = {}
    for unit in units:
        pool: dict[PictureName, Joints] = {}
        plans: dict[Uid, Plan] = {}
        for row in unit_rows(out, unit, _DRAWN):
            uid = parse_uid(row["uid"])
            uids.append(uid)
            pool.update({PictureName(uid, moment): np.array(row[f"{moment}_joints"]) for moment in MOMENTS})
            plans[uid] = read_plan(row[_TEXT][0], grammar(LANGUAGES[0]))
        # Held-out pictures must not be seen in training, not even as wrong answers.
        trained = {picture: joints for picture, joints in pool.items() if retrieval_split(picture.uid) == "train"}
        for uid in sorted({picture.uid for picture in pool}):
            among = trained if retrieval_split(uid) == "train" else pool
            pair = PictureName(uid, "current"), PictureName(uid, "target")
            chosen = choose_candidates(*pair, among, order.seed, plans[uid])
            if chosen is not None:
                candidates[uid] = chosen
    captioning = draw_captioning(uids, order.seed, scaled_sizes(order.pairs, CAPTIONING_SIZES))
    retrieval = draw_retrieval(candidates, order.seed, scaled_sizes(order.pairs, RETRIEVAL_SIZES))
    return DrawnSplits(_by_uid(captioning), _by_uid(retrieval), candidates)


def write(
    out: Path, units: Sequence[Unit], order: CaptureOrder, drawn: DrawnSplits, sheets: SheetMaker
) -> Counter[str]:
    """Write every shard except those of ``wide``; return the number of captures left out, by flaw."""
    order_of_units = shuffled(units, order.seed)
    flaws: Counter[str] = Counter()
    splits = [("captioning", split) for split in CAPTIONING_SIZES] + [("retrieval", split) for split in RETRIEVAL_SIZES]
    with ExitStack() as stack:
        writers = {key: stack.enter_context(ShardWriter(out, *key)) for key in splits}
        for unit in tqdm(order_of_units, desc="writing", unit=" units"):
            landmarks, left_out = unit_about(out, unit)
            flaws += left_out
            rows = {parse_uid(row["uid"]): row for row in unit_rows(out, unit)}
            for uid, row in rows.items():
                if (split := drawn.captioning.get(uid)) is not None:
                    if split == "val_seen":
                        _add_texts(row, landmarks, order.seed)
                    writers["captioning", split].add(row)
                    sheets.see(row)
            for uid in rows:
                if (split := drawn.retrieval.get(uid)) is not None:
                    writers["retrieval", split].add(_retrieval_row(uid, rows, drawn.candidates[uid]))
    return flaws


def shuffled(units: Sequence[Unit], seed: int) -> list[Unit]:
    """Return the units in the order in which they are written."""
    return [units[number] for number in np.random.default_rng([seed, 5]).permutation(len(units))]


def _by_uid(drawn: Mapping[str, Sequence[Uid]]) -> dict[Uid, str]:
    return {uid: split for split, uids in drawn.items() for uid in uids}


def _add_texts(row: Row, landmarks: Sequence[Landmark], seed: int) -> None:
    """Add the missing texts to a pair of a training room that was drawn for evaluation."""
    poses = pose_pair(row["current_joints"], row["target_joints"])
    uid = parse_uid(row["uid"])
    tries = (
        describe_pair(poses, landmarks, uid, which, seed) for which in itertools.count(len(row["descriptions_en"]))
    )
    proper = (descriptions for descriptions in tries if not flawed_text(descriptions))
    for descriptions in itertools.islice(proper, TEXTS - len(row["descriptions_en"])):
        for code in LANGUAGES:
            row[f"descriptions_{code}"].append(descriptions[code].text)


def _retrieval_row(uid: Uid, rows: Mapping[Uid, Row], candidates: Candidates) -> Row:
    """Return the retrieval row of a pair; as in the release, it has one description, the first."""
    texts = {code: rows[uid][f"descriptions_{code}"][:1] for code in LANGUAGES}
    shots = [_shot(rows, picture) for picture in candidates.pictures]
    return retrieval_row(uid, _shot(rows, PictureName(uid, "current")), shots, candidates.answer, texts)


def _shot(rows: Mapping[Uid, Row], picture: PictureName) -> Shot:
    row = rows[picture.uid]
    return Shot(picture, row[picture.moment]["bytes"], np.array(row[f"{picture.moment}_joints"]))


_STREAMS = {"train": 6, "test_unseen": 7}  # evaluation pairs use other random numbers
_TEXTS = {"train": 1, "test_unseen": TEXTS}
_SCHEMA = WIDE_FEATURES.arrow_schema.remove_metadata()


@dataclass(frozen=True)
class _Work:
    """The arguments of a process that takes one unit's wide pairs."""

    file: Path
    unit: Unit
    split: str
    seed: int
    count: int
    recordings: tuple[Path, ...]


def take_wide(out: Path, order: CaptureOrder, workers: Workers, recordings: Sequence[Path] = ()) -> None:
    """Take the wide pairs of every unit that has no file of them yet, with progress."""
    folder = out / UNITS_FOLDER
    folder.mkdir(exist_ok=True)
    units = units_for(order.pairs, order.seed)
    files = tuple(path.resolve() for path in recordings)
    work = {
        unit: _Work(_file(out, unit).resolve(), unit, split, order.seed, count, files)
        for split, counts in wide_counts(units, order.pairs).items()
        for unit, count in counts.items()
        if count and not _file(out, unit).exists()
    }
    on_workers(_take_unit, work, {unit: one.count for unit, one in work.items()}, workers, folder)


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
