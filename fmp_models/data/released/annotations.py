"""The released json files as entries of one type for both tasks; unusable entries are noted and left out.

A captioning entry is ``{uid, img0, img1, sents, sents_hindi}``; a retrieval entry has ``trg0`` to ``trg9`` and
``ans_idx`` instead of ``img1``. All ten candidates are the released ones, read from their paths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fmp_models.data.distractors import Candidates
from fmp_models.data.features import CANDIDATES
from fmp_models.data.released.files import Note
from fmp_models.data.splits import captioning_split, retrieval_split
from fmp_models.data.uids import PictureName, Uid, parse_picture, parse_uid
from fmp_models.errors import BadInputError
from fmp_models.files.bounded import demand_few_values, read_within

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
    descriptions = {language: _texts(raw.get(key) or [], uid, note) for language, key in _TEXT_KEYS.items()}
    if not any(descriptions.values()):
        note("no_text", str(uid))
    elif len(descriptions["en"]) not in _USUAL_TEXTS:
        note("unusual_number", f"{uid} has {len(descriptions['en'])}")
    return Entry(uid, _split(uid, stem, len(descriptions["en"]), candidates, note), descriptions, candidates)


def _candidates(raw: dict[str, Any], uid: Uid) -> Candidates:
    pictures = tuple(_picture(raw, f"trg{number}") for number in range(CANDIDATES))
    answer = raw["ans_idx"]
    if type(answer) is not int or not 0 <= answer < CANDIDATES or pictures[answer] != PictureName(uid, "target"):
        raise ValueError(f"ans_idx {answer!r} is not the target of {uid}")
    if len(set(pictures)) < CANDIDATES:
        raise ValueError(f"the candidates of {uid} are not ten different pictures")
    return Candidates(pictures, answer)


def _picture(raw: dict[str, Any], key: str) -> PictureName:
    if not isinstance(raw[key], str):
        raise TypeError(f"{key} is not a path")
    return parse_picture(raw[key])


def _texts(raw: object, uid: Uid, note: Note) -> list[str]:
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
