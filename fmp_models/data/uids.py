"""The names of pairs and of their pictures, as the release writes them: ``13_19_4_13_1``, ``current_13_19_4_13_1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from fmp_models.errors import BadInputError

Moment = Literal["current", "target"]
MOMENTS: tuple[Moment, Moment] = ("current", "target")

WIDE_FROM = 5000  # capture number of the first wide pair of a unit, above that of any other pair

_NUMBER = "(0|[1-9][0-9]{0,3})"
_UID = re.compile("_".join([_NUMBER] * 5))


@dataclass(frozen=True, order=True)
class Uid:
    """The identifier of a pair: animation, room, character, capture point and spot, all counted from 0."""

    animation: int
    room: int
    character: int
    capture: int
    spot: int

    def __str__(self) -> str:
        """Return the uid as the release writes it."""
        return f"{self.animation}_{self.room}_{self.character}_{self.capture}_{self.spot}"


@dataclass(frozen=True, order=True)
class PictureName:
    """One of the two pictures of a pair; its text is the file name without the ending."""

    uid: Uid
    moment: Moment

    def __str__(self) -> str:
        """Return the file name of the release without ``.png``."""
        return f"{self.moment}_{self.uid}"


def parse_uid(text: str) -> Uid:
    """Parse ``animation_room_character_capture_spot``; raise ``BadInputError("uid_malformed")`` for anything else."""
    match = _UID.fullmatch(text)
    if match is None:
        raise BadInputError("uid_malformed", text=text[:80])
    return Uid(*(int(number) for number in match.groups()))


def picture_of(name: str) -> PictureName | None:
    """Return the result of :func:`parse_picture`, or ``None`` if the name is not that of a pair's picture."""
    try:
        return parse_picture(name)
    except BadInputError:
        return None


def parse_picture(path: str) -> PictureName:
    """Parse the picture name in a released path, ignoring folder and ending; raise ``BadInputError`` if it has none."""
    stem = PurePosixPath(path.replace("\\", "/")).stem
    moment, _, uid = stem.partition("_")
    for known in MOMENTS:
        if moment == known:
            return PictureName(parse_uid(uid), known)
    raise BadInputError("uid_malformed", text=stem[:80])
