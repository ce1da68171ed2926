"""Dataset folders that ``datasets.load_dataset`` reads offline and streams, and joints measured in their pictures.

A folder holds Parquet shards and a card with the head that describes them. A split appears only when it is
complete: its shards are written under temporary names and renamed together at the end. Equal rows give equal bytes.

Joints that an estimator measured are a configuration of their own. ``load_dataset(DATASET, "estimated_joints")``
reads them: one row a picture, keyed by the name and the hash of its file. The shards of the pairs stay unchanged,
and a picture that was rendered again is recognised as a different one. Texts to edit are another (``editing``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import DatasetInfo
from datasets.info import DatasetInfosDict
from huggingface_hub import DatasetCard, DatasetCardData
from numpy.typing import NDArray

from fmp_models.common import replace_file
from fmp_models.data.features import (
    ALL_FEATURES,
    CHANGES,
    COUNTERFACTUAL,
    DIALOGUE,
    EDITING,
    ESTIMATED,
    ESTIMATED_JOINTS,
    FEATURES,
    REAL,
)
from fmp_models.data.pairs import TEXT_COLUMNS
from fmp_models.errors import BadInputError

GROUP_ROWS = 100
GROUP_BYTES = 32_000_000  # a group of rows with a dozen large pictures each is written before it has a hundred rows
SHARD_BYTES = 200_000_000
SIMULATION_NOTE = "simulation.json"  # records how a simulated dataset was made
SPLITS = ("train", "val_seen", "val_unseen", "test_unseen", REAL)
PICTURES_SPLIT = "pictures"  # the split of rows about single pictures of all splits


class ShardWriter:
    """Writer of one split's rows into ``out/<config>/<split>-00000-of-0000N.parquet``.

    It is a context manager: at the end it replaces the previous content of the split; after an error that stays
    untouched. At most one group of rows is held in memory.
    """

    def __init__(self, out: Path, config: str, split: str, *, shard_bytes: int = SHARD_BYTES) -> None:
        self.rows = 0
        self._folder = out / config
        self._split = split
        self._schema = ALL_FEATURES[config].arrow_schema
        self._shard_bytes = shard_bytes
        self._group: list[Mapping[str, object]] = []
        self._group_bytes = 0
        self._shards: list[Path] = []
        self._file: pa.OSFile | None = None
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> Self:
        """Create the folder, and remove temporary files that a killed writer of this split left in it.

        Raise ``BadInputError`` (``folder_unusable``).
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for left in self._folder.glob(f".{self._split}-?????.parquet.part"):
                left.unlink()
        except OSError:
            raise BadInputError("folder_unusable", path=str(self._folder)) from None
        return self

    def add(self, row: Mapping[str, object]) -> None:
        """Add a row; raise ``ValueError`` unless it has exactly the columns of the configuration."""
        if row.keys() != set(self._schema.names):
            raise ValueError(f"the columns are {', '.join(self._schema.names)}, not {', '.join(row)}")
        self._group.append(row)
        self._group_bytes += _picture_bytes(row)
        self.rows += 1
        if len(self._group) == GROUP_ROWS or self._group_bytes >= GROUP_BYTES:
            self._write_group()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Rename the shards to their final names, or remove them after an error."""
        try:
            if kind is None:
                self._write_group()
        finally:
            self._close_shard()
            if kind is not None:
                for shard in self._shards:
                    shard.unlink(missing_ok=True)
        if kind is None:
            self._publish()

    def _write_group(self) -> None:
        if not self._group:
            return
        if self._file is not None and self._file.tell() + self._group_bytes > self._shard_bytes:
            self._close_shard()
        if self._writer is None:
            self._shards.append(self._folder / f".{self._split}-{len(self._shards):05d}.parquet.part")
            self._file = pa.OSFile(str(self._shards[-1]), "wb")
            # Dictionaries would only make the picture columns larger.
            self._writer = pq.ParquetWriter(self._file, self._schema, use_dictionary=False)
        self._writer.write_table(pa.Table.from_pylist(self._group, schema=self._schema), row_group_size=GROUP_ROWS)
        self._group, self._group_bytes = [], 0

    def _close_shard(self) -> None:
        if self._writer is not None and self._file is not None:
            self._writer.close()
            self._file.close()
        self._writer = self._file = None

    def _publish(self) -> None:
        for old in split_shards(self._folder, self._split):
            old.unlink()
        for number, shard in enumerate(self._shards):
            shard.rename(self._folder / f"{self._split}-{number:05d}-of-{len(self._shards):05d}.parquet")


@dataclass(frozen=True)
class SplitSize:
    """The size of one split: rows, the bytes of its data, and the bytes of its files."""

    rows: int
    data_bytes: int
    file_bytes: int


def split_shards(folder: Path, split: str) -> list[Path]:
    """Return the finished shards of one split in the folder of its configuration, in order."""
    return sorted(folder.glob(f"{split}-?????-of-?????.parquet"))


def dataset_contents(out: Path) -> dict[str, dict[str, SplitSize]]:
    """Return the sizes of the pairs and questions in the folder, by configuration and split."""
    return _sizes(out, FEATURES, SPLITS)


def complete_contents(out: Path) -> dict[str, dict[str, SplitSize]]:
    """Return :func:`dataset_contents` with the texts to edit, the dialogues and the rows of single pictures."""
    return {
        **_sizes(out, (*FEATURES, EDITING, DIALOGUE, COUNTERFACTUAL, CHANGES), SPLITS),
        **_sizes(out, (ESTIMATED,), (PICTURES_SPLIT,)),
    }


def _sizes(out: Path, configs: Iterable[str], splits: Sequence[str]) -> dict[str, dict[str, SplitSize]]:
    sizes: dict[str, dict[str, SplitSize]] = {}
    for config in configs:
        for split in splits:
            files = split_shards(out / config, split)
            if files:
                metas = [_metadata(file) for file in files]
                data = sum(meta.row_group(i).total_byte_size for meta in metas for i in range(meta.num_row_groups))
                size = SplitSize(sum(meta.num_rows for meta in metas), data, sum(file.stat().st_size for file in files))
                sizes.setdefault(config, {})[split] = size
    return sizes


def _metadata(file: Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(file)
    except (OSError, pa.ArrowException):
        raise BadInputError("dataset_damaged", path=str(file)) from None


def read_rows(out: Path, config: str, split: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the chosen columns of a split row by row, with one group in memory; pictures stay encoded.

    A dataset older than a language has no texts in it. Raises ``BadInputError`` (``dataset_damaged``).
    """
    for shard in split_shards(out / config, split):
        try:
            with pq.ParquetFile(shard) as file:
                missing = {*TEXT_COLUMNS}.intersection(columns).difference(file.schema_arrow.names)
                for batch in file.iter_batches(batch_size=GROUP_ROWS, columns=list(columns)):
                    yield from (row | {column: [] for column in missing} for row in batch.to_pylist())
        except (OSError, pa.ArrowException):
            raise BadInputError("dataset_damaged", path=str(shard)) from None


