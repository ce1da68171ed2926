"""Assembly of a dataset folder from captured units: draw splits, choose candidates, write shards.

Units are processed one at a time, in an order shuffled by the seed, and all splits are written in parallel, so that
memory holds one unit however large the dataset is.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from fmp_models.data.distractors import Candidates, choose_candidates
from fmp_models.data.features import Joints, Shot, retrieval_row
from fmp_models.data.folder import ShardWriter
from fmp_models.data.splits import (
    CAPTIONING_SIZES,
    RETRIEVAL_SIZES,
    draw_captioning,
    draw_retrieval,
    retrieval_split,
    scaled_sizes,
)
from fmp_models.data.uids import MOMENTS, PictureName, Uid, parse_uid
from fmp_models.geometry.landmarks import Landmark
from fmp_models.languages.language_data import LANGUAGES
from fmp_models.pose import pose_pair
from fmp_models.sim.capture.render_job import describe_pair, flawed_text
from fmp_models.sim.capture.renderer import TEXTS, CaptureOrder, unit_about, unit_rows
from fmp_models.sim.capture.schedule import Unit
from fmp_models.sim.capture.sheets import SheetMaker

_DRAWN = ["uid", "current_joints", "target_joints"]  # the columns of a row that drawing needs
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
        for row in unit_rows(out, unit, _DRAWN):
            uid = parse_uid(row["uid"])
            uids.append(uid)
            pool.update({PictureName(uid, moment): np.array(row[f"{moment}_joints"]) for moment in MOMENTS})
        # Held-out pictures must not be seen in training, not even as wrong answers.
        trained = {picture: joints for picture, joints in pool.items() if retrieval_split(picture.uid) == "train"}
        for uid in sorted({picture.uid for picture in pool}):
            among = trained if retrieval_split(uid) == "train" else pool
            chosen = choose_candidates(PictureName(uid, "current"), PictureName(uid, "target"), among, order.seed)
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
