"""The importer of the official release: json files, a folder of pictures and a folder of joint files.

It tolerates faulty files and reports everything that it skips: every kind of finding ends in one line with its
count and examples. Retrieval rows use the released distractors only.

A captioning entry is ``{uid, img0, img1, sents, sents_hindi}``; a retrieval entry has ``trg0`` to ``trg9`` and
``ans_idx`` instead of ``img1``. All ten candidates are the released ones, read from their paths.

A joint file has one bone a line, ``name:(x, y, z)``; 21 of the lines give our 20 joints. Axes. The paper says that
positions are relative to the camera's position and angle. The release was made in Unity, where a camera's own frame
is left-handed: x to the right, y *up*, z away; so y changes sign to become ours (x right, y down, z away,
right-handed). Unity's rendering matrix gives another frame, x right, y up, z *towards* the viewer; points in front
of the camera then have a negative z. The sign of z tells the two frames apart; in the second both y and z change
sign. No joint file was at hand when this was written: the axes are Unity's convention and not measured.
:func:`toes_ahead` is the check that detects a frame of the wrong handedness.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fmp_models.common import MAX_BYTES
from fmp_models.data.features import CANDIDATE_COUNT, Candidates, Joints, Shot, captioning_row, retrieval_row
from fmp_models.data.folder import ShardWriter
from fmp_models.data.pairs import PictureName, Uid, captioning_split, parse_picture, parse_uid, retrieval_split
from fmp_models.errors import BadInputError
from fmp_models.files import demand_few_values, read_bounded, read_within
from fmp_models.pose import INDEX, JOINTS, Array, body_axes
from fmp_models.preprocessing import read_photograph

_log = logging.getLogger(__name__)
MIN_LINES = 50

# The line numbers of each joint, from 0. The skeleton is Mixamo's: line 39 is the base of the skull, line 40 the
# crown. The head is the midpoint between them, as in the released metric.
JOINT_LINES: dict[str, tuple[int, ...]] = {
    "hip": (0,),
    "left_hip": (1,),
    "left_knee": (2,),
    "left_ankle": (3,),
    "left_foot": (4,),
    "right_hip": (6,),
    "right_knee": (7,),
    "right_ankle": (8,),
    "right_foot": (9,),
    "spine": (11,),
    "left_shoulder": (15,),
    "left_elbow": (16,),
    "left_wrist": (17,),
    "left_hand": (22,),
    "neck": (38,),
    "head": (39, 40),
    "right_shoulder": (42,),
    "right_elbow": (43,),
    "right_wrist": (44,),
    "right_hand": (49,),
}

_UNITY_CAMERA = np.array([1.0, -1.0, 1.0])
_UNITY_RENDERING = np.array([1.0, -1.0, -1.0])
_POINT = re.compile(r":\s*\(([^()]*)\)\s*$")


def read_joints(text: str) -> Joints:
    """Return the joints (20, 3) of one file, metres in our camera frame; raise ``ValueError`` if it is malformed."""
    points_of_line = read_points(text)
    points = np.array([np.mean([points_of_line[line] for line in JOINT_LINES[joint]], axis=0) for joint in JOINTS])
    flips = _UNITY_CAMERA if points[INDEX["hip"], 2] > 0 else _UNITY_RENDERING
    return np.asarray(points * flips, dtype=np.float32)


def read_points(text: str) -> dict[int, Array]:
    """Return the points (3,) of the lines in ``JOINT_LINES``, as in the file; raise ``ValueError`` if malformed."""
    lines = text.strip().splitlines()
    if len(lines) < MIN_LINES:
        raise ValueError(f"{len(lines)} lines instead of {MIN_LINES} or more")
    return {line: np.array(_point(lines, line)) for joint in JOINTS for line in JOINT_LINES[joint]}


def toes_ahead(joints: Joints) -> bool:
    """Return whether the feet point forwards from the body; this fails only in a mirrored frame."""
    forward = body_axes(np.asarray(joints, dtype=np.float64))[2]
    feet = [joints[INDEX[f"{side}_foot"]] - joints[INDEX[f"{side}_ankle"]] for side in ("left", "right")]
    return float(np.sum(feet, axis=0) @ forward) > 0


def _point(lines: list[str], number: int) -> list[float]:
    match = _POINT.search(lines[number])
    values = match[1].split(",") if match else []
    try:
        point = [float(value) for value in values]
    except ValueError:
        point = []
    if len(point) != 3 or not np.isfinite(point).all():  # noqa: PLR2004  x, y and z
        raise ValueError(f"line {number} is not “name:(x, y, z)”")
    return point


Note = Callable[[str, str], None]  # kind of finding, where it was found

PICTURE_ENDINGS = (".jpeg", ".jpg", ".png")
JOINT_ENDINGS = (".txt",)
_MAX_JOINT_BYTES = 1_000_000  # a released file has 65 short lines


class ReleasedFiles:
    """Reader of the released pictures and joints; a folder that is ``None`` gives ``None`` for every picture."""

    def __init__(self, images: Path | None, joints: Path | None, note: Note) -> None:
        """Raise :class:`BadInputError` for a folder that is missing or holds no file of the release."""
        self._images = _by_picture(images, PICTURE_ENDINGS)
        self._joints = _by_picture(joints, JOINT_ENDINGS)
        self._note = note
        self._sound: dict[PictureName, bool] = {}
        self._poses: dict[PictureName, Joints | None] = {}

    def shot(self, picture: PictureName) -> Shot:
        """Return the bytes as released and the joints in our camera frame, ``None`` if missing or damaged."""
        path = (self._images or {}).get(picture)
        return Shot(
            picture, self._picture(picture, path), self._pose(picture), path.suffix[1:].lower() if path else "png"
        )

    def _picture(self, picture: PictureName, path: Path | None) -> bytes | None:
        if self._images is None or not self._sound.get(picture, True):
            return None
        data = None if path is None else read_bounded(path, MAX_BYTES)
        if picture not in self._sound:
            self._sound[picture] = self._is_sound(picture, data)
        return data if self._sound[picture] else None

    def _is_sound(self, picture: PictureName, data: bytes | None) -> bool:
        if data is None:
            self._note("missing_picture", str(picture))
            return False
        try:
            read_photograph(data)
        except BadInputError as error:
            self._note("damaged_picture", f"{picture} ({error})")
            return False
        return True

    def _pose(self, picture: PictureName) -> Joints | None:
        if self._joints is None:
            return None
        if picture not in self._poses:
            self._poses[picture] = self._read_pose(picture, self._joints.get(picture))
        return self._poses[picture]

    def _read_pose(self, picture: PictureName, path: Path | None) -> Joints | None:
        if path is None:
            self._note("missing_joints", str(picture))
            return None
        try:
            joints = read_joints(read_within(path, _MAX_JOINT_BYTES).decode("utf-8"))
        except (ValueError, BadInputError) as error:
            self._note("damaged_joints", f"{picture} ({error})")
            return None
        if not toes_ahead(joints):
            self._note("toes_behind", str(picture))
        return joints


def _by_picture(folder: Path | None, endings: tuple[str, ...]) -> dict[PictureName, Path] | None:
    if folder is None:
        return None
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    paths = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in endings and path.is_file():
            try:
                paths[parse_picture(path.name)] = path
            except BadInputError:  # not a file of the release
                continue
    if not paths:
        example = f"current_13_19_4_13_1{endings[-1]}"
        raise BadInputError("folder_without", path=str(folder), example=example)
    return paths


_TEXT_KEYS = {"en": "sents", "hi": "sents_hindi"}
_USUAL_TEXTS = (1, 3)  # texts of a training pair and of an evaluation pair
_MAX_BYTES = 50_000_000  # the release has a few million at most
MAX_PAIRS = 100_000  # in all files, including those left out; the release has about 12,000
MAX_TEXTS = 50  # of a pair in one language; the release has up to four
MAX_CHARS = 5_000  # of one text; the longest human one has 1,500


@dataclass(frozen=True)
class Entry:
    """One released pair; ``candidates`` is ``None`` for captioning."""

    uid: Uid
    split: str
    descriptions: dict[str, list[str]]
    candidates: Candidates | None

    @property
    def config(self) -> str:
        """The configuration of the entry's row."""
        return "captioning" if self.candidates is None else "retrieval"


