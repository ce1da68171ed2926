"""The camera's tilt: how far it looks down and is turned, told by upright lines in the picture and a person's balance.

What is up decides most of a correction, and a picture's own up is seldom gravity's: a phone leans on a shelf and looks
up, or is held high and looks down. Joints as they are measured lean with it. Two things show the tilt. Edges of doors,
windows and furniture are mostly upright, and upright lines of the room run together in one point of the picture, the
vertical vanishing point. And whoever stands has their weight over their feet. Both are weighed against what cameras
mostly do; where they show nothing, or lines agree on nothing, the camera counts as held nearly level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.geometry.pose_values import centre_of_weight
from fmp_models.pose import BODY_SIDES, BONES, INDEX, Array

Floats = NDArray[np.float32]

_SIDE = 360  # pixels of the longer side that edges are looked for in
_FOCAL = 0.9  # focal length in longer sides: phones have 0.7 to 0.8, cameras 0.8 to 2
_PITCHES, _ROLLS = np.arange(-40.0, 41.0, 4.0), np.arange(-30.0, 31.0, 2.0)  # degrees that are thought of
TILTS = len(_PITCHES) * len(_ROLLS)
# Degrees of one standard deviation of how cameras are held, (usually, now and then, how often).
_USUAL_PITCH, _USUAL_ROLL = (9.0, 20.0, 0.1), (3.0, 10.0, 0.07)

_FINE, _AROUND = 1.0, 2.0  # pixels: over which light changes, and over which an edge must have one direction
_FAINT, _STRONG = 1.5, 8.0  # grey levels a pixel: the faintest edge, and from where on none is louder
_STRAIGHT = 0.8  # coherence of the directions around a pixel on a straight edge
_UPRIGHT = 45.0  # degrees from the picture's upright beyond which an edge is none of the room's upright lines
_MIN_EDGE_PIXELS, _MAX_EDGE_PIXELS = 60, 2000  # pixels on edges: fewer say nothing, more only take time
_EXACT, _MOSTLY = 2.0, 0.1  # degrees that an upright edge is off, and the share of edges that are upright
_TOGETHER = 55.0  # pixels of edges that say the same thing once: they lie on one line
_LIMB = 0.06  # of a person's length: half as wide as what their limbs hide, whose edges are their own

_OFF_BALANCE, _FREEDOM = 7.0, 3.0  # degrees that who stands is measured off balance, with the tails of Student's t
_SOLE = 0.3  # of the way from ankle to toes, over which the weight of whoever stands is
_ON_FEET = 0.75, 50.0  # metres from feet to weight and degrees from the picture's upright of who may be standing
_ON_BOTH = 0.15  # metres along the body by which one foot must reach further to carry all
_UNSURE = 8.0, 3.5  # degrees of deviation from which lines that contradict each other are not followed
_SUREST = 1.0  # degrees of deviation that remain however many lines agree: no lens is ideal, and no room
_EDGE = 2.0  # degrees from the last tilt that is thought of: lines that are best told by it run otherwise


@dataclass(frozen=True)
class CameraTilt:
    """Degrees that a camera looks down (``pitch``) and is turned clockwise (``roll``), and one deviation of each."""

    pitch: float
    roll: float
    pitch_deviation: float
    roll_deviation: float

    def levelled(self, joints: Array) -> Array:
        """Joints (..., 3) as a camera of this tilt sees them, y down in its picture, with y down along gravity."""
        return np.asarray(joints @ self._rotation)

    def tilted(self, joints: Array) -> Array:
        """The inverse of :meth:`levelled`; also :func:`fmp_models.data.camera.tilted`."""
        return np.asarray(joints @ self._rotation.T)

    @property
    def _rotation(self) -> Array:
        pitch, roll = np.radians(self.pitch), np.radians(self.roll)
        cos, sin = np.cos(pitch), np.sin(pitch)
        look = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        turn = np.array([[np.cos(roll), np.sin(roll), 0], [-np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
        return np.asarray(turn @ look)


LEVEL = CameraTilt(0.0, 0.0, _USUAL_PITCH[0], _USUAL_ROLL[0])  # of which nothing is known


@dataclass(frozen=True)
class TiltEvidence:
    """Log-likelihoods (n,) of every tilt that is thought of, by a person's ``balance`` and by upright ``lines``."""

    balance: Array
    lines: Array


def camera_tilt(image: Image.Image, joints: Array, places: Array) -> CameraTilt:
    """The tilt of the camera that took ``image``, by a person's ``joints`` (20, 3) and ``places`` (20, 2) in it."""
    return tilt_by([tilt_evidence(image, joints, places)])


