"""Estimated joints of a dataset's pictures: MediaPipe measures them, and training can mix them with the true joints.

Several processes measure; a killed run resumes.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from tqdm import tqdm

from fmp_models.data import (
    ESTIMATED,
    MOMENTS,
    PICTURES_SPLIT,
    SPLITS,
    MeasuredPicture,
    PictureKey,
    column_names,
    dataset_contents,
    estimated_row,
    estimated_rows,
    finish_estimates,
    measured_rows,
    picture_key,
    read_rows,
    store_measured_rows,
)
from fmp_models.errors import BadInputError
from fmp_models.estimators import NOBODY
from fmp_models.pose import JOINTS
from fmp_models.preprocessing import Photograph
from fmp_models.training.dataset_samples import (
    NO_PICTURE,
    Dataset,
    PictureList,
    fingerprint,
    picture_moments,
    picture_name,
    places_of,
    row_joints,
    row_pictures,
)
from fmp_models.training.pictures import joint_places, picture_hashes
from fmp_models.workers import Workers

if TYPE_CHECKING:
    from fmp_models.estimators import Box, PoseEstimate


PARTS = ((ESTIMATED, PICTURES_SPLIT),)


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
    rows = {picture_key(row): row for row in estimated_rows(dataset.folder)}
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


Looks = Literal["1", "2", "all"]

_LOT = 256  # pictures per stored part


class BoxEstimator(Protocol):
    """An estimator that needs fewer detection passes if it knows where the person is."""

    def estimate(self, photograph: Photograph) -> PoseEstimate:
        """Estimate the pose; raise :class:`BadInputError` if no person is found."""
        ...

    def estimate_at(self, photograph: Photograph, box: Box, mirrored: Sequence[bool] = ...) -> PoseEstimate:
        """Estimate the pose of the person whose joints lie in ``box``, with one pass per entry of ``mirrored``."""
        ...


@dataclass(frozen=True)
class PicturedPerson:
    """A picture's key, and the ``box`` around its known joints in pixels."""

    key: PictureKey
    box: Box | None


@dataclass(frozen=True)
class MeasuringEstimator:
    """The factory ``make`` of an estimator, its ``name``, and the number of passes (``looks``) per picture.

    Of two passes one is mirrored; a single pass is mirrored in about half of the pictures, to avoid a bias to one
    side.
    """

    make: Callable[[], BoxEstimator]
    name: str
    looks: Looks = "2"

    @property
    def noted(self) -> str:
        """The note that distinguishes its joints from those of other settings."""
        return f"{self.name}, looks: {self.looks}, levelled"

    def see(self, estimator: BoxEstimator, photograph: Photograph, picture: PicturedPerson) -> PoseEstimate:
        """Estimate the pose in a picture."""
        if self.looks == "all" or picture.box is None:
            return estimator.estimate(photograph)
        both = (False, True)
        alone = (bool(int(picture.key.sha256, 16) % 2),)
        return estimator.estimate_at(photograph, picture.box, both if self.looks == "2" else alone)


def measure_dataset(dataset: Path, eyes: MeasuringEstimator, workers: Workers) -> tuple[int, int]:
    """Estimate the joints in the remaining pictures and write the configuration ``estimated_joints``.

    Returns the number of pictures and of those with a person. Raises :class:`BadInputError`: ``dataset_missing``,
    ``dataset_damaged``, ``dataset_picture_damaged``, ``folder_unusable``, and the errors of loading the estimator.
    """
    if not dataset_contents(dataset):
        raise BadInputError("dataset_missing", path=str(dataset))
    try:
        rows = measured_rows(dataset, eyes.noted)
        all_pictures = _pictures(dataset)
        remaining = {picture.key: picture for picture in all_pictures if picture.key not in rows}
        with tqdm(
            total=len(all_pictures), initial=len(all_pictures) - len(remaining), desc="measuring", unit=" pictures"
        ) as bar:
            lot: list[dict[str, object]] = []
            for key, measured in _measured(dataset, remaining, eyes, workers) if remaining else ():
                lot.append(estimated_row(key, measured))
                rows[key] = lot[-1]
                bar.update()
                if len(lot) == _LOT:
                    store_measured_rows(dataset, lot)
                    lot = []
        every_row = [rows[picture.key] for picture in all_pictures]
        finish_estimates(dataset, every_row)
    except OSError:
        raise BadInputError("folder_unusable", path=str(dataset)) from None
    return len(every_row), sum(row["estimated_joints"] is not None for row in every_row)


