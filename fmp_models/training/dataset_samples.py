"""Arrays of a dataset folder: joints, texts and picture numbers; each picture has one number.

The pictures stay in the folder; :mod:`fmp_models.training.pictures` reads them by number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fmp_models.data import (
    CANDIDATE_COUNT,
    MOMENTS,
    REAL,
    SPLITS,
    Uid,
    captioning_split,
    column_names,
    parse_uid,
    read_rows,
    retrieval_split,
    split_shards,
)
from fmp_models.errors import BadInputError
from fmp_models.languages import LANGUAGES
from fmp_models.pose import JOINTS, PosePair, pose_pair

Task = Literal["captioning", "retrieval"]
TRAIN = "train"
WIDE_TEST = "wide_test_unseen"  # the wide pairs for evaluation, a captioning split with its own name
# Splits of other configurations that captioning is evaluated on, by the names that a request gives them.
_ELSEWHERE = {WIDE_TEST: ("wide", "test_unseen"), REAL: (REAL, REAL)}
NO_PICTURE = -1
UNKNOWN = -1  # the animation, room and character of pairs that are not of one person in one room

_SPLIT_OF: Mapping[str, Callable[[Uid], str]] = {"captioning": captioning_split, "retrieval": retrieval_split}
_ABOUT = ("animation", "room", "character")


def places_of(moment: str) -> str:
    """Return the name of the optional column with the joints' places in a picture of a row."""
    return f"{moment}_places"


_OWN_CAMERA = (
    "placed",
    *map(places_of, MOMENTS),
    *(f"{moment}_{angle}" for moment in MOMENTS for angle in ("pitch", "roll")),
)


def _nothing() -> NDArray[np.bool_]:
    return np.zeros(0, dtype=np.bool_)


@dataclass(frozen=True)
class Samples:
    """``n`` pairs (k = 2: current, target) or retrieval queries (k = 11: current, ten candidates).

    ``pictures`` (n, k) are numbers of :class:`PictureList`, :data:`NO_PICTURE` where there is none. ``joints`` (n, k,
    20, 3) are metres in the camera frame, zeros where they are not ``known`` (n, k). ``texts`` are by language,
    several for each sample. ``animations``, ``rooms`` and ``characters`` (n,) can be :data:`UNKNOWN`. ``answers`` (n,)
    are indices of candidates from 0, -1 for pairs. ``placed`` (n,) is true if one camera took all pictures, so that
    joints can be compared in space; this is the default.
    """

    uids: tuple[str, ...]
    pictures: NDArray[np.int64]
    joints: NDArray[np.float32]
    known: NDArray[np.bool_]
    texts: Mapping[str, tuple[tuple[str, ...], ...]]
    animations: NDArray[np.int64]
    rooms: NDArray[np.int64]
    characters: NDArray[np.int64]
    answers: NDArray[np.int64]
    placed: NDArray[np.bool_] = field(default_factory=_nothing)

    def __post_init__(self) -> None:
        """Set ``placed`` to true for all samples if it was not given."""
        if len(self.placed) != len(self.uids):
            object.__setattr__(self, "placed", np.ones(len(self.uids), dtype=np.bool_))

    def __len__(self) -> int:
        """Return the number of pairs or queries."""
        return len(self.uids)

    def subset(self, rows: Sequence[int] | NDArray[np.integer]) -> Samples:
        """Return the samples of these rows, in this order."""
        indices = np.asarray(rows, dtype=np.int64)
        arrays = {
            entry.name: getattr(self, entry.name)[indices]
            for entry in fields(self)
            if entry.name not in {"uids", "texts"}
        }
        texts = {code: tuple(of_language[row] for row in indices) for code, of_language in self.texts.items()}
        return replace(self, uids=tuple(self.uids[row] for row in indices), texts=texts, **arrays)

    def pose_pairs(self, *, placed: bool = True) -> list[PosePair | None]:
        """Return the poses of every pair (k = 2); None where joints are unknown.

        Without ``placed`` every pose has its own origin.
        """
        return [
            pose_pair(*joints, placed=placed and bool(together)) if known.all() else None
            for joints, known, together in zip(self.joints, self.known, self.placed, strict=True)
        ]

    def joined(self, others: Samples) -> Samples:
        """Return these samples followed by ``others``, which must have the same number of pictures per sample."""
        arrays = {
            entry.name: np.concatenate([getattr(self, entry.name), getattr(others, entry.name)])
            for entry in fields(self)
            if entry.name not in {"uids", "texts"}
        }
        texts = {code: (*of_language, *others.texts[code]) for code, of_language in self.texts.items()}
        return replace(self, uids=(*self.uids, *others.uids), texts=texts, **arrays)