def column_names(out: Path, config: str, split: str) -> frozenset[str]:
    """Return the columns of a split, empty if it does not exist; raise ``BadInputError`` (``dataset_damaged``)."""
    try:
        return frozenset(
            name for shard in split_shards(out / config, split)[:1] for name in pq.read_schema(shard).names
        )
    except (OSError, pa.ArrowException):
        raise BadInputError("dataset_damaged", path=str(out / config)) from None


def head(out: Path, about: Mapping[str, Any]) -> str:
    """Return the YAML head of the folder's card: ``about`` (licence, languages ...), then what ``load_dataset`` needs.

    Features are declared, so that columns that start with nulls load with the right type.
    """
    sizes = complete_contents(out)
    card = DatasetCardData(
        **about,
        configs=[
            {
                "config_name": config,
                "data_files": [{"split": split, "path": f"{config}/{split}-*.parquet"} for split in splits],
                **({"default": True} if config == "captioning" else {}),
            }
            for config, splits in sizes.items()
        ],
    )
    DatasetInfosDict({config: _info(config, splits) for config, splits in sizes.items()}).to_dataset_card_data(card)
    return f"---\n{card.to_yaml()}\n---\n"


def _info(config: str, splits: Mapping[str, SplitSize]) -> DatasetInfo:
    return DatasetInfo(
        config_name=config,
        features=ALL_FEATURES[config],
        splits={
            split: {"name": split, "num_bytes": size.data_bytes, "num_examples": size.rows}
            for split, size in splits.items()
        },
        download_size=sum(size.file_bytes for size in splits.values()),
        dataset_size=sum(size.data_bytes for size in splits.values()),
    )


