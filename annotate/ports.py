"""What this room is handed by the page, since it may not know the models: plain callables, and the shapes they take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from annotate.photos.face_redaction import FaceBox


class BrokenRules(Protocol):
    """The paper's writing rules, Appendix B.3."""

    def __call__(self, text: str, *, no_clear_difference: bool = False) -> tuple[str, ...]:
        """Codes of the rules that a text breaks, none for a good one."""


@dataclass(frozen=True)
class Examined:
    """Of a photograph: how many ``people`` it shows, and of the largest the ``size`` in pixels and the ``faces`` found.

    ``apart`` is how far the pose is from the one to re-enact, ``mirrored`` how far its mirror image is, and ``other``
    how far it is from the other pose of the pair: metres of the mean joint, both bodies scaled to one size, turned to
    one side and laid on each other at the hips; None where that pose cannot be measured in its picture. ``joints`` are
    those of the pose as measured, 22 times x, y and z in metres.
    """

    people: int
    size: float
    faces: tuple[FaceBox, ...]
    apart: float | None
    mirrored: float | None
    other: float | None
    joints: tuple[tuple[float, ...], ...]
    estimator: str


class Examine(Protocol):
    """Look at a photograph in which somebody re-enacts the pose of the picture ``like``, not that of ``other``."""

    def __call__(self, photograph: bytes, like: bytes, other: bytes) -> Examined:
        """All are JPEG files. Raise :class:`RefusedError`: ``photo_nobody``, ``photo_body_hidden``."""


class TakeUpload(Protocol):
    """Read a file that was sent to the app, once: it is gone from the disk afterwards, whatever comes of it."""

    def __call__(self, path: str) -> bytes:
        """Raise :class:`RefusedError` ``photo_gone`` for any path under which nothing was sent."""


@dataclass(frozen=True)
class Photographs:
    """What it takes to receive photographs."""

    examine: Examine
    take: TakeUpload


@dataclass(frozen=True)
class Ports:
    """``broken_rules`` as ``fmp_models.data.writing_rules`` has it; without ``photographs`` no real pairs are asked."""

    broken_rules: BrokenRules
    photographs: Photographs | None = None