def tilt_evidence(image: Image.Image, joints: Array, places: Array) -> TiltEvidence:
    """What ``image`` and a person's ``joints`` (20, 3), at ``places`` (20, 2) in it, show of its camera's tilt."""
    return TiltEvidence(_balance(joints), _upright_lines(_edges(image, places), _FOCAL * _SIDE))


def evidence_of(joints: Array, lines: Array | None) -> TiltEvidence:
    """What a person's ``joints`` (20, 3) show of the tilt, with what ``lines`` did if anything looked at them."""
    return TiltEvidence(_balance(joints), np.zeros(TILTS) if lines is None else lines)


def tilt_by(evidence: Sequence[TiltEvidence]) -> CameraTilt:
    """The tilt of a camera by each of its photographs: who stands balances anew in each, the lines are the same ones.

    The posterior mean over a grid of tilts; lines count only where all of it lies close together, within the grid.
    """
    usual = _usual() + np.sum([told.balance for told in evidence], axis=0)
    lines = [told.lines for told in evidence if told.lines.any()]  # the others show too few
    tilt = _posterior(usual + np.mean(lines, axis=0)) if lines else _posterior(usual)
    unsure = tilt.pitch_deviation > _UNSURE[0] or tilt.roll_deviation > _UNSURE[1]
    beyond = abs(tilt.pitch) > _PITCHES[-1] - _EDGE or abs(tilt.roll) > _ROLLS[-1] - _EDGE
    return _posterior(usual) if unsure or beyond else tilt


def mean_tilt(tilts: Sequence[CameraTilt]) -> CameraTilt:
    """Of a camera that stands still, from several moments: their mean, weighed by how surely each was told."""
    shares = np.array([1 / (tilt.pitch_deviation**2 + tilt.roll_deviation**2) for tilt in tilts])
    mean = shares / shares.sum() @ np.array([astuple(tilt) for tilt in tilts])
    return CameraTilt(*map(float, mean))


@dataclass(frozen=True)
class _Edges:
    """Pixels on straight edges: their place from the picture's middle, and the direction in which light changes."""

    x: Floats
    y: Floats
    direction: Floats  # radians
    weight: Floats


def _edges(image: Image.Image, places: Array) -> _Edges:
    """The straight edges of the surroundings that run roughly upright in a picture, none of the person's own."""
    from scipy import ndimage  # noqa: PLC0415  its import would slow every start

    scale = _SIDE / max(image.size)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    grey = np.asarray(image.convert("L").resize(size, Image.Resampling.LANCZOS), dtype=np.float32)
    across, down = (ndimage.gaussian_filter(grey, _FINE, order=order) for order in ((0, 1), (1, 0)))
    strength = np.hypot(across, down)
    even = np.minimum(1.0, _STRONG / (strength + 1e-6))
    across, down = across * even, down * even
    xx, xy, yy = (ndimage.gaussian_filter(part, _AROUND) for part in (across * across, across * down, down * down))
    coherence = np.hypot(xx - yy, 2 * xy) / (xx + yy + 1.0)
    direction = 0.5 * np.arctan2(2 * xy, xx - yy)
    mask = (strength >= ndimage.maximum_filter(strength, size=(1, 3))) & (strength > _FAINT)
    mask &= (coherence > _STRAIGHT) & (np.abs(direction) < np.radians(_UPRIGHT))
    rows, columns = np.nonzero(mask & ~_hidden(mask.shape, places * scale))
    weight = np.sqrt(np.minimum(strength, _STRONG)) * (coherence - _STRAIGHT) / (1 - _STRAIGHT)
    weight = weight[rows, columns]
    if (
        every := len(rows) // _MAX_EDGE_PIXELS + 1
    ) > 1:  # whole rows, so that a mirrored picture keeps the mirrored pixels
        selection = rows % every == 0
        rows, columns, weight = rows[selection], columns[selection], weight[selection] * every
    x, y = columns - (size[0] - 1) / 2, rows - (size[1] - 1) / 2
    return _Edges(*(np.asarray(part, np.float32) for part in (x, y, direction[rows, columns], weight)))


