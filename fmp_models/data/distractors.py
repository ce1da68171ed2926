"""The ten candidates of a retrieval row, by the five rules of the paper's Appendix A.

(1) The target lies further than 10 cm from the current pose; (2) each distractor lies 10 cm to 1 m from the target and
(3) nearer than 2 m to the current pose; (4) the current picture is one of them; (5) all show the same room and
character, and as in the release the same spot. A distance is the mean over the 20 joints, in the camera frame.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fmp_models.data.features import CANDIDATES, Joints
from fmp_models.data.uids import PictureName

NEAREST = 0.10  # metres between the target and anything else
FURTHEST_FROM_TARGET = 1.0
FURTHEST_FROM_CURRENT = 2.0


@dataclass(frozen=True)
class Candidates:
    """Ten distinct pictures in the order in which they are shown, and the index of the target."""

    pictures: tuple[PictureName, ...]
    answer: int


def mean_distance(a: Joints, b: Joints) -> NDArray[np.float64]:
    """Return the mean joint distance (...,) in metres between poses (..., 20, 3), without aligning them."""
    return np.asarray(np.linalg.norm(np.subtract(a, b, dtype=np.float64), axis=-1).mean(axis=-1))


def acceptable(current: Joints, target: Joints, others: Joints) -> NDArray[np.bool_]:
    """Return a mask of the ``others`` (n, 20, 3) that fulfil rules 2 and 3; all False if the pair breaks rule 1."""
    from_target = mean_distance(others, target)
    from_current = mean_distance(others, current)
    return np.asarray(
        (mean_distance(current, target) > NEAREST)
        & (from_target >= NEAREST)
        & (from_target <= FURTHEST_FROM_TARGET)
        & (from_current < FURTHEST_FROM_CURRENT)
    )


def choose_candidates(
    current: PictureName, target: PictureName, pool: Mapping[PictureName, Joints], seed: int
) -> Candidates | None:
    """Draw ten candidates from ``pool``, which holds both pictures; return ``None`` if too few fulfil the rules.

    ``pool`` maps pictures to joints (20, 3). Pictures of other rooms, characters or spots are ignored.
    """
    pictures = sorted(
        picture for picture in pool if picture != target and _place(picture) == _place(target) == _place(current)
    )
    if len(pictures) < CANDIDATES - 1:
        return None
    fits = acceptable(pool[current], pool[target], np.stack([pool[picture] for picture in pictures]))
    fitting = [picture for picture, fit in zip(pictures, fits, strict=True) if fit]
    if current not in fitting or len(fitting) < CANDIDATES - 1:
        return None
    lot = random.Random(f"{seed} {target}")
    drawn = [current, *lot.sample([picture for picture in fitting if picture != current], CANDIDATES - 2)]
    lot.shuffle(drawn)
    answer = lot.randrange(CANDIDATES)
    return Candidates((*drawn[:answer], target, *drawn[answer:]), answer)


def _place(picture: PictureName) -> tuple[int, int, int]:
    return picture.uid.room, picture.uid.character, picture.uid.spot
