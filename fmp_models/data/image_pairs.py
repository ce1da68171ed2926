"""The importer of image-difference sets: pairs of pictures of anything, and texts about what differs.

Four published forms are read. ``pairs``, of Tan et al. 2019 (Image Editing Request), is a list of ``{"img0", "img1",
"sents", "uid"}``. ``spot-the-diff`` is a list of ``{"img_id", "sentences"}`` with the pictures ``ID.png`` and
``ID_2.png``. ``nlvr2`` is the first form with a ``label``, or the published lines with an ``identifier``.
``clevr-change`` is ``change_captions.json``, ``no_change_captions.json`` and ``splits.json``.

The pairs have no joints, animation, room or character: these columns are null. Paths in a file are names to look up
among the pictures, so nothing outside the folder of pictures is read.
"""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from fmp_models.common import LANGUAGES, MAX_BYTES
from fmp_models.data.features import CAPTIONING_FEATURES
from fmp_models.data.folder import ShardWriter
from fmp_models.data.released import PICTURE_ENDINGS, Findings, ImportSummary, kept_texts
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded, read_json, shown
from fmp_models.preprocessing import read_photograph

MAX_FILE_BYTES = 150_000_000  # NLVR2 has 40 million in 86,000 pairs
MAX_IMAGE_PAIRS = 300_000
EXAMPLE = '[{"img0": "a.jpg", "img1": "b.jpg", "sents": ["a text"], "uid": "1"}]'

# The words of a file's name that tell its split, and the split of the schema.
SPLIT_NAMES: Mapping[str, str] = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("val", "valid", "validation", "dev"), "val_seen"),
    "test": "test_unseen",
}
_MAX_UID_CHARS = 100
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ImagePair:
    """One entry of a file: its name, split and texts, and the names of its two pictures."""

    uid: str
    split: str | None
    pictures: tuple[str, str]
    texts: object


@dataclass(frozen=True)
class PairsOptions:
    """How files are read; ``format`` and ``split`` are recognised if they are ``None``.

    ``subset`` of CLEVR-Change is ``sc`` (changed scenes), ``nsc`` (light and view alone) or ``all``. ``true_only``
    leaves out statements of NLVR2 that are false. ``without_pictures`` keeps the texts of pairs without both pictures.
    """

    format: str | None = None
    split: str | None = None
    language: str = LANGUAGES[0]
    subset: str = "all"
    true_only: bool = True
    without_pictures: bool = False


_Read = tuple[str, str, str, object]  # uid, names of both pictures, texts


def _pair(raw: Mapping[str, Any], number: int, stem: str) -> _Read:
    return str(raw.get("uid", f"{stem}_{number}")), raw["img0"], raw["img1"], raw["sents"]


def _spot_the_diff(raw: Mapping[str, Any], number: int, _: str) -> _Read:
    name = str(raw["img_id"])  # several people described some pairs
    return f"{name}_{number}", name, f"{name}_2", raw["sentences"]


def _nlvr2(raw: Mapping[str, Any], number: int, stem: str) -> _Read:
    if "img0" in raw:
        return _pair(raw, number, stem)
    pictures = str(raw["identifier"]).rpartition("-")[0]
    return str(raw["identifier"]), f"{pictures}-img0", f"{pictures}-img1", [raw["sentence"]]


def _clevr_change(raw: Mapping[str, Any], *_: object) -> _Read:
    number = re.sub(r"\D", "", raw["key"])
    if not number:
        raise ValueError(f"“{shown(raw['key'])}” has no number")
    kind, ending = ("nonsemantic", "_n") if raw["unchanged"] else ("semantic", "")
    return f"clevr_{number}{ending}", f"CLEVR_default_{number}", f"CLEVR_{kind}_{number}", raw["texts"]


# Each format with the keys that tell it, the most telling first.
_READERS: Mapping[str, tuple[set[str], Callable[[Mapping[str, Any], int, str], _Read]]] = {
    "clevr-change": ({"key", "texts", "unchanged"}, _clevr_change),
    "spot-the-diff": ({"img_id", "sentences"}, _spot_the_diff),
    "nlvr2": ({"identifier"}, _nlvr2),
    "pairs": ({"img0", "img1", "sents"}, _pair),
}