def read_annotations(folder: Path, note: Note) -> Iterator[Entry]:
    """Yield every usable entry of the json files directly in ``folder``, in the order of file names.

    Raises :class:`BadInputError` (``not_json``, ``file_unreadable``, ``file_too_large``, ``json_too_many``) for a file
    that is not json or cannot be part of the release, and ``release_too_large``.
    """
    uids: set[tuple[str, Uid]] = set()
    pairs = 0
    for path in sorted(path for path in folder.glob("*.json") if not path.name.startswith(".")):
        entries = _load(path)
        if not isinstance(entries, list):
            note("not_annotations", path.name)
            continue
        pairs += len(entries)
        if pairs > MAX_PAIRS:
            raise BadInputError("release_too_large", path=str(folder), limit=MAX_PAIRS)
        for number, raw in enumerate(entries):
            where = f"{path.name}, entry {number}"
            try:
                entry = _entry(raw, path.stem, note)
            except (KeyError, TypeError, ValueError, BadInputError) as error:
                note("malformed", f"{where}: {type(error).__name__} {error}")
                continue
            if (entry.config, entry.uid) in uids:
                note("duplicate", f"{where}: {entry.uid}")
                continue
            uids.add((entry.config, entry.uid))
            yield entry


def split_of_file(stem: str) -> str | None:
    """Return the split of a file name such as ``valid_seen_NC`` or ``valid_ret_NC``; ``None`` for any other name."""
    name = stem.lower()
    if re.search(r"(?<![a-z])test", name):
        return "test_unseen"
    if "train" in name:
        return "train"
    if "unseen" in name:
        return "val_unseen"
    if "seen" in name:
        return "val_seen"
    return "val_unseen" if "val" in name and "ret" in name else None


