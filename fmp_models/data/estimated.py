"""Joints that an estimator measured in a dataset's pictures, stored as a configuration of their own.

``load_dataset(DATASET, "estimated_joints")`` reads them: one row a picture, keyed by the name and the hash of its file.
The shards of the pairs stay unchanged, and a picture that was rendered again is recognised as a different one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import DatasetCard
from numpy.typing import NDArray

from fmp_models.data.features import ESTIMATED, ESTIMATED_JOINTS
from fmp_models.data.folder import PICTURES, head, read_rows, shards
from fmp_models.errors import BadInputError
from fmp_models.files.atomic_write import replace_file

_CARD = "README.md"
_DERIVED = ("configs", "dataset_info")  # keys of the card's head that describe the shards
_LOTS = ".parts"  # folder with the saved rows of an unfinished measurement


@dataclass(frozen=True)
class PictureKey:
    """The key of a picture: its name without the ending, and the SHA-256 of its file."""

    name: str
    sha256: str


@dataclass(frozen=True)
class MeasuredPicture:
    """The result of an estimator for one picture: ``joints`` (20, 3) metres, ``places`` (20, 2) pixels, or ``None``.

    ``estimator`` is the estimator's name. ``visibility`` (20,) is between 0 and 1.
    """

    estimator: str
    joints: NDArray[Any] | None = None
    places: NDArray[Any] | None = None
    visibility: NDArray[Any] | None = None


def estimated_row(key: PictureKey, measured: MeasuredPicture) -> dict[str, object]:
    """Return one row of the configuration."""
    values = {
        "estimated_joints": measured.joints,
        "image_joints": measured.places,
        "visibility": measured.visibility,
    }
    return {
        "picture": key.name,
        "sha256": key.sha256,
        **{name: None if value is None else value.tolist() for name, value in values.items()},
        "estimator": measured.estimator,
    }


def estimated_rows(dataset: Path) -> Iterator[dict[str, Any]]:
    """Yield every row of the finished shard; raise :class:`BadInputError` (``dataset_damaged``) if it is unreadable."""
    yield from read_rows(dataset, ESTIMATED, PICTURES, list(ESTIMATED_JOINTS))


def key_of(row: Mapping[str, Any]) -> PictureKey:
    """Return the picture key of a row."""
    return PictureKey(row["picture"], row["sha256"])


def kept_rows(dataset: Path, estimator: str) -> dict[PictureKey, dict[str, Any]]:
    """Return the rows that this estimator has measured before, finished or not, by picture."""
    rows = [*estimated_rows(dataset)]
    for part in sorted(_lots(dataset).glob("*.parquet")):
        rows += _table(part).to_pylist()
    return {key_of(row): row for row in rows if row["estimator"] == estimator}


def keep_lot(dataset: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Save rows of an unfinished measurement."""
    folder = _lots(dataset)
    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(part.stem) for part in folder.glob("*.parquet")), default=-1)
    _write(folder / f"{number:06d}.parquet", rows)


def finish(dataset: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write all rows into the configuration's shard, sorted by name, and update the head of the card.

    Raises :class:`BadInputError` (``dataset_missing``) for a dataset without its card.
    """
    if not (dataset / _CARD).is_file():
        raise BadInputError("dataset_missing", path=str(dataset))
    _write(_shard(dataset), sorted(rows, key=lambda row: (row["picture"], row["sha256"])))
    for part in _lots(dataset).glob("*"):
        part.unlink()
    if _lots(dataset).is_dir():
        _lots(dataset).rmdir()
    card = DatasetCard((dataset / _CARD).read_text(encoding="utf-8"))
    metadata: dict[str, Any] = card.data.to_dict()  # type: ignore[no-untyped-call]
    about = {key: value for key, value in metadata.items() if key not in _DERIVED}
    replace_file(dataset / _CARD, lambda new: new.write_text(head(dataset, about) + card.text, encoding="utf-8"))


def _shard(dataset: Path) -> Path:
    for old in shards(dataset / ESTIMATED, PICTURES):
        return old
    return dataset / ESTIMATED / f"{PICTURES}-00000-of-00001.parquet"


def _lots(dataset: Path) -> Path:
    return dataset / ESTIMATED / _LOTS


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    table = pa.Table.from_pylist([dict(row) for row in rows], schema=ESTIMATED_JOINTS.arrow_schema)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, lambda part: pq.write_table(table, part))


def _table(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except (OSError, pa.ArrowException):
        raise BadInputError("dataset_damaged", path=str(path)) from None
