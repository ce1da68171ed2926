"""Labelled pairs of real photographs: a folder of pictures and a ``truth.json`` with the changes that people saw.

``docs/real_pairs.md`` describes the format.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, TypeAdapter, ValidationError

from fmp_models.common import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.files import read_bounded, read_json, shown

TRUTH = "truth.json"
SIDES = ("left", "right")
OF_A_SIDE = (
    "arm_up",
    "arm_out",
    "arm_forward",
    "hand_up",
    "elbow_bend",
    "knee_bend",
    "leg_up",
    "foot_side",
    "foot_forward",
)
OF_THE_BODY = (
    "feet_apart",
    "hips_down",
    "trunk_forward",
    "trunk_left",
    "trunk_twist_left",
    "body_turn_left",
    "head_up",
    "head_left_tilt",
    "head_turn_left",
    "stand",
)
SLOTS = (*(f"{side}_{slot}" for side in SIDES for slot in OF_A_SIDE), *OF_THE_BODY)
ENDS: Mapping[str, tuple[str, ...]] = {
    f"{side}_{name}": values
    for side in SIDES
    for name, values in (
        ("arm_level", ("hip", "chest", "shoulder", "head", "above_head")),
        ("knee_angle", ("straight", "slight", "right_angle", "deep")),
    )
}

_MAX_BYTES = 10_000_000
_MAX_ID_CHARS = 100  # of an id or a view
_EXAMPLE = '[{"id": "squat", "current": "a.jpg", "target": "b.jpg", "truth": {"hips_down": 1}, "must": ["hips_down"]}]'

Truth = Mapping[str, int | None]


@dataclass(frozen=True)
class LabelledPair:
    """Two photographs and the labelled changes from the first to the second.

    ``truth`` has a sign for each slot; None or a missing slot means that it cannot be told. ``must`` are the
    slots to mention first; each has a sign in ``truth``. ``end`` tells where limbs are in the target.
    """

    id: str
    current: Path
    target: Path
    truth: Truth
    must: tuple[str, ...]
    end: Mapping[str, str]
    view: str | None


@dataclass(frozen=True)
class LabelledPairs:
    """The pairs of a folder called ``name``; ``fingerprint`` changes with any picture or label."""

    name: str
    pairs: tuple[LabelledPair, ...]
    fingerprint: str


def _name(text: str) -> str:
    if not 0 < len(text) <= _MAX_ID_CHARS or not text.isprintable():
        raise ValueError(f"it must be a line of 1 to {_MAX_ID_CHARS} characters")
    return text


def _slot(name: str) -> str:
    if name not in SLOTS:
        raise ValueError(f"there is no slot “{shown(name)}”")
    return name


def _sign(value: object) -> object:
    if value is not None and (type(value) is not int or value not in {-1, 0, 1}):  # True is 1 to Python
        raise ValueError("it must be -1, 0, 1 or null")
    return value


def _ends(ends: dict[str, str | None]) -> dict[str, str]:
    known = {name: value for name, value in ends.items() if value is not None}
    for name, value in known.items():
        if name not in ENDS:
            raise ValueError(f"there is no end state “{shown(name)}”")
        if value not in ENDS[name]:
            raise ValueError(f"“{name}” must be one of {', '.join(ENDS[name])}")
    return known


_Name = Annotated[str, AfterValidator(_name)]
_Slot = Annotated[str, AfterValidator(_slot)]
_Sign = Annotated[int | None, BeforeValidator(_sign)]
_Ends = Annotated[dict[str, str | None], AfterValidator(_ends)]


@dataclass(frozen=True)
class _Written:
    """A pair as stored in the file; other keys are ignored."""

    id: _Name
    current: str
    target: str
    truth: dict[_Slot, _Sign]
    must: list[_Slot]
    end: _Ends = field(default_factory=dict)
    view: _Name | None = None


_WRITTEN = TypeAdapter(list[_Written])
_SAID = {"dataclass_type": "it must be an object", "dict_type": "it must be an object", "missing": "it is missing"}


def read_real_pairs(folder: Path) -> LabelledPairs:
    """Read and check a whole folder before anything is measured.

    Raises :class:`BadInputError`: ``folder_missing``, ``pairs_none``, ``pairs_unusable``, ``uid_twice``,
    ``picture_missing``, ``picture_outside``, ``file_too_large``, and the errors of ``read_json``.
    """
    if not folder.is_dir():
        raise BadInputError("folder_missing", path=str(folder))
    path = folder / TRUTH
    entries = _checked(path, read_json(path, _MAX_BYTES, _EXAMPLE))
    pairs = tuple(
        LabelledPair(
            id=pair.id,
            current=picture_in(folder, pair.id, pair.current),
            target=picture_in(folder, pair.id, pair.target),
            truth=pair.truth,
            must=tuple(dict.fromkeys(pair.must)),
            end={name: value for name, value in pair.end.items() if value is not None},
            view=pair.view,
        )
        for pair in entries
    )
    return LabelledPairs(folder.resolve().name, pairs, _fingerprint(pairs))


def _checked(path: Path, content: object) -> list[_Written]:
    if not isinstance(content, list):
        raise BadInputError("json_unexpected", path=str(path), example=_EXAMPLE)
    try:
        entries = _WRITTEN.validate_python(content)
    except ValidationError as error:
        raise BadInputError("pairs_unusable", path=str(path), reason=_reason(error)) from None
    if not entries:
        raise BadInputError("pairs_none", path=str(path))
    ids: set[str] = set()
    for pair in entries:
        if pair.id in ids:
            raise BadInputError("uid_twice", path=str(path), uid=shown(pair.id))
        ids.add(pair.id)
        for slot in pair.must:
            if not pair.truth.get(slot):
                reason = f"the pair “{shown(pair.id)}” lists “{slot}” in must, so truth must have 1 or -1 for it"
                raise BadInputError("pairs_unusable", path=str(path), reason=reason)
    return entries


def _reason(error: ValidationError) -> str:
    """Return the first validation error as a sentence with its place; pairs are counted from 1."""
    first = error.errors(include_url=False, include_input=False)[0]
    number, *keys = (part for part in first["loc"] if part != "[key]")
    place = ".".join(shown(str(key)) for key in keys)
    fault = str(first["ctx"]["error"]) if first["type"] == "value_error" else _SAID.get(first["type"], first["msg"])
    return f"pair {int(number) + 1}{f', {place}' if place else ''}: {fault[:1].lower()}{fault[1:]}"


def picture_in(folder: Path, pair: str, name: str) -> Path:
    """Return the path of a picture; raise :class:`BadInputError` if it is missing, too large or outside the folder."""
    details = {"pair": shown(pair), "picture": shown(name), "path": str(folder)}
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise BadInputError("picture_outside", **details)
        if not path.is_file():
            raise BadInputError("picture_missing", **details)
        size = path.stat().st_size
    except (OSError, ValueError, RuntimeError):  # not a valid file name, or a cycle of links
        raise BadInputError("picture_missing", **details) from None
    if size > MAX_BYTES:
        raise BadInputError("file_too_large", path=str(path), limit_mb=MAX_BYTES // 1_000_000)
    return path


def _fingerprint(pairs: tuple[LabelledPair, ...]) -> str:
    whole = hashlib.sha256()
    for pair in pairs:
        labels = [pair.id, pair.view, dict(pair.truth), pair.must, dict(pair.end)]
        whole.update(json.dumps(labels, sort_keys=True).encode())
        for picture in (pair.current, pair.target):
            whole.update(hashlib.sha256(read_bounded(picture, MAX_BYTES)).digest())
    return whole.hexdigest()