def _hidden(shape: tuple[int, ...], places: Array) -> NDArray[np.bool_]:
    """Which pixels the person with joints at ``places`` may cover."""
    reach = _LIMB * float(np.ptp(places, axis=0).max())
    y, x = (axis.astype(np.float32) for axis in np.ogrid[: shape[0], : shape[1]])
    covered = np.zeros(shape, dtype=bool)
    for upper, lower in BONES:
        ends = places[[upper, lower]]
        (left, top), bone = ends[0], ends[1] - ends[0]
        corners = np.stack([ends.min(axis=0) - reach, ends.max(axis=0) + reach + 1])
        (first_x, first_y), (end_x, end_y) = np.maximum(corners, 0).astype(int)
        near = slice(first_y, end_y), slice(first_x, end_x)  # no pixel elsewhere is in reach
        off_x, off_y = x[:, near[1]] - left, y[near[0]] - top
        along = np.clip((off_x * bone[0] + off_y * bone[1]) / max(float(bone @ bone), 1e-6), 0.0, 1.0)
        covered[near] |= (off_x - along * bone[0]) ** 2 + (off_y - along * bone[1]) ** 2 < reach**2
    return covered


def _upright_lines(edges: _Edges, focal: float) -> Array:
    """Log-likelihood of each tilt: a share of the edges runs to the vertical vanishing point, the others anywhere."""
    down = _down()
    if len(edges.x) < _MIN_EDGE_PIXELS:
        return np.zeros(len(down))
    cos, sin = np.cos(edges.direction), np.sin(edges.direction)
    along = down @ np.stack([focal * cos, focal * sin, -(edges.x * cos + edges.y * sin)])
    length = (focal * down[:, :1] - edges.x * down[:, 2:]) ** 2 + (focal * down[:, 1:2] - edges.y * down[:, 2:]) ** 2
    off = along**2 / (length + 1e-6)  # squared sine of the angle between an edge and the room's upright there
    exact = np.exp(-off / (2 * np.sin(np.radians(_EXACT)) ** 2)) * (2 * _UPRIGHT / (_EXACT * np.sqrt(2 * np.pi)))
    return np.asarray(np.log(1 - _MOSTLY + _MOSTLY * exact) @ edges.weight / _TOGETHER, dtype=np.float64)


def _balance(joints: Array) -> Array:
    """Log-likelihood of each tilt by the way from the weight to the feet, which is down for whoever stands."""
    weight = centre_of_weight(joints)
    ankles, toes = (np.array([joints[INDEX[f"{side}_{name}"]] for side in BODY_SIDES]) for name in ("ankle", "foot"))
    feet = ankles + _SOLE * (toes - ankles)
    axis = feet.mean(axis=0) - weight
    reach = (feet - weight) @ axis / max(float(np.linalg.norm(axis)), 1e-6)
    share = np.clip((reach[0] - reach[1]) / _ON_BOTH, -1, 1)
    to_feet = (feet[0] * (1 + share) + feet[1] * (1 - share)) / 2 - weight
    length = float(np.linalg.norm(to_feet))
    down = _down()
    if length < _ON_FEET[0] or to_feet[1] < length * np.cos(np.radians(_ON_FEET[1])):
        return np.zeros(len(down))
    off = np.degrees(np.arccos(np.clip(down @ to_feet / length, -1.0, 1.0)))
    return np.asarray(-(_FREEDOM + 2) / 2 * np.log1p((off / _OFF_BALANCE) ** 2 / _FREEDOM))


def _posterior(log_likelihood: Array) -> CameraTilt:
    likely = np.exp(log_likelihood - log_likelihood.max())
    likely /= likely.sum()
    means, deviations = [], []
    for angle in _grid():
        means.append(float(likely @ angle))
        deviations.append(max(float(np.sqrt(likely @ (angle - means[-1]) ** 2)), _SUREST))
    return CameraTilt(*means, *deviations)


@cache
def _grid() -> tuple[Array, Array]:
    """Pitch and roll (n,) of every tilt that is thought of."""
    pitch, roll = np.meshgrid(_PITCHES, _ROLLS, indexing="ij")
    return pitch.ravel(), roll.ravel()


@cache
def _down() -> Floats:
    """Gravity (n, 3) in the frame of a camera of each tilt."""
    pitch, roll = (np.radians(angle) for angle in _grid())
    return np.stack([np.sin(roll) * np.cos(pitch), np.cos(roll) * np.cos(pitch), np.sin(pitch)], axis=-1).astype("f4")


@cache
def _usual() -> Array:
    """Log-probability of each tilt before anything is seen."""
    return np.asarray(
        sum(
            np.log(
                (1 - often) * np.exp(-((angle / usual) ** 2) / 2) / usual
                + often * np.exp(-((angle / rare) ** 2) / 2) / rare
            )
            for angle, (usual, rare, often) in zip(_grid(), (_USUAL_PITCH, _USUAL_ROLL), strict=True)
        )
    )
