"""The names of pairs and of their pictures, as the release writes them: ``13_19_4_13_1``, ``current_13_19_4_13_1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from fmp_models.errors import BadInputError

Moment = Literal["current", "target"]
MOMENTS: tuple[Moment, Moment] = ("current", "target")

WIDE_FROM = 5000  # capture of the first wide pair of a unit, beyond that of any other pair

_NUMBER = "(0|[1-9][0-9]{0,3})"
_UID = re.compile("_".join([_NUMBER] * 5))


@dataclass(frozen=True, order=True)
class Uid:
    """A pair: what is performed, where, by whom, when (the capture point) and at which spot; all counted from 0."""

    animation: int
    room: int
    character: int
    capture: int
    spot: int

    def __str__(self) -> str:
        """As the release writes it."""
        return f"{self.animation}_{self.room}_{self.character}_{self.capture}_{self.spot}"


@dataclass(frozen=True, order=True)
class PictureName:
    """One of the two pictures of a pair; its text is the file name without the ending."""

    uid: Uid
    moment: Moment

    def __str__(self) -> str:
        """As the release names the file, without ``.png``."""
        return f"{self.moment}_{self.uid}"


def parse_uid(text: str) -> Uid:
    """Read ``animation_room_character_capture_spot``; ``BadInputError("uid_malformed")`` for anything else."""
    match = _UID.fullmatch(text)
    if match is None:
        raise BadInputError("uid_malformed", text=text[:80])
    return Uid(*(int(number) for number in match.groups()))


def picture_of(name: str) -> PictureName | None:
    """What :func:`parse_picture` reads, or None for a name that is not of a pair."""
    try:
        return parse_picture(name)
    except BadInputError:
        return None


def parse_picture(path: str) -> PictureName:
    """Read the picture that a released path names, whatever its folder and ending; ``BadInputError`` otherwise."""
    stem = PurePosixPath(path.replace("\\", "/")).stem
    moment, _, uid = stem.partition("_")
    for known in MOMENTS:
        if moment == known:
            return PictureName(parse_uid(uid), known)
    raise BadInputError("uid_malformed", text=stem[:80])
