"""Pairs of the simulator's drawn poses with texts in every language, seen by randomly tilted cameras; no pictures.

They cover every family of poses in every view, which recorded movements do not.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from fmp_models.data.camera import tilted
from fmp_models.errors import BadInputError
from fmp_models.training.samples.dataset_samples import NO_PICTURE, Samples
from fmp_models.training.texts.augmentation import Texts
from fmp_models.training.texts.recombination import described_pairs, telling
from fmp_models.training.texts.shape_texts import NAMED, shape_texts


@dataclass(frozen=True)
class DrawnPairs:
    """Drawn pairs: ``joints`` (n, 2, 20, 3) in metres, levelled, and ``texts`` by language that describe them.

    ``camera_joints`` are the same joints in the camera frames.
    """

    joints: NDArray[np.float32]
    camera_joints: NDArray[np.float32]
    texts: Texts


def described_drawn_pairs(count: int, seed: int, cache: Path, recordings: Sequence[Path] = ()) -> DrawnPairs:
    """Return ``count`` pairs; each pose has its own origin, as in photographs, so no text mentions a step.

    The texts are kept in ``cache``. Raises :class:`BadInputError` (``folder_unusable``, ``simulator_missing``, and
    the errors of reading ``recordings``).
    """
    pairs = _drawn_poses().seen_pairs([seed, count], count, recordings)
    camera_joints = tilted(pairs.joints, pairs.pitch, pairs.roll).astype(np.float32)
    return DrawnPairs(
        pairs.joints, camera_joints, described_pairs(pairs.joints, seed, cache, np.zeros(count, dtype=np.bool_))
    )


def described_shape_pairs(count: int, seed: int, cache: Path) -> tuple[DrawnPairs, NDArray[np.bool_]]:
    """Return ``count`` pairs into named shapes, and which shapes each text means by its name alone (n, shapes).

    The pairs and texts are kept in ``cache``. Raises the errors of ``described_drawn_pairs``.
    """
    seen_shape_pairs = _drawn_poses().seen_shape_pairs
    path = cache / f"shapes-{count}-{seed}-{telling()[:16]}.npz"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{path}.lock"):
            if not path.is_file():
                pairs = seen_shape_pairs([seed, count], count, NAMED)
                camera_joints = tilted(pairs.joints, pairs.pitch, pairs.roll).astype(np.float32)
                told = shape_texts(pairs.joints, seed)
                part = path.with_suffix(".part")
                with part.open("wb") as file:
                    np.savez(file, pairs.joints, camera_joints, told.meant, json.dumps(told.texts))
                part.replace(path)
        with np.load(path) as kept:
            joints, camera_joints, meant, texts = (kept[name] for name in kept.files)
    except OSError:
        raise BadInputError("folder_unusable", path=str(cache)) from None
    by_language = {code: tuple(map(tuple, of_code)) for code, of_code in json.loads(str(texts)).items()}
    return DrawnPairs(joints, camera_joints, by_language), meant


def drawn_samples(count: int, seed: int, cache: Path) -> Samples:
    """Return ``count`` drawn pairs (k = 2) in the camera frame, without pictures.

    Raises the errors of :func:`described_drawn_pairs`.
    """
    drawn = described_drawn_pairs(count, seed, cache)
    nobody = np.full(count, -1, dtype=np.int64)
    return Samples(
        uids=tuple(f"drawn_{i}" for i in range(count)),
        pictures=np.full((count, 2), NO_PICTURE, dtype=np.int64),
        joints=drawn.camera_joints,
        known=np.ones((count, 2), dtype=np.bool_),
        texts=drawn.texts,
        animations=nobody,
        rooms=nobody,
        characters=nobody,
        answers=nobody,
        placed=np.zeros(count, dtype=np.bool_),
    )


def _drawn_poses() -> ModuleType:
    try:
        # The simulator's dependencies are installed for development only.
        from fmp_models.sim import drawn_poses  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise BadInputError("simulator_missing", library=str(missing.name)) from None
    return drawn_poses