def read_pairs_files(files: Sequence[Path], options: PairsOptions, findings: Findings) -> list[ImagePair]:
    """Return the usable entries of all files in order; findings count the others.

    Raises ``BadInputError``: those of ``read_json``, ``image_pairs_unusable``, ``pairs_split_unknown``,
    ``pairs_too_many``.
    """
    contents = {path: _load(path) for path in files}
    numbered = {
        number: SPLIT_NAMES[split]
        for content in contents.values()
        if _is_splits(content)
        for split, numbers in content.items()
        for number in numbers
    }
    entries: dict[str, ImagePair] = {}
    for path, content in contents.items():
        if _is_splits(content):
            continue
        raws = _entries(content, path)
        if len(entries) + len(raws) > MAX_IMAGE_PAIRS:
            raise BadInputError("pairs_too_many", path=str(path), limit=MAX_IMAGE_PAIRS)
        for entry in _read_entries(raws, path, options, findings, numbered):
            if entry.split is None:
                raise BadInputError("pairs_split_unknown", path=str(path))
            if entries.setdefault(entry.uid, entry) is not entry:
                findings.note("duplicate", f"{path.name}: {entry.uid}")
    return [*entries.values()]


def _read_entries(
    raws: Sequence[Any], path: Path, options: PairsOptions, findings: Findings, numbered: Mapping[int, str]
) -> Iterator[ImagePair]:
    """Yield the entries of one file that the options want; ``numbered`` are the splits of CLEVR-Change's scenes."""
    kind = options.format or _format_of(raws)
    if kind is None or not raws:
        reason = "its form is not known" if raws else "it has no pairs"
        raise BadInputError("image_pairs_unusable", path=str(path), reason=reason, example=EXAMPLE)
    split = SPLIT_NAMES[options.split] if options.split else _split_of_name(path)
    for number, raw in enumerate(raws):
        try:
            entry = _entry(_READERS[kind][1](raw, number, path.stem), split)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            findings.note("malformed", f"{path.name}, entry {number}: {type(error).__name__} {error}")
            continue
        if kind == "nlvr2" and options.true_only and str(raw.get("label", True)).lower() != "true":
            findings.note("false_statement", entry.uid)
        elif kind != "clevr-change":
            yield entry
        elif options.subset == "all" or (options.subset == "nsc") == raw["unchanged"]:
            listed = numbered.get(int(entry.uid.split("_")[1]), split)
            yield entry if options.split else replace(entry, split=listed)


def _load(path: Path) -> Any:  # noqa: ANN401  any JSON value
    """Return the content of a JSON file, or of a file with one JSON value in each line."""
    try:
        return read_json(path, MAX_FILE_BYTES, EXAMPLE)
    except BadInputError as error:
        if error.code != "json_broken":
            raise
        try:
            return [json.loads(line) for line in read_bounded(path, MAX_FILE_BYTES).splitlines() if line.strip()]
        except (ValueError, RecursionError):
            raise error from None


def _is_splits(content: object) -> bool:
    """Return whether the content is that of ``splits.json``: lists of numbers by split."""
    if not isinstance(content, dict) or not content or not content.keys() <= SPLIT_NAMES.keys():
        return False
    return all(isinstance(of, list) and all(isinstance(number, int) for number in of) for of in content.values())


def _entries(content: object, path: Path) -> list[Any]:
    if isinstance(content, dict):
        unchanged = path.stem.startswith("no_")
        return [{"key": key, "texts": texts, "unchanged": unchanged} for key, texts in content.items()]
    return content if isinstance(content, list) else []


def _format_of(raws: Sequence[Any]) -> str | None:
    keys = next((raw.keys() for raw in raws if isinstance(raw, dict)), set[str]())
    return next((name for name, (needed, _) in _READERS.items() if needed <= keys), None)


def _split_of_name(path: Path) -> str | None:
    words = re.split(r"[^a-z]+", path.stem.lower())
    return next((SPLIT_NAMES[word] for word in words if word in SPLIT_NAMES), None)


def _entry(read: _Read, split: str | None) -> ImagePair:
    uid, *pictures, texts = read
    if not all(isinstance(name, str) for name in pictures):
        raise TypeError("a picture is not a name")
    if not 0 < len(uid) <= _MAX_UID_CHARS or not uid.isprintable():
        raise ValueError("its uid is empty, very long or not printable")
    return ImagePair(re.sub(r"[/\\]", "-", uid), split, (str(pictures[0]), str(pictures[1])), texts)


