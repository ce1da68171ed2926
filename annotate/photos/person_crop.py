"""Person crop: one square around the person for all pictures of a question, so that they can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_REACH = 1.3  # side of the square relative to the joints' box: head, hands and feet reach beyond it
_USELESS = 0.9  # relative to the longer side of a picture: a larger square would hardly enlarge the person


@dataclass(frozen=True)
class SeenPerson:
    """The ``size`` of a picture (width and height in pixels), and the four edges of its largest person's box."""

    size: tuple[int, int]
    box: tuple[float, float, float, float]


@dataclass(frozen=True)
class CropPosition:
    """The position of a picture behind a square window: its width, left and top in percent of the window."""

    width: float
    left: float
    top: float


def person_crop(persons: Iterable[SeenPerson | None]) -> CropPosition | None:
    """Return one square for all pictures; None if their sizes differ, a person is missing, or fills the picture."""
    people = list(persons)
    present = [person for person in people if person is not None]
    if not present or len(present) < len(people) or len({person.size for person in present}) > 1:
        return None
    wide, high = present[0].size
    lows = [min(person.box[side] for person in present) for side in (0, 1)]
    highs = [max(person.box[side] for person in present) for side in (2, 3)]
    side = _REACH * max(highs[0] - lows[0], highs[1] - lows[1])
    if not 0 < side < _USELESS * max(wide, high):
        return None
    left, top = (_start(low, far, side, length) for low, far, length in zip(lows, highs, (wide, high), strict=True))
    return CropPosition(100 * wide / side, -100 * left / side, -100 * top / side)


def _start(low: float, far: float, side: float, length: int) -> float:
    """Return where the square begins: centred on the box, and within the picture if possible."""
    middle = (low + far - side) / 2
    return (length - side) / 2 if side >= length else min(max(middle, 0.0), length - side)