def _load(path: Path) -> object:
    data = read_within(path, _MAX_BYTES)
    demand_few_values(data, path)
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BadInputError("not_json", path=str(path)) from None


def _entry(raw: Any, stem: str, note: Note) -> Entry:  # noqa: ANN401  any JSON value
    uid = parse_uid(raw["uid"])
    if _picture(raw, "img0") != PictureName(uid, "current"):
        raise ValueError(f"img0 is not the current picture of {uid}")
    candidates = _candidates(raw, uid) if "ans_idx" in raw or "trg0" in raw else None
    if candidates is None and _picture(raw, "img1") != PictureName(uid, "target"):
        raise ValueError(f"img1 is not the target picture of {uid}")
    descriptions = {language: kept_texts(raw.get(key) or [], uid, note) for language, key in _TEXT_KEYS.items()}
    if not any(descriptions.values()):
        note("no_text", str(uid))
    elif len(descriptions["en"]) not in _USUAL_TEXTS:
        note("unusual_number", f"{uid} has {len(descriptions['en'])}")
    return Entry(uid, _split(uid, stem, len(descriptions["en"]), candidates, note), descriptions, candidates)


def _candidates(raw: dict[str, Any], uid: Uid) -> Candidates:
    pictures = tuple(_picture(raw, f"trg{number}") for number in range(CANDIDATE_COUNT))
    answer = raw["ans_idx"]
    if type(answer) is not int or not 0 <= answer < CANDIDATE_COUNT or pictures[answer] != PictureName(uid, "target"):
        raise ValueError(f"ans_idx {answer!r} is not the target of {uid}")
    if len(set(pictures)) < CANDIDATE_COUNT:
        raise ValueError(f"the candidates of {uid} are not ten different pictures")
    return Candidates(pictures, answer)


def _picture(raw: dict[str, Any], key: str) -> PictureName:
    if not isinstance(raw[key], str):
        raise TypeError(f"{key} is not a path")
    return parse_picture(raw[key])