class _PictureFolder:
    """The pictures below a folder, by their paths, their last parts, and both without the ending."""

    def __init__(self, folder: Path | None, findings: Findings) -> None:
        if folder is not None and not folder.is_dir():
            raise BadInputError("folder_missing", path=str(folder))
        self._found: dict[str, Path | None] = {}  # None for a name that several pictures have
        self._faults: dict[Path, str] = {}
        self._findings = findings
        exact: dict[str, Path | None] = {}
        for path in sorted(folder.rglob("*")) if folder else ():
            if path.suffix.lower() in (*PICTURE_ENDINGS, ".webp") and path.is_file():
                parts = path.relative_to(str(folder)).parts
                for start in range(len(parts)):
                    name = "/".join(parts[start:])
                    for key in (name, name.removesuffix(path.suffix)):
                        self._found[key] = None if key in self._found else path
                exact["/".join(parts)] = path
        self._found |= exact

    def path(self, name: str) -> Path | None:
        """Return the picture whose path shares the longest end with the given one; ``None`` unless exactly one does."""
        parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in {"/", ".", ".."}]
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        return next((self._found[end] for end in ends if end in self._found), None)

    def image(self, name: str, stored_as: str) -> dict[str, object] | None:
        """Return the value of an image column; ``None`` for a picture that is missing or cannot be read."""
        path = self.path(name)
        if path is None:
            if self._found:
                self._findings.note("missing_name", shown(name))
            return None
        try:
            data = read_bounded(path, MAX_BYTES)
            if path not in self._faults:
                self._faults[path] = ""
                read_photograph(data)
        except BadInputError as error:
            self._faults[path] = str(error)
        if self._faults[path]:
            self._findings.note("damaged_name", f"{shown(name)} ({self._faults[path]})")
            return None
        return {"bytes": data, "path": f"{stored_as}{path.suffix.lower()}"}


def import_pairs(files: Sequence[Path], images: Path | None, out: Path, options: PairsOptions) -> ImportSummary:
    """Write an image-difference set as a dataset folder ``out``, new or empty, with its card.

    Raises ``BadInputError``: ``folder_missing``, ``folder_not_empty``, those of :func:`read_pairs_files`, and
    ``pairs_without_pictures`` if no pair has both pictures.
    """
    from fmp_models.data.card import write_pairs_card  # noqa: PLC0415  it imports matplotlib

    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInputError("folder_not_empty", path=str(out))
    findings = Findings()
    pictures = _PictureFolder(images, findings)
    by_split: defaultdict[str, list[ImagePair]] = defaultdict(list)
    for entry in read_pairs_files(files, options, findings):
        by_split[str(entry.split)].append(entry)
    every = [entry for of_split in by_split.values() for entry in of_split]
    if not every:
        raise BadInputError("image_pairs_unusable", path=str(files[0]), reason="it has no usable pair", example=EXAMPLE)
    if not options.without_pictures and not any(all(map(pictures.path, entry.pictures)) for entry in every):
        raise BadInputError("pairs_without_pictures", count=len(every), example=shown(every[0].pictures[0]))
    rows: dict[str, int] = {}
    for split, of_split in sorted(by_split.items()):
        with ShardWriter(out, "captioning", split) as writer:
            for row in _rows(of_split, pictures, options, findings):
                writer.add(row)
        rows[split] = writer.rows
    if not any(rows.values()):  # every picture is damaged
        shutil.rmtree(out / "captioning")
        raise BadInputError("image_pairs_unusable", path=str(files[0]), reason=findings.lines()[-1], example=EXAMPLE)
    summary = ImportSummary({"captioning": rows}, dict(findings.counts), findings.lines())
    for remark in summary.remarks:
        _log.warning(remark)
    write_pairs_card(out, [options.language], [f"Found while importing: {remark}" for remark in summary.remarks])
    return summary


def _rows(
    entries: Sequence[ImagePair], pictures: _PictureFolder, options: PairsOptions, findings: Findings
) -> Iterator[dict[str, object]]:
    for entry in entries:
        try:
            texts = kept_texts(entry.texts, entry.uid, findings.note)
        except (TypeError, ValueError) as error:
            findings.note("malformed", str(error))
            continue
        named = zip(("current", "target"), entry.pictures, strict=True)
        images = {moment: pictures.image(name, f"{moment}_{entry.uid}") for moment, name in named}
        if None in images.values() and not options.without_pictures:
            findings.note("without_picture", entry.uid)
            continue
        if not texts:
            findings.note("no_text", entry.uid)
        empty: dict[str, object] = {f"descriptions_{language}": [] for language in LANGUAGES}
        columns = dict.fromkeys(CAPTIONING_FEATURES) | empty | {f"descriptions_{options.language}": texts}
        yield {**columns, "uid": entry.uid, **images}