@dataclass(frozen=True)
class PictureList:
    """Every picture once, in the order of the shards, with its joints and camera.

    ``names`` are the release's, without extension. ``joints`` (p, 20, 3) are metres in the camera frame, zeros where
    they are not ``known`` (p,). ``places`` (p, 20, 2) are the joints' pixels; NaN if they follow only from the camera
    that the picture's name implies. ``tilts`` (p, 2) are degrees (pitch, roll) of the camera relative to the joints'
    levelled frame.
    """

    names: tuple[str, ...]
    joints: NDArray[np.float32]
    known: NDArray[np.bool_]
    places: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, len(JOINTS), 2), dtype=np.float32))
    tilts: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.float32))

    def __post_init__(self) -> None:
        """Set missing places to NaN and missing tilts to zero."""
        if len(self.places) != len(self.names):
            object.__setattr__(self, "places", np.full((len(self.names), len(JOINTS), 2), np.nan, dtype=np.float32))
        if len(self.tilts) != len(self.names):
            object.__setattr__(self, "tilts", np.zeros((len(self.names), 2), dtype=np.float32))

    def __len__(self) -> int:
        """Return the number of pictures."""
        return len(self.names)


@dataclass(frozen=True)
class Dataset:
    """The splits of one task by name, and their pictures; ``parts`` are the (config, split) that were read."""

    folder: Path
    parts: tuple[tuple[str, str], ...]
    pictures: PictureList
    splits: Mapping[str, Samples]

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the shards, different for other data."""
        return fingerprint(self.folder, self.parts)


def dataset_parts(task: Task, splits: Sequence[str], *, wide: bool = False) -> tuple[tuple[str, str], ...]:
    """Return the (config, split) that :func:`read_dataset` reads for the same arguments, in order."""
    with_wide = wide and task == "captioning"
    return tuple(
        part
        for split in splits
        for part in (
            (_ELSEWHERE[split],)
            if split in _ELSEWHERE
            else tuple((config, split) for config in ((task, "wide") if with_wide and split == TRAIN else (task,)))
        )
    )


def fingerprint(folder: Path, parts: Sequence[tuple[str, str]]) -> str:
    """Return a hash of the shards of these (config, split)."""
    digest = hashlib.sha256()
    for config, split in parts:
        for shard in split_shards(folder / config, split):
            with shard.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{config}/{shard.name} {content}\n".encode())
    return digest.hexdigest()


def read_dataset(folder: Path, task: Task, splits: Sequence[str], *, wide: bool = False) -> Dataset:
    """Read the named splits of a task; ``wide`` adds the simulator's wide pairs to ``train`` of captioning.

    :data:`WIDE_TEST` names the wide pairs that are never trained on, ``test_real`` people's photographs.

    Raises :class:`BadInputError`: ``dataset_without`` a split, ``uid_malformed``, and ``training_held_out`` for a
    training pair that is also used in evaluation, or whose room (captioning) or animation (retrieval) is.
    """
    held_out = {
        row["uid"]: split
        for split in SPLITS
        for config in (task, "wide")
        if split != TRAIN
        for row in read_rows(folder, config, split, ["uid"])
    }
    pictures = _Pictures()
    samples_by_split: dict[str, Samples] = {}
    parts = dataset_parts(task, splits, wide=wide)
    for config, split in parts:
        samples = _read_split(folder, config, split, pictures)
        if split == TRAIN:
            _check_held_out(samples, task, held_out)
        name = next((name for name, part in _ELSEWHERE.items() if part == (config, split)), split)
        samples_by_split[name] = samples_by_split[name].joined(samples) if name in samples_by_split else samples
    return Dataset(folder, parts, pictures.listed(), samples_by_split)


class _Pictures:
    """A list of pictures that assigns a number to each new name."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._joints: list[Any] = []
        self._views: list[_View] = []

    def number(self, name: str, joints: object, view: _View | None = None) -> int:
        if name not in self._numbers:
            self._numbers[name] = len(self._numbers)
            self._joints.append(joints)
            self._views.append(view or _View())
        return self._numbers[name]

    def listed(self) -> PictureList:
        nowhere = np.full((len(JOINTS), 2), np.nan)
        places = [nowhere if view.places is None else np.asarray(view.places) for view in self._views]
        return PictureList(
            tuple(self._numbers),
            *_joint_arrays(self._joints),
            np.array(places, dtype=np.float32).reshape(-1, len(JOINTS), 2),
            np.array([view.tilt for view in self._views], dtype=np.float32).reshape(-1, 2),
        )