def _picture_bytes(row: Mapping[str, object]) -> int:
    candidates = row.get("candidates")
    images = [row.get("current"), row.get("target"), *(candidates if isinstance(candidates, list) else [])]
    return sum(len(image["bytes"]) for image in images if isinstance(image, dict))


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
    yield from read_rows(dataset, ESTIMATED, PICTURES_SPLIT, list(ESTIMATED_JOINTS))


def picture_key(row: Mapping[str, Any]) -> PictureKey:
    """Return the picture key of a row."""
    return PictureKey(row["picture"], row["sha256"])


def measured_rows(dataset: Path, estimator: str) -> dict[PictureKey, dict[str, Any]]:
    """Return the rows that this estimator has measured before, finished or not, by picture."""
    rows = [*estimated_rows(dataset)]
    for part in sorted(_lots(dataset).glob("*.parquet")):
        rows += _table(part).to_pylist()
    return {picture_key(row): row for row in rows if row["estimator"] == estimator}


def store_measured_rows(dataset: Path, rows: Iterable[Mapping[str, object]]) -> None:
    """Save rows of an unfinished measurement."""
    folder = _lots(dataset)
    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(part.stem) for part in folder.glob("*.parquet")), default=-1)
    _write(folder / f"{number:06d}.parquet", rows)


def finish_estimates(dataset: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write all rows into the configuration's shard, sorted by name, and update the head of the card.

    Raises :class:`BadInputError` (``dataset_missing``) for a dataset without its card.
    """
    demand_card(dataset)
    _write(_shard(dataset), sorted(rows, key=lambda row: (row["picture"], row["sha256"])))
    for part in _lots(dataset).glob("*"):
        part.unlink()
    if _lots(dataset).is_dir():
        _lots(dataset).rmdir()
    refresh_card(dataset)


def demand_card(dataset: Path) -> DatasetCard:
    """Return the card of a dataset; raise :class:`BadInputError` (``dataset_missing``) without a usable one."""
    try:
        return DatasetCard((dataset / _CARD).read_text(encoding="utf-8"))
    except Exception:  # noqa: BLE001  the parser of the head has errors of its own
        raise BadInputError("dataset_missing", path=str(dataset)) from None


def refresh_card(dataset: Path, changed: Callable[[str], str] = str) -> None:
    """Let the head of the card describe the present shards, and its body be ``changed``."""
    card = demand_card(dataset)
    metadata: dict[str, Any] = card.data.to_dict()  # type: ignore[no-untyped-call]
    text = head(dataset, {key: value for key, value in metadata.items() if key not in _DERIVED}) + changed(card.text)
    replace_file(dataset / _CARD, lambda new: new.write_text(text, encoding="utf-8"))


def _shard(dataset: Path) -> Path:
    for old in split_shards(dataset / ESTIMATED, PICTURES_SPLIT):
        return old
    return dataset / ESTIMATED / f"{PICTURES_SPLIT}-00000-of-00001.parquet"


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
