"""The common schema of simulated and official pairs, and functions that build its rows.

Joints are lists of fixed length: they hold nulls and come back as nested lists, eagerly and streamed alike, and as
``(20, 3)`` float32 arrays with the numpy format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import datasets
import numpy as np
from numpy.typing import NDArray

from fmp_models.data.uids import PictureName, Uid
from fmp_models.pose import JOINTS

Joints = NDArray[np.floating]
CANDIDATES = 10

_TEXTS = datasets.List(datasets.Value("string"))
_JOINTS = datasets.List(datasets.List(datasets.Value("float32"), length=3), length=len(JOINTS))
_PLACES = datasets.List(datasets.List(datasets.Value("float32"), length=2), length=len(JOINTS))
_NUMBER = datasets.Value("int32")

CAPTIONING = datasets.Features(
    uid=datasets.Value("string"),
    current=datasets.Image(),
    target=datasets.Image(),
    current_joints=_JOINTS,
    target_joints=_JOINTS,
    descriptions_en=_TEXTS,
    descriptions_hi=_TEXTS,
    animation=_NUMBER,
    room=_NUMBER,
    character=_NUMBER,
)
RETRIEVAL = datasets.Features(
    **CAPTIONING,
    candidates=datasets.List(datasets.Image(), length=CANDIDATES),
    candidate_joints=datasets.List(_JOINTS, length=CANDIDATES),
    answer=_NUMBER,
)
WIDE = datasets.Features(
    **CAPTIONING,
    current_places=_PLACES,
    target_places=_PLACES,
    current_pitch=datasets.Value("float32"),
    target_pitch=datasets.Value("float32"),
    current_roll=datasets.Value("float32"),
    target_roll=datasets.Value("float32"),
    placed=datasets.Value("bool"),
)
FEATURES: dict[str, datasets.Features] = {"captioning": CAPTIONING, "wide": WIDE, "retrieval": RETRIEVAL}

ESTIMATED = "estimated_joints"  # the configuration of joints that an estimator measured, one row a picture
ESTIMATED_JOINTS = datasets.Features(
    picture=datasets.Value("string"),
    sha256=datasets.Value("string"),
    estimated_joints=_JOINTS,
    image_joints=_PLACES,
    visibility=datasets.List(datasets.Value("float32"), length=len(JOINTS)),
    estimator=datasets.Value("string"),
)


@dataclass(frozen=True)
class Shot:
    """One picture: the bytes of its file, and ``joints`` (20, 3) metres in the camera frame; ``None`` if missing."""

    picture: PictureName
    data: bytes | None = None
    joints: Joints | None = None
    ending: str = "jpg"

    @property
    def image(self) -> dict[str, object] | None:
        """The value of an image column."""
        return None if self.data is None else {"bytes": self.data, "path": f"{self.picture}.{self.ending}"}

    @property
    def joint_lists(self) -> list[list[float]] | None:
        """The value of a joint column."""
        return None if self.joints is None else np.asarray(self.joints, dtype=np.float32).tolist()


def captioning_row(
    uid: Uid, current: Shot, target: Shot, descriptions: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """Return one row of ``captioning``; ``descriptions`` holds the texts under ``en`` and ``hi``."""
    return {
        "uid": str(uid),
        "current": current.image,
        "target": target.image,
        "current_joints": current.joint_lists,
        "target_joints": target.joint_lists,
        "descriptions_en": list(descriptions["en"]),
        "descriptions_hi": list(descriptions["hi"]),
        "animation": uid.animation,
        "room": uid.room,
        "character": uid.character,
    }


def wide_row(
    row: Mapping[str, object], places: Sequence[Joints], tilts: Sequence[tuple[float, float]], *, placed: bool
) -> dict[str, object]:
    """Return a ``wide`` row: a ``captioning`` row, joint places (20, 2) in pixels, and (pitch, roll) in degrees."""
    current, target = (np.asarray(joints, dtype=np.float32).tolist() for joints in places)
    return {
        **row,
        "current_places": current,
        "target_places": target,
        "current_pitch": float(tilts[0][0]),
        "target_pitch": float(tilts[1][0]),
        "current_roll": float(tilts[0][1]),
        "target_roll": float(tilts[1][1]),
        "placed": placed,
    }


def retrieval_row(
    uid: Uid, current: Shot, candidates: Sequence[Shot], answer: int, descriptions: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """Return one row of ``retrieval``: ten candidates; the target has the index ``answer``."""
    return {
        **captioning_row(uid, current, candidates[answer], descriptions),
        "candidates": [candidate.image for candidate in candidates],
        "candidate_joints": [candidate.joint_lists for candidate in candidates],
        "answer": answer,
    }
