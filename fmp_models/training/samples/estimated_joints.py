"""Estimated joints of a dataset's pictures, by picture number; training can mix them with the true joints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.estimated import PictureKey, estimated_rows, key_of
from fmp_models.data.features import ESTIMATED
from fmp_models.data.folder import PICTURES
from fmp_models.errors import BadInputError
from fmp_models.pose import JOINTS
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Dataset, fingerprint
from fmp_models.training.samples.pictures import picture_hashes

PARTS = ((ESTIMATED, PICTURES),)


@dataclass(frozen=True)
class EstimatedJoints:
    """Estimates in p pictures: ``joints`` (p, 20, 3) in metres relative to the hip; zeros where no person was found.

    ``places`` (p, 20, 2) are pixels, NaN where no person was found; ``known`` (p,) marks pictures with a person.
    """

    joints: NDArray[np.float32]
    places: NDArray[np.float32]
    known: NDArray[np.bool_]

    def at(self, pictures: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the joints (..., 20, 3) of these picture numbers (...), and which are known (...)."""
        known = self.known[pictures] & (pictures != NO_PICTURE)
        return np.where(known[..., None, None], self.joints[pictures], 0).astype(np.float32), known


def read_estimated_joints(dataset: Dataset, cache: Path) -> EstimatedJoints:
    """Read the joints that ``measure-joints`` estimated in every picture of ``dataset``.

    Raises :class:`BadInputError` (``joints_unmeasured``) if they were not estimated in every picture, for example in
    one that was added later.
    """
    rows = {key_of(row): row for row in estimated_rows(dataset.folder)}
    keys = [PictureKey(*key) for key in zip(dataset.pictures.names, picture_hashes(dataset, cache), strict=True)]
    lacking = sum(key not in rows for key in keys)
    if lacking:
        raise BadInputError("joints_unmeasured", path=str(dataset.folder), count=lacking)
    picture_rows = [rows[key] for key in keys]
    known = np.array([row["estimated_joints"] is not None for row in picture_rows], dtype=np.bool_)
    places = np.full((len(picture_rows), len(JOINTS), 2), np.nan, dtype=np.float32)
    joints = np.zeros((len(picture_rows), len(JOINTS), 3), dtype=np.float32)
    if known.any():
        joints[known] = [row["estimated_joints"] for row in picture_rows if row["estimated_joints"] is not None]
        places[known] = [row["image_joints"] for row in picture_rows if row["estimated_joints"] is not None]
    return EstimatedJoints(joints, places, known)


def estimated_fingerprint(folder: Path) -> str:
    """Return a hash of all estimated joints of a dataset."""
    return fingerprint(folder, PARTS)
