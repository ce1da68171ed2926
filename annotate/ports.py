"""Ports to code that this package may not import, such as models: plain callables and their data types."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

_HEAD = 1.6  # half the side of a head's square, relative to the largest distance of its points from their centre


class BrokenRules(Protocol):
    """The paper's writing rules, Appendix B.3."""

    def __call__(self, text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:
        """Return the codes of the rules that a text breaks; empty for a good text."""


@dataclass(frozen=True)
class FaceBox:
    """The box of a face: left and upper edge, width and height, in pixels of the upright photograph."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], least: float = 0.0) -> Self:
        """Return a square around the visible points of a head (nose, eyes, ears, mouth), in pixels.

        ``least`` is its minimum side, for a head whose points lie behind each other.
        """
        across, down = zip(*points, strict=True)
        middle = (min(across) + max(across)) / 2, (min(down) + max(down)) / 2
        half = max(_HEAD * max(math.dist(middle, point) for point in points), least / 2)
        return cls(middle[0] - half, middle[1] - half, 2 * half, 2 * half)


@dataclass(frozen=True)
class Examined:
    """The findings in a photograph: how many ``people``, and the largest one's ``size`` in pixels and ``faces``.

    Three distances compare the pose: ``pose_distance`` with the pose to re-enact, ``mirrored`` with its mirror image,
    and ``other`` with the other pose of the pair. They are the mean over joints in metres, with both bodies
    scaled to one size, turned to one side and aligned at the hips; None if that pose cannot be measured in its
    picture. ``joints`` are the joints of the measured pose, 20 times x, y and z in metres.
    """

    people: int
    size: float
    faces: tuple[FaceBox, ...]
    pose_distance: float | None
    mirrored: float | None
    other: float | None
    joints: tuple[tuple[float, ...], ...]
    estimator: str


class Examine(Protocol):
    """An examiner of photographs that re-enact the pose of the picture ``like``, not that of ``other``."""

    def __call__(self, photograph: bytes, like: bytes, other: bytes) -> Examined:
        """Return the findings; all pictures are JPEG files.

        Raise :class:`RefusedError`: ``photo_nobody``, ``photo_body_hidden``.
        """


@dataclass(frozen=True)
class BodySeen:
    """The body in one camera frame: the part that is ``missing``, and the ``points`` of its joints.

    The missing part is "feet", "head", "hands" or, for most of it, "body"; None if the whole body is visible.
    Points are (across, down), both in units of the picture's height.
    """

    missing: str | None
    points: tuple[tuple[float, float], ...]


def body_json(body: BodySeen | None) -> dict[str, object]:
    """Return the values of a body for the page's script; None means that no person is visible."""
    if body is None:
        return {"seen": False, "whole": False, "missing": None, "points": ()}
    return {"seen": True, "whole": body.missing is None, "missing": body.missing, "points": body.points}


class Watch(Protocol):
    """A detector of the body in a small camera frame, in memory only; nothing of the frame is stored."""

    def __call__(self, picture: bytes) -> BodySeen | None:
        """Return the body; None if no person is visible. Raise :class:`RefusedError` if the bytes are not a picture."""


def see_nobody(picture: bytes) -> BodySeen | None:  # noqa: ARG001  part of the port's signature
    """Return None: without a detector, no photograph is taken automatically."""
    return None


@dataclass(frozen=True)
class ModelRanking:
    """The probabilities of the candidates, in their order, after ``milliseconds``; equal ones if nothing was read.

    ``language_probabilities`` are those of a retriever that sees no current picture, empty without one. ``val_unseen``
    is the model's share of right answers on that split, as its own evaluation says; 0 if that is not known.
    """

    probabilities: tuple[float, ...]
    model: str
    revision: str = ""
    language_probabilities: tuple[float, ...] = ()
    milliseconds: float = 0.0
    val_unseen: float = 0.0


class RankCandidates(Protocol):
    """A retriever that people try to fool; all pictures are JPEG files."""

    def __call__(self, current: bytes, candidates: Sequence[bytes], text: str, language: str) -> ModelRanking:
        """Return the ranking; an empty text only prepares for others about these pictures."""


class TakeUpload(Protocol):
    """A reader of uploaded files; each is read once and then deleted from the disk, whatever the result."""

    def __call__(self, path: str) -> bytes:
        """Return the file; raise :class:`RefusedError` ``photo_gone`` for a path without an upload."""


@dataclass(frozen=True)
class Photographs:
    """The ports needed to receive photographs."""

    examine: Examine
    take: TakeUpload
    watch: Watch = see_nobody


@dataclass(frozen=True)
class Ports:
    """The ports of this package; ``broken_rules`` is that of ``fmp_models.data.statistics``.

    Without ``photographs``, no real pairs are asked. Without ``rank``, texts against the model are taken unranked.
    """

    broken_rules: BrokenRules
    photographs: Photographs | None = None
    rank: RankCandidates | None = None
