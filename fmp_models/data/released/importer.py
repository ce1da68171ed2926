"""The importer of the official release: json files, a folder of pictures and a folder of joint files.

It tolerates faulty files and reports everything that it skips: every kind of finding ends in one line with its count
and examples. Retrieval rows use the released distractors only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fmp_models.data.card import write_official_card
from fmp_models.data.features import captioning_row, retrieval_row
from fmp_models.data.folder import ShardWriter
from fmp_models.data.released.annotations import Entry, read_annotations
from fmp_models.data.released.files import ReleasedFiles
from fmp_models.data.uids import PictureName
from fmp_models.errors import BadInputError

EXAMPLES = 3

FINDINGS: Mapping[str, str] = {
    "not_annotations": "json files without a list of pairs: skipped",
    "malformed": "malformed entries: left out",
    "duplicate": "duplicate entries: left out",
    "other_split": "pairs whose file belongs to another split than their room or animation: assigned by file",
    "empty_text": "empty descriptions: dropped",
    "long_text": "descriptions of more than 5,000 characters: dropped",
    "broken_text": "descriptions that are not valid Unicode: dropped",
    "no_text": "pairs without any description: kept",
    "unusual_number": "pairs with neither one nor three English descriptions: all kept",
    "missing_picture": "missing pictures: null in the rows",
    "damaged_picture": "damaged pictures: null in the rows",
    "missing_joints": "missing joint files: null in the rows",
    "damaged_joints": "damaged joint files: null in the rows",
    "toes_behind": "poses with toes that point backwards (the axes may not be those of Unity's camera): kept",
}


@dataclass(frozen=True)
class ImportSummary:
    """The result of an import: rows by configuration and split, findings by kind (keys of :data:`FINDINGS`).

    ``remarks`` describe the findings, one line of each kind, with examples.
    """

    rows: dict[str, dict[str, int]]
    findings: dict[str, int]
    remarks: tuple[str, ...]

    def __str__(self) -> str:
        """Return one sentence for the terminal."""
        counted = [
            f"{count} rows of {config} {split}"
            for config, splits in self.rows.items()
            for split, count in splits.items()
        ]
        return f"Imported {', '.join(counted)}."


def import_release(
    annotations: Path, images: Path | None, joints: Path | None, out: Path, report: Callable[[str], None]
) -> ImportSummary:
    """Write the release as a dataset folder ``out``, new or empty, with its card; ``report`` gets one line at a time.

    Raises :class:`BadInputError` for a folder that is missing or holds nothing usable, a file that is not json, and an
    ``out`` that is not empty.
    """
    summary = write_shards(annotations, images, joints, out, report)
    for remark in summary.remarks:
        report(remark)
    write_official_card(out, summary.remarks)
    return summary


def write_shards(
    annotations: Path, images: Path | None, joints: Path | None, out: Path, report: Callable[[str], None]
) -> ImportSummary:
    """Do all of :func:`import_release` except the card and the report of the findings."""
    if not annotations.is_dir():
        raise BadInputError("folder_missing", path=str(annotations))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInputError("folder_not_empty", path=str(out))
    findings = _Findings()
    files = ReleasedFiles(images, joints, findings.note)
    entries: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in read_annotations(annotations, findings.note):
        entries[entry.config, entry.split].append(entry)
    if not entries:
        raise BadInputError("nothing_to_import", path=str(annotations))
    rows: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (config, split), of_split in sorted(entries.items()):
        with ShardWriter(out, config, split) as writer:
            for entry in of_split:
                writer.add(_row(entry, files))
        rows[config][split] = writer.rows
        report(f"{config} {split}: {writer.rows} rows")
    return ImportSummary(dict(rows), dict(findings.counts), findings.lines())


def _row(entry: Entry, files: ReleasedFiles) -> dict[str, object]:
    current = files.shot(PictureName(entry.uid, "current"))
    if entry.candidates is None:
        return captioning_row(entry.uid, current, files.shot(PictureName(entry.uid, "target")), entry.descriptions)
    shots = [files.shot(picture) for picture in entry.candidates.pictures]
    return retrieval_row(entry.uid, current, shots, entry.candidates.answer, entry.descriptions)


class _Findings:
    """Counts and first examples of every kind of finding."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._examples: defaultdict[str, list[str]] = defaultdict(list)

    def note(self, kind: str, where: str) -> None:
        self.counts[kind] += 1
        if len(self._examples[kind]) < EXAMPLES:
            self._examples[kind].append(" ".join(where.split())[:120])

    def lines(self) -> tuple[str, ...]:
        kinds = [kind for kind in FINDINGS if self.counts[kind]]
        return tuple(f"{self.counts[kind]} {FINDINGS[kind]} ({self._examples_of(kind)})" for kind in kinds)

    def _examples_of(self, kind: str) -> str:
        more = ["..."] if self.counts[kind] > EXAMPLES else []
        return "; ".join([*self._examples[kind], *more])
