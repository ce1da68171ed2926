"""Poses of pairs, read from the release's joint files or from a dataset."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.common.refusals import one_line
from fmp_models.data.folder import contents, read_rows
from fmp_models.data.released.joints import read_joints
from fmp_models.data.uids import MOMENTS
from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded
from fmp_models.pose import PosePair, pose_pair

_MAX_BYTES = 1_000_000  # per joint file; the release's have 65 short lines
_COLUMNS = ("uid", *(f"{moment}_joints" for moment in MOMENTS))


def find_poses(folder: Path, uids: Sequence[str]) -> list[PosePair | None]:
    """Return the poses of the pairs ``uids``, both in one camera's frame; ``None`` for one that the folder lacks.

    The folder has the formats that ``moved_joints.find_moved`` accepts. Raises ``BadInputError``
    (``joints_unreadable``) for a damaged file.
    """
    pairs = dict(_from_files(folder, uids)) or dict(_from_dataset(folder, set(uids)))
    return [pairs.get(uid) for uid in uids]


def _from_files(folder: Path, uids: Sequence[str]) -> Iterator[tuple[str, PosePair]]:
    for uid in uids:
        paths = [folder / f"{moment}_{uid}.txt" for moment in MOMENTS]
        if uid == Path(uid).name and all(path.is_file() for path in paths):
            yield uid, pose_pair(*map(_read, paths))


def _read(path: Path) -> np.ndarray:
    try:
        return read_joints(read_bounded(path, _MAX_BYTES).decode("utf-8-sig"))
    except ValueError as error:
        raise BadInputError("joints_unreadable", path=str(path), reason=one_line(error)) from None


def _from_dataset(folder: Path, uids: Collection[str]) -> Iterator[tuple[str, PosePair]]:
    for uid, joints in joints_of_pairs(folder, uids):
        yield uid, pose_pair(*(np.array(points, dtype=np.float64) for points in joints))


def joints_of_pairs(folder: Path, uids: Collection[str]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the stored joints of both pictures for those pairs ``uids`` that the dataset in ``folder`` has.

    Raises ``KeyError`` if the dataset has no such column.
    """
    for config, splits in contents(folder).items():
        for split in splits:
            for row in read_rows(folder, config, split, _COLUMNS):
                joints = [row[column] for column in _COLUMNS[1:]]
                if str(row["uid"]) in uids and None not in joints:
                    yield str(row["uid"]), joints
