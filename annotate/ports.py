"""Ports: what the page hands this room, which may not know the models; plain callables, and the shapes they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

_HEAD = 1.6  # of a head's half side to how far its points lie from their middle


class BrokenRules(Protocol):
    """The paper's writing rules, Appendix B.3."""

    def __call__(self, text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:
        """Codes of the rules that a text breaks, none for a good one."""


@dataclass(frozen=True)
class FaceBox:
    """Where a face is: left and upper edge, width and height, in pixels of the upright photograph."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def around(cls, points: Sequence[tuple[float, float]], least: float = 0.0) -> Self:
        """A square about the visible points of a head (nose, eyes, ears, mouth), in pixels.

        ``least``: its smallest side, for a head of which the points lie behind each other.
        """
        across, down = zip(*points, strict=True)
        middle = (min(across) + max(across)) / 2, (min(down) + max(down)) / 2
        half = max(_HEAD * max(math.dist(middle, point) for point in points), least / 2)
        return cls(middle[0] - half, middle[1] - half, 2 * half, 2 * half)


@dataclass(frozen=True)
class Examined:
    """The findings in a photograph: how many ``people``, and of the largest the ``size`` in pixels and the ``faces``.

    ``pose_distance`` is how far the pose is from the one to re-enact, ``mirrored`` its mirror image, and ``other``
    how far it is from the other pose of the pair: metres of the mean joint, both bodies scaled to one size, turned to
    one side and laid on each other at the hips; None where that pose cannot be measured in its picture. ``joints`` are
    those of the pose as measured, 22 times x, y and z in metres.
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
    """Look at a photograph in which somebody re-enacts the pose of the picture ``like``, not that of ``other``."""

    def __call__(self, photograph: bytes, like: bytes, other: bytes) -> Examined:
        """All are JPEG files. Raise :class:`RefusedError`: ``photo_nobody``, ``photo_body_hidden``."""


@dataclass(frozen=True)
class BodySeen:
    """The body in one moment of a camera: what is ``missing`` of it, and its joints' ``points``.

    The missing part is "feet", "head", "hands" or most of the "body", None where the whole body is there. Points are
    across and down, both in heights of the picture.
    """

    missing: str | None
    points: tuple[tuple[float, float], ...]


def body_json(body: BodySeen | None) -> dict[str, object]:
    """What the page's script is told of a body, or of nobody."""
    if body is None:
        return {"seen": False, "whole": False, "missing": None, "points": ()}
    return {"seen": True, "whole": body.missing is None, "missing": body.missing, "points": body.points}


class Watch(Protocol):
    """Look at a small picture of a camera, in memory alone; nothing of it is kept."""

    def __call__(self, picture: bytes) -> BodySeen | None:
        """None where nobody is seen. Raise :class:`RefusedError` for what is no picture."""


def see_nobody(picture: bytes) -> BodySeen | None:  # noqa: ARG001  it is what a port is called with
    """Where nothing can look at pictures, none is taken by itself."""
    return None


class TakeUpload(Protocol):
    """Read a file that was sent to the app, once: it is gone from the disk afterwards, whatever comes of it."""

    def __call__(self, path: str) -> bytes:
        """Raise :class:`RefusedError` ``photo_gone`` for any path under which nothing was sent."""


@dataclass(frozen=True)
class Photographs:
    """The ports that receiving photographs takes."""

    examine: Examine
    take: TakeUpload
    watch: Watch = see_nobody


@dataclass(frozen=True)
class Ports:
    """``broken_rules`` as ``fmp_models.data.writing_rules`` has it; without ``photographs`` no real pairs are asked."""

    broken_rules: BrokenRules
    photographs: Photographs | None = None