@dataclass(frozen=True)
class _View:
    """A picture's own camera, if its row has one: the joints' places (20, 2) and degrees (pitch, roll)."""

    places: Any = None
    tilt: tuple[float, float] = (0.0, 0.0)


def _view(row: Mapping[str, Any], moment: str) -> _View:
    places = row.get(places_of(moment))
    if places is None:
        return _View()
    return _View(places, (row[f"{moment}_pitch"], row[f"{moment}_roll"]))


def picture_name(image: Mapping[str, Any], uid: str, moment: str) -> str:
    """Return the name of a picture: its file name without extension, or the pair's name if it has no file name."""
    return PurePosixPath(image["path"]).stem if image.get("path") else f"{moment}_{uid}"


def picture_moments(config: str) -> list[str]:
    """Return the names of a row's pictures without file names: one for each column of ``pictures``."""
    return [MOMENTS[0], *(f"candidate{i}" for i in range(CANDIDATE_COUNT))] if config == "retrieval" else list(MOMENTS)


def row_pictures(row: Mapping[str, Any], config: str) -> list[Any]:
    """Return the image values of a row, in the order of ``Samples.pictures``; None where there is none."""
    return [row["current"], *row["candidates"]] if config == "retrieval" else [row["current"], row["target"]]


def row_joints(row: Mapping[str, Any], config: str) -> list[Any]:
    """Return the joints of a row's pictures in the same order; None where they are not known."""
    if config == "retrieval":
        return [row["current_joints"], *row["candidate_joints"]]
    return [row["current_joints"], row["target_joints"]]


def _read_split(folder: Path, config: str, split: str, pictures: _Pictures) -> Samples:
    if config == "retrieval":
        columns = ["candidates.list.element.path", "candidate_joints", "answer"]
    else:
        columns = ["target.path", "target_joints"]
    columns = ["uid", "current.path", "current_joints", *columns, *(f"descriptions_{code}" for code in LANGUAGES)]
    # Wide pairs of an older simulator version have no cameras of their own.
    camera_columns = [name for name in _OWN_CAMERA if name in column_names(folder, config, split)]
    rows = list(read_rows(folder, config, split, [*columns, *_ABOUT, *camera_columns]))
    if not rows:
        raise BadInputError("dataset_without", path=str(folder), split=f"{config}/{split}")
    moments = picture_moments(config)
    poses = [row_joints(row, config) for row in rows]
    numbers = [
        [
            NO_PICTURE
            if image is None
            else pictures.number(picture_name(image, row["uid"], moment), joints, _view(row, moment))
            for image, moment, joints in zip(row_pictures(row, config), moments, of_row, strict=True)
        ]
        for row, of_row in zip(rows, poses, strict=True)
    ]
    joints, known = _joint_arrays([joints for of_row in poses for joints in of_row])
    size = (len(rows), len(moments))
    return Samples(
        uids=tuple(row["uid"] for row in rows),
        pictures=np.array(numbers, dtype=np.int64),
        joints=joints.reshape(*size, len(JOINTS), 3),
        known=known.reshape(size),
        texts={
            code: tuple(tuple(text for text in row[f"descriptions_{code}"] if text.strip()) for row in rows)
            for code in LANGUAGES
        },
        **{
            f"{about}s": np.array([UNKNOWN if row[about] is None else row[about] for row in rows], dtype=np.int64)
            for about in _ABOUT
        },
        answers=np.array([row.get("answer", -1) for row in rows], dtype=np.int64),
        placed=np.array([row.get("placed", True) for row in rows], dtype=np.bool_),
    )


def _joint_arrays(lists: Sequence[Any]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return joints (m, 20, 3), zeros where there are none, and the mask of known ones (m,)."""
    known = np.array([joints is not None for joints in lists], dtype=np.bool_)
    arrays = np.zeros((len(lists), len(JOINTS), 3), dtype=np.float32)
    if known.any():
        arrays[known] = np.array([joints for joints in lists if joints is not None], dtype=np.float32)
    return arrays, known


def _check_held_out(samples: Samples, task: Task, held_out: Mapping[str, str]) -> None:
    for uid, room in zip(samples.uids, samples.rooms, strict=True):
        if uid in held_out or (room != UNKNOWN and _SPLIT_OF[task](parse_uid(uid)) != TRAIN):
            raise BadInputError("training_held_out", uid=uid)