def kept_texts(raw: object, uid: object, note: Note) -> list[str]:
    """Return the usable texts of a pair; raise ``TypeError`` or ``ValueError`` if they are no list of texts."""
    if not isinstance(raw, list) or not all(isinstance(text, str) for text in raw):
        raise TypeError(f"the descriptions of {uid} are not a list of texts")
    if len(raw) > MAX_TEXTS:
        raise ValueError(f"{uid} has more than {MAX_TEXTS} descriptions")
    kept = []
    for number, text in enumerate(raw):
        fault = "long_text" if len(text) > MAX_CHARS else "" if text.strip() else "empty_text"
        if any("\ud800" <= letter <= "\udfff" for letter in text[:MAX_CHARS]):  # no file can hold a lone surrogate
            fault = fault or "broken_text"
        if fault:
            note(fault, f"{uid}[{number}]")
        else:
            kept.append(text)
    return kept


def _split(uid: Uid, stem: str, texts: int, candidates: Candidates | None, note: Note) -> str:
    """Return the file name's split, else that of room or animation; several texts of a training room are val-seen."""
    by_uid = captioning_split(uid) if candidates is None else retrieval_split(uid)
    by_file = split_of_file(stem)
    if by_file is None:
        return "val_seen" if candidates is None and by_uid == "train" and texts > 1 else by_uid
    if by_uid != by_file.replace("val_seen", "train"):
        note("other_split", f"{uid} of {by_uid} in {stem}.json")
    return by_file


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
    "false_statement": "statements that are false of their pictures: left out",
    "missing_name": "names of pictures that no file has, or several have",
    "damaged_name": "damaged pictures",
    "without_picture": "pairs without both pictures: left out",
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


def import_release(annotations: Path, images: Path | None, joints: Path | None, out: Path) -> ImportSummary:
    """Write the release as a dataset folder ``out``, new or empty, with its card.

    Raises :class:`BadInputError` for a folder that is missing or holds nothing usable, a file that is not json, and an
    ``out`` that is not empty.
    """
    from fmp_models.data.card import write_official_card  # noqa: PLC0415  it imports matplotlib

    summary = write_shards(annotations, images, joints, out)
    for remark in summary.remarks:
        _log.warning(remark)
    write_official_card(out, summary.remarks)
    return summary


def write_shards(annotations: Path, images: Path | None, joints: Path | None, out: Path) -> ImportSummary:
    """Do all of :func:`import_release` except the card and the report of the findings."""
    if not annotations.is_dir():
        raise BadInputError("folder_missing", path=str(annotations))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInputError("folder_not_empty", path=str(out))
    findings = Findings()
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
        _log.info("%s %s: %d rows", config, split, writer.rows)
    return ImportSummary(dict(rows), dict(findings.counts), findings.lines())


def _row(entry: Entry, files: ReleasedFiles) -> dict[str, object]:
    current = files.shot(PictureName(entry.uid, "current"))
    if entry.candidates is None:
        return captioning_row(entry.uid, current, files.shot(PictureName(entry.uid, "target")), entry.descriptions)
    shots = [files.shot(picture) for picture in entry.candidates.pictures]
    return retrieval_row(entry.uid, current, shots, entry.candidates.answer, entry.descriptions)


class Findings:
    """Counts and first examples of every kind of finding."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._examples: defaultdict[str, list[str]] = defaultdict(list)

    def note(self, kind: str, where: str) -> None:
        """Count a finding (a key of :data:`FINDINGS`) and keep the first examples of its kind."""
        self.counts[kind] += 1
        if len(self._examples[kind]) < EXAMPLES:
            self._examples[kind].append(" ".join(where.split())[:120])

    def lines(self) -> tuple[str, ...]:
        """Return one line for each kind."""
        kinds = [kind for kind in FINDINGS if self.counts[kind]]
        return tuple(f"{self.counts[kind]} {FINDINGS[kind]} ({self._examples_of(kind)})" for kind in kinds)

    def _examples_of(self, kind: str) -> str:
        more = ["..."] if self.counts[kind] > EXAMPLES else []
        return "; ".join([*self._examples[kind], *more])
