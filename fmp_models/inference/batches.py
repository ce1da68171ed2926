"""Batches: thousands of photographs, corrected in pairs or measured, in one file that a second run continues."""

from __future__ import annotations

import csv
import io
import json
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from fmp_models.common import MAX_BYTES, replace_file, try_lock
from fmp_models.errors import BadInputError
from fmp_models.estimators import NOBODY, PoseEstimator, estimate_person, open_estimator
from fmp_models.files import read_bounded, read_within, shown
from fmp_models.inference.correction import DEFAULT_MODEL
from fmp_models.inference.corrector import Corrector
from fmp_models.preprocessing import read_photograph
from fmp_models.workers import Workers

PICTURE_SUFFIXES = frozenset({".avif", ".bmp", ".gif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".webp"})
_MAX_TABLE_BYTES = 100_000_000
_NEEDED, _POSES = ("current", "target"), pa.list_(pa.list_(pa.float32()))
_COLUMNS = ("id", *_NEEDED, "language")
_MEASURED = pa.schema(
    {
        "picture": pa.string(),
        "bytes": pa.int64(),
        "people": pa.int32(),
        "estimated_joints": _POSES,
        "image_joints": _POSES,
        "visibility": pa.list_(pa.float32()),
        "estimator": pa.string(),
        "error": pa.string(),
        "sentence": pa.string(),
    }
)

Row = dict[str, Any]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class BatchOptions:
    """The pose model and its folder of downloads, and for pairs the correction model and arguments of ``correct``."""

    pose_model: str
    downloads: Path
    model: str = DEFAULT_MODEL
    arguments: Row = field(default_factory=dict)


def read_pairs(path: Path, language: str) -> list[Row]:
    """Return the rows of a CSV file with the columns current, target, and optionally language and id.

    Raise BadInputError: ``file_unreadable``, ``file_too_large``, ``not_utf8``, ``table_*``, ``uid_twice``.
    """
    try:
        text = read_within(path, _MAX_TABLE_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInputError("not_utf8", path=str(path)) from None
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        columns = [name.strip().lower() for name in reader.fieldnames or ()]
        if wrong := [name for name in _COLUMNS if columns.count(name) != 1 and (name in columns or name in _NEEDED)]:
            raise BadInputError("table_columns", path=str(path), columns=", ".join(wrong))
        reader.fieldnames = columns
        found = [{name: (row.get(name) or "").strip() for name in _COLUMNS} for row in reader]
    except csv.Error:
        raise BadInputError("table_broken", path=str(path), line=reader.line_num) from None
    if not found:
        raise BadInputError("table_empty", path=str(path))
    rows = {row["id"] or str(number): row for number, row in enumerate(found, 1)}
    if len(rows) < len(found):
        names = Counter(row["id"] or str(number) for number, row in enumerate(found, 1))
        raise BadInputError("uid_twice", path=str(path), uid=shown(names.most_common(1)[0][0]))
    return [{**row, "id": name, "language": row["language"] or language} for name, row in rows.items()]


def correct_pairs(table: Path, out: Path, language: str, options: BatchOptions, workers: Workers) -> Counter[str]:
    """Write the corrections of the pairs of a CSV file as lines of JSON; return how many there are by error, else "".

    Raise the errors of :func:`read_pairs`, :func:`write_batch` and ``Corrector.from_pretrained``.
    """
    rows = read_pairs(table, language)
    _corrector(options.model, options.pose_model, options.downloads)  # raise its errors before any work
    return write_batch(rows, partial(_correct, table.resolve().parent, options), out, workers)


def measure_folder(images: Path, out: Path, options: BatchOptions, workers: Workers) -> Counter[str]:
    """Measure every picture below a folder into a Parquet file; return how many there are by error, else "".

    Pictures that the file already has are not measured again. Raise BadInputError (``folder_without_pictures``), the
    errors of ``open_estimator`` and those of :func:`write_batch`.
    """
    rows = _pictures(images)
    done = {(row["picture"], row["bytes"]): row for row in read_measured(out)} if out.exists() else {}
    new = [row for row in rows if (row["picture"], row["bytes"]) not in done]
    journal = out.with_name(f"{out.name}.jsonl")
    if new:
        _estimator(options.pose_model, options.downloads)
        write_batch(new, partial(_measure, images.resolve(), options), journal, workers, "picture", others=True)
        with journal.open(encoding="utf-8") as lines:
            done |= {(row["picture"], row["bytes"]): row for row in map(json.loads, lines)}
        kept = [done[row["picture"], row["bytes"]] for row in rows]
        replace_file(out, partial(pq.write_table, pa.Table.from_pylist(kept, schema=_MEASURED)))
        journal.unlink()
    return Counter(done[row["picture"], row["bytes"]].get("error") or "" for row in rows)


def read_measured(path: Path) -> list[Row]:
    """Return the rows of a file of :func:`measure_folder`; raise BadInputError (``results_damaged``)."""
    try:
        rows: list[Row] = pq.read_table(path, columns=_MEASURED.names).to_pylist()
    except (OSError, KeyError, ValueError, pa.ArrowException):
        raise BadInputError("results_damaged", path=str(path), reason="it is not of measure") from None
    return rows


def write_batch(  # noqa: PLR0913  rows, and how they are done
    rows: Sequence[Row],
    work: Callable[[Row], Row],
    out: Path,
    workers: Workers,
    key: str = "id",
    *,
    others: bool = False,
) -> Counter[str]:
    """Append a line of JSON for each row that ``out`` lacks, in order; return how many there are by error, else "".

    A line is the row with what ``work`` returns, or with ``error`` (a code) and ``sentence``. Lines of ``others``, rows
    that are not given, are passed over or refused. Raise BadInputError: ``folder_unusable``, ``batch_busy``,
    ``batch_other``, ``scheduler_*``.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a+b") as file:
            if not try_lock(file.fileno()):
                raise BadInputError("batch_busy", path=str(out))
            done = _done(file, {row[key]: row for row in rows}, key, out, others=others)
            left = [row for row in rows if row[key] not in done]
            progress = tqdm(total=len(rows), initial=len(done), unit=f" {'pairs' if key == 'id' else 'pictures'}")
            with progress, closing(workers.in_order(work, left)) as jobs:
                for row, job in zip(left, jobs, strict=True):
                    line = {**row, **_result(job.exception() or job.result())}
                    done[row[key]] = line.get("error", "")
                    file.write(f"{json.dumps(line, ensure_ascii=False)}\n".encode())
                    file.flush()
                    progress.update()
    except OSError:
        raise BadInputError("folder_unusable", path=str(out)) from None
    return Counter(done.values())


def _done(file: BinaryIO, rows: dict[str, Row], key: str, out: Path, *, others: bool) -> dict[str, str]:
    """Return the error of each finished row, else ""; cut off an unfinished line."""
    columns = {column for row in rows.values() for column in row}
    done: dict[str, str] = {}
    end = 0
    file.seek(0)
    for line in file:
        if not line.endswith(b"\n") and any(_begins(line, row) for row in rows.values()):
            file.truncate(end)
            break
        end += len(line)
        try:
            known = json.loads(line)
            row = {column: known[column] for column in columns}
            name, error = row[key], known.get("error", "")
            ours = rows.get(name) == row and line.endswith(b"\n")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BadInputError("batch_other", path=str(out)) from None
        if (not ours and not others) or (ours and name in done):
            raise BadInputError("batch_other", path=str(out))
        if ours:
            done[name] = str(error)
    return done


def _begins(line: bytes, row: Row) -> bool:
    """Return whether an unfinished line can be that of a row."""
    start = json.dumps(row, ensure_ascii=False).encode()[:-1]
    return line.startswith(start) or start.startswith(line)


def _result(found: Row | BaseException) -> Row:
    """Return the result of one row, or its error."""
    if isinstance(found, BadInputError):
        return {"error": found.code, "sentence": found.sentence}
    if isinstance(found, BaseException):
        _log.error("An internal error ended one item.", exc_info=found)
        return {"error": "internal", "sentence": f"{type(found).__name__}: {found}"}
    return found


@lru_cache(maxsize=1)
def _estimator(pose_model: str, downloads: Path) -> PoseEstimator:
    return open_estimator(pose_model, downloads)


@lru_cache(maxsize=1)
def _corrector(model: str, pose_model: str, downloads: Path) -> Corrector:
    return Corrector.from_pretrained(model, pose_model=_estimator(pose_model, downloads))


def _correct(folder: Path, options: BatchOptions, row: Row) -> Row:
    """Return the correction of a pair; raise the errors of ``Corrector.correct``."""
    corrector = _corrector(options.model, options.pose_model, options.downloads)
    current, target = (read_bounded(folder / row[which], MAX_BYTES) for which in _NEEDED)
    correction, _ = corrector.correct(current, target, language=row["language"], **options.arguments)
    return correction.as_json()


def _measure(folder: Path, options: BatchOptions, row: Row) -> Row:
    """Return what was measured in a picture; raise the errors of ``read_photograph``."""
    estimator = _estimator(options.pose_model, options.downloads)
    photograph = read_photograph(read_bounded(folder / row["picture"], MAX_BYTES))
    try:
        found = estimate_person(estimator, photograph, None)
    except BadInputError as error:
        if error.code not in NOBODY:
            raise
        return {"people": 0, "estimator": estimator.name, **_result(error.about("given"))}
    return {
        "people": found.people,
        "estimated_joints": found.pose.joints.tolist(),
        "image_joints": found.image_joints.tolist(),
        "visibility": found.pose.visibility.tolist(),
        "estimator": estimator.name,
    }


def _pictures(folder: Path) -> list[Row]:
    """Return the path within a folder and the size of each picture, in order; skip names that are not text."""
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURE_SUFFIXES and path.is_file())
    rows: list[Row] = [{"picture": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size} for path in files]
    named = [row for row in rows if row["picture"].encode(errors="ignore").decode() == row["picture"]]
    if len(named) < len(rows):
        _log.warning("%d pictures are left out, because their names are not UTF-8.", len(rows) - len(named))
    if not named:
        raise BadInputError("folder_without_pictures", path=str(folder))
    return named
