"""Rows of a dataset folder, to build campaigns from: Parquet as ``datasets`` writes it, read in small batches."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from annotate.errors import RefusedError
from fmp_models.common.refusals import one_line

MAX_SIDE_PX = 4096  # pixels
STORED_SIDE_PX = 1600  # pixels; sharp on a full screen, and small enough to send the eleven pictures of a task

_ROWS_AT_ONCE = 16
_QUALITY = 90
_END = b"\xff\xd9"  # end marker of a JPEG


@dataclass(frozen=True)
class DatasetRow:
    """A pair with its pictures as JPEG files without metadata; a retrieval row also has ``candidates`` and ``answer``.

    ``kind_of_movement`` is equal for pairs that may have similar descriptions.
    """

    uid: str
    current: bytes
    target: bytes
    descriptions: dict[str, tuple[str, ...]]
    kind_of_movement: str
    candidates: tuple[bytes, ...] = ()
    answer: int | None = None


@dataclass(frozen=True)
class Split:
    """One split of one configuration of a dataset folder."""

    dataset: Path
    config: str
    name: str

    def uids(self) -> list[str]:
        """Return the uids of its pairs, in order."""
        return [str(row["uid"]) for row in self._raw(["uid"])]

    def rows(self, row_numbers: Sequence[int], languages: Sequence[str]) -> Iterator[DatasetRow]:
        """Yield the rows with these numbers, in file order, with their descriptions in these languages."""
        numbers = set(row_numbers)
        texts = [f"descriptions_{language}" for language in languages]
        columns = ["candidates", "answer"] if self.config == "retrieval" else []
        for number, raw in enumerate(self._raw(["uid", "current", "target", "animation", *texts, *columns])):
            if number in numbers:
                yield self._row(raw, languages)

    def _row(self, raw: dict[str, Any], languages: Sequence[str]) -> DatasetRow:
        uid = str(raw["uid"])
        descriptions = {
            language: tuple(text.strip() for text in raw[f"descriptions_{language}"] or () if text.strip())
            for language in languages
        }
        candidates = tuple(self._picture(uid, image) for image in raw.get("candidates") or ())
        return DatasetRow(
            uid,
            self._picture(uid, raw["current"]),
            self._picture(uid, raw["target"]),
            descriptions,
            str(raw["animation"]),
            candidates,
            raw.get("answer"),
        )

    def _picture(self, uid: str, image: object) -> bytes:
        data = image.get("bytes") if isinstance(image, dict) else None
        if not isinstance(data, bytes):
            self._refuse(f"it lacks a picture of {uid}")
        try:
            return plain_jpeg(data)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            self._refuse(f"a picture of {uid} cannot be read")

    def _raw(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        files = sorted((self.dataset / self.config).glob(f"{self.name}-*-of-*.parquet"))
        if not files:
            self._refuse(f"it has no split {self.name} of {self.config}")
        try:
            for path in files:
                with pq.ParquetFile(path) as file:
                    lacking = set(columns) - set(file.schema_arrow.names)
                    if lacking:
                        self._refuse(f"it has no column {min(lacking)}")
                    for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(columns)):
                        yield from batch.to_pylist()
        except (OSError, pa.ArrowException) as error:
            self._refuse(one_line(error))

    def _refuse(self, reason: str) -> NoReturn:
        raise RefusedError("dataset_unusable", path=str(self.dataset), reason=reason) from None


def plain_jpeg(data: bytes) -> bytes:
    """Return the picture as a JPEG without metadata, with at most :data:`STORED_SIDE_PX` pixels per side.

    A file that is already such a JPEG is returned unchanged. Raise what Pillow raises, or ``ValueError`` for a
    side above ``MAX_SIDE_PX`` pixels.
    """
    with warnings.catch_warnings(action="ignore"), Image.open(io.BytesIO(data)) as opened:
        if max(opened.size) > MAX_SIDE_PX:
            raise ValueError("too many pixels")
        plain = opened.convert("RGB")
        if max(opened.size) <= STORED_SIDE_PX and _is_plain(opened, data):
            return data
    plain.info.clear()
    plain.thumbnail((STORED_SIDE_PX, STORED_SIDE_PX), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    plain.save(buffer, "JPEG", quality=_QUALITY, subsampling="4:4:4", optimize=True)
    return buffer.getvalue()


def _is_plain(picture: Image.Image, data: bytes) -> bool:
    """Return whether a file is an RGB JPEG without metadata, which can be used byte for byte."""
    markers = {name for name, _ in getattr(picture, "applist", [("none", b"")])}
    ends_once = data.endswith(_END) and data.count(_END) == 1
    return (picture.format, picture.mode) == ("JPEG", "RGB") and markers <= {"APP0"} and ends_once
