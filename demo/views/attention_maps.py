"""Attention maps of the words of an answer, small enough to send with the page.

Weights become levels from 0 to 35, one character each. Level 0 is a place with average attention or less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demo.views.figures import DrawnSkeleton
from fmp_models.inference.corrector import AttentionMap, MeasuredPhotographs
from fmp_models.pose import BODY_PARTS, INDEX, Array
from fmp_models.preprocessing.person_crop import PersonCrop

AROUND, NOWHERE = "looks.around", "looks.nowhere"

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CLEAR = 4.0  # times the uniform weight: a weight that reaches it can have full strength
_FAINT = 0.15  # strength; a weaker maximum means that the attention has no focus
_AMONG = 0.5  # of the strongest part: other parts above it are named too
_NAMED = 3


@dataclass(frozen=True)
class WordLook:
    """Attention levels of one word: over the crop of each photograph, row by row, and at each joint.

    A level string is empty if the model has no such input. ``at_pictures`` and ``at_joints`` describe the same for
    screen readers: keys of the page's texts.
    """

    current: str
    target: str
    joints: str
    at_pictures: tuple[str, ...]
    at_joints: tuple[str, ...]


def word_looks(measurements: MeasuredPhotographs) -> tuple[WordLook, ...]:
    """Return the attention of each word; empty if the model has none, as the geometry."""
    if all(_is_blind(look) for look in measurements.looks):
        return ()
    return tuple(_word_look(look, measurements) for look in measurements.looks)


def place(square: PersonCrop, skeleton: DrawnSkeleton) -> str:
    """Return the position of a photograph's crop over its figure, as CSS percentages of the figure."""
    width, height = skeleton.size
    left, top = (
        (start - origin) * skeleton.zoom
        for start, origin in zip((square.left, square.top), skeleton.origin, strict=True)
    )
    side = square.side * skeleton.zoom
    return f"left:{left / width:.2%};top:{top / height:.2%};width:{side / width:.2%};height:{side / height:.2%}"


def _is_blind(look: AttentionMap) -> bool:
    return all(weights is None for weights in (look.current, look.target, look.joints, look.differences))


def _word_look(look: AttentionMap, measurements: MeasuredPhotographs) -> WordLook:
    pictures = [None if weights is None else _strengths(weights) for weights in (look.current, look.target)]
    of_joints = [weights for weights in (look.joints, look.differences) if weights is not None]
    joints = _strengths(np.mean(of_joints, axis=0)) if of_joints else None
    return WordLook(
        current=_packed(pictures[0]),
        target=_packed(pictures[1]),
        joints=_packed(joints),
        at_pictures=_at_pictures(pictures, measurements),
        at_joints=() if joints is None else _parts(joints, float(joints.max())),
    )


def _strengths(weights: Array) -> Array:
    """Return attention weights scaled from 0 (uniform or less) to 1."""
    even = 1 / weights.size
    return np.asarray(np.clip((weights - even) / (max(float(weights.max()), _CLEAR * even) - even), 0, 1))


def _packed(strengths: Array | None) -> str:
    if strengths is None:
        return ""
    return "".join(_DIGITS[level] for level in np.rint(strengths.ravel() * (len(_DIGITS) - 1)).astype(int))


def _at_pictures(pictures: list[Array | None], measurements: MeasuredPhotographs) -> tuple[str, ...]:
    """Return the body parts with attention in photographs with joints, or the key for attention off the body."""
    if measurements.squares is None:
        return ()
    looked_at = [
        (strengths, square.places(estimate.image_joints))
        for strengths, square, estimate in zip(pictures, measurements.squares, measurements.estimates, strict=True)
        if strengths is not None and estimate is not None
    ]
    if not looked_at:
        return ()
    at_joints = np.max([_at(strengths, places) for strengths, places in looked_at], axis=0)
    return _parts(at_joints, max(float(strengths.max()) for strengths, _ in looked_at))


def _at(strengths: Array, places: NDArray[np.float32]) -> Array:
    """Return the strengths (g, g) at points (20, 2) of the crop; 0 outside it."""
    cells = np.floor(places * len(strengths)).astype(int)
    inside = np.all((cells >= 0) & (cells < len(strengths)), axis=1)
    across, down = np.where(inside[:, None], cells, 0).T
    return np.where(inside, strengths[down, across], 0.0)


def _parts(at_joints: Array, strongest: float) -> tuple[str, ...]:
    """Return the parts with the most attention, strongest first; ``strongest`` is the maximum on and off the body."""
    if strongest < _FAINT:
        return (NOWHERE,)
    strengths = {part: max(float(at_joints[INDEX[name]]) for name in names) for part, names in BODY_PARTS.items()}
    least = max(_AMONG * strongest, _FAINT)
    parts = sorted((part for part in strengths if strengths[part] >= least), key=lambda part: -strengths[part])
    return tuple(f"parts.{part}" for part in parts[:_NAMED]) or (AROUND,)