def picture_hash(data: bytes) -> str:
    """Return the hash that identifies a picture's file."""
    return hashlib.sha256(data).hexdigest()


def _pictures(dataset: Path) -> list[PicturedPerson]:
    """Return every picture once, training pictures first."""
    pictures: dict[PictureKey, tuple[Any, Any]] = {}
    for key, _, joints, places in _shown_pictures(dataset):
        if pictures.get(key, (None,))[0] is None:
            pictures[key] = joints, places
    known = np.array([joints is not None for joints, _ in pictures.values()], dtype=np.bool_)
    metres = _filled([joints for joints, _ in pictures.values()], 3)
    places = _filled([places for _, places in pictures.values()], 2)
    at = joint_places(PictureList(tuple(key.name for key in pictures), metres, known, places))
    return [PicturedPerson(key, _box(points)) for key, points in zip(pictures, at, strict=True)]


def _filled(lists: Sequence[Any], axes: int) -> NDArray[np.float32]:
    """Return points (p, 20, axes) of poses; NaN where there are none."""
    nothing = np.full((len(JOINTS), axes), np.nan)
    return np.array([nothing if points is None else points for points in lists], dtype=np.float32).reshape(
        -1, *nothing.shape
    )


def _box(points: np.ndarray[Any, Any]) -> Box | None:
    if not np.isfinite(points).all():
        return None
    (left, top), (right, bottom) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return left, top, right, bottom


def _shown_pictures(dataset: Path) -> Iterator[tuple[PictureKey, bytes, Any, Any]]:
    """Yield every picture as often as the shards hold it, with its joints and their places; training pictures first."""
    held = dataset_contents(dataset)
    for split in SPLITS:
        for config in (config for config, splits in held.items() if split in splits):
            retrieval = config == "retrieval"
            columns = ["uid", "current", "current_joints"]
            columns += ["candidates", "candidate_joints"] if retrieval else ["target", "target_joints"]
            columns += [name for name in map(places_of, MOMENTS) if name in column_names(dataset, config, split)]
            for row in read_rows(dataset, config, split, columns):
                images = zip(row_pictures(row, config), picture_moments(config), row_joints(row, config), strict=True)
                for image, moment, joints in images:
                    if image is not None:
                        data = image["bytes"] or b""
                        key = PictureKey(picture_name(image, row["uid"], moment), picture_hash(data))
                        yield key, data, joints, row.get(places_of(moment))


def _measured(
    dataset: Path, remaining: dict[PictureKey, PicturedPerson], eyes: MeasuringEstimator, workers: Workers
) -> Iterator[tuple[PictureKey, MeasuredPicture]]:
    """Yield the estimates of the remaining pictures as they are completed."""
    waiting = dict(remaining)
    keys: list[PictureKey] = []

    def items() -> Iterator[tuple[MeasuringEstimator, bytes, PicturedPerson]]:
        for key, data, *_ in _shown_pictures(dataset):
            if (picture := waiting.pop(key, None)) is not None:
                keys.append(key)
                yield eyes, data, picture

    with closing(workers.completed(_measure, items())) as completed:
        for number, job in completed:
            yield keys[number], job.result()


_mine: dict[str, BoxEstimator] = {}  # this process's estimator


def _measure(item: tuple[MeasuringEstimator, bytes, PicturedPerson]) -> MeasuredPicture:
    eyes, data, picture = item
    if eyes.noted not in _mine:
        _mine.clear()
        _mine[eyes.noted] = eyes.make()
    estimator = _mine[eyes.noted]
    try:
        with Image.open(io.BytesIO(data)) as opened:
            photograph = Photograph(opened.convert("RGB"))
    except (OSError, ValueError, SyntaxError):
        raise BadInputError("dataset_picture_damaged", name=picture.key.name) from None
    try:
        estimate = eyes.see(estimator, photograph, picture)
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return MeasuredPicture(eyes.noted)
    return MeasuredPicture(
        eyes.noted, *map(_short, (estimate.pose.joints, estimate.image_joints, estimate.pose.visibility))
    )


def _short(values: Sequence[Any] | np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.asarray(values, dtype=np.float32)
