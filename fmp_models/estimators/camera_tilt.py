"""Camera tilt: pitch and roll, estimated from upright lines in the picture and a person's balance.

Most of a correction depends on the direction of gravity, which often differs from the picture's upright: a
phone leans on a shelf and looks up, or is held high and looks down. Measured joints are tilted in the same
way. There are two sources of evidence. Edges of doors, windows and furniture are mostly upright, and upright
lines of the room meet in the vertical vanishing point of the picture. A standing person's weight is over their
feet. Both are combined with a prior for how cameras are usually held. Without evidence, or with contradicting
lines, the camera counts as nearly level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fmp_models.geometry import centre_of_weight
from fmp_models.pose import BODY_SIDES, BONES, INDEX, Array

Floats = NDArray[np.float32]

_SIDE = 360  # longer side in pixels of the picture for edge detection
_FOCAL = 0.9  # focal length as share of the longer side: phones have 0.7 to 0.8, cameras 0.8 to 2
_PITCHES, _ROLLS = np.arange(-40.0, 41.0, 4.0), np.arange(-30.0, 31.0, 2.0)  # grid of tilts in degrees
TILT_COUNT = len(_PITCHES) * len(_ROLLS)
# Prior of how cameras are held: standard deviations in degrees (usual, rare, probability of the rare case).
_USUAL_PITCH, _USUAL_ROLL = (9.0, 20.0, 0.1), (3.0, 10.0, 0.07)

_FINE, _AROUND = 1.0, 2.0  # smoothing in pixels of brightness, and of edge directions
_FAINT, _STRONG = 1.5, 8.0  # grey levels per pixel: weakest edge, and strength from which edges count equally
_STRAIGHT = 0.8  # minimum coherence of directions around a pixel on a straight edge
_UPRIGHT = 45.0  # maximum degrees between the picture's upright and an upright line of the room
_MIN_EDGE_PIXELS, _MAX_EDGE_PIXELS = 60, 2000  # edge pixels: fewer give no evidence, more only take time
_EXACT, _MOSTLY = 2.0, 0.1  # error of an upright edge in degrees, and the share of upright edges
_TOGETHER = 55.0  # edge pixels that count as one observation, since they lie on one line
_LIMB = 0.06  # share of a person's length: half the width of the area that a limb covers

_OFF_BALANCE, _FREEDOM = 7.0, 3.0  # degrees that a standing person is measured off balance; Student's t
_SOLE = 0.3  # point between ankle (0) and toes (1) below a standing person's weight
_ON_FEET = 0.75, 50.0  # standing: minimum metres from feet to weight, maximum degrees from the picture's upright
_ON_BOTH = 0.15  # metres along the body by which one foot must reach further to carry all weight
_UNSURE = 8.0, 3.5  # deviations in degrees from which lines contradict each other and are ignored
_SUREST = 1.0  # minimum deviation in degrees, since no lens and no room is ideal
_EDGE = 2.0  # degrees from the edge of the grid; lines that fit best there have another cause


@dataclass(frozen=True)
class CameraTilt:
    """Degrees that a camera looks down (``pitch``) and is turned clockwise (``roll``), with standard deviations."""

    pitch: float
    roll: float
    pitch_deviation: float
    roll_deviation: float

    def levelled(self, joints: Array) -> Array:
        """Rotate joints (..., 3) from the frame of a camera with this tilt, so that y points down along gravity."""
        return np.asarray(joints @ self._rotation)

    def tilted(self, joints: Array) -> Array:
        """Apply the inverse of :meth:`levelled`; also :func:`fmp_models.data.pictures.tilted_joints`."""
        return np.asarray(joints @ self._rotation.T)

    @property
    def _rotation(self) -> Array:
        pitch, roll = np.radians(self.pitch), np.radians(self.roll)
        cos, sin = np.cos(pitch), np.sin(pitch)
        look = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        turn = np.array([[np.cos(roll), np.sin(roll), 0], [-np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
        return np.asarray(turn @ look)


LEVEL = CameraTilt(0.0, 0.0, _USUAL_PITCH[0], _USUAL_ROLL[0])  # a camera without evidence


@dataclass(frozen=True)
class TiltEvidence:
    """Log-likelihoods (n,) of every tilt of the grid, by a person's ``balance`` and by upright ``lines``."""

    balance: Array
    lines: Array


def camera_tilt(image: Image.Image, joints: Array, places: Array) -> CameraTilt:
    """Return the tilt of the camera of ``image``, from a person's ``joints`` (20, 3) and ``places`` (20, 2) in it."""
    return tilt_by([tilt_evidence(image, joints, places)])


def tilt_evidence(image: Image.Image, joints: Array, places: Array) -> TiltEvidence:
    """Return the evidence of the camera's tilt in ``image``; ``joints`` (20, 3) of a person at ``places`` (20, 2)."""
    return TiltEvidence(_balance(joints), _upright_lines(_edges(image, places), _FOCAL * _SIDE))


def evidence_of(joints: Array, lines: Array | None) -> TiltEvidence:
    """Return the evidence of the tilt in a person's ``joints`` (20, 3) and in ``lines``, if they were detected."""
    return TiltEvidence(_balance(joints), np.zeros(TILT_COUNT) if lines is None else lines)


def tilt_by(evidence: Sequence[TiltEvidence]) -> CameraTilt:
    """Return the tilt of one camera from its photographs: balance evidence is summed, line evidence averaged.

    Each photograph shows a new balance but the same lines. The result is the posterior mean over a grid of tilts.
    Lines count only if the posterior is narrow and lies within the grid.
    """
    usual = _usual() + np.sum([told.balance for told in evidence], axis=0)
    lines = [told.lines for told in evidence if told.lines.any()]  # other photographs show too few lines
    tilt = _posterior(usual + np.mean(lines, axis=0)) if lines else _posterior(usual)
    unsure = tilt.pitch_deviation > _UNSURE[0] or tilt.roll_deviation > _UNSURE[1]
    beyond = abs(tilt.pitch) > _PITCHES[-1] - _EDGE or abs(tilt.roll) > _ROLLS[-1] - _EDGE
    return _posterior(usual) if unsure or beyond else tilt


def mean_tilt(tilts: Sequence[CameraTilt]) -> CameraTilt:
    """Return the mean tilt of a still camera over several moments, weighted by certainty."""
    shares = np.array([1 / (tilt.pitch_deviation**2 + tilt.roll_deviation**2) for tilt in tilts])
    mean = shares / shares.sum() @ np.array([astuple(tilt) for tilt in tilts])
    return CameraTilt(*map(float, mean))


@dataclass(frozen=True)
class _Edges:
    """Pixels on straight edges: position from the picture's middle, and direction of the brightness gradient."""

    x: Floats
    y: Floats
    direction: Floats  # radians
    weight: Floats


def _edges(image: Image.Image, places: Array) -> _Edges:
    """Return the straight, roughly upright edges of the surroundings, without the person's own edges."""
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
    ) > 1:  # whole rows, so that a mirrored picture selects the mirrored pixels
        selection = rows % every == 0
        rows, columns, weight = rows[selection], columns[selection], weight[selection] * every
    x, y = columns - (size[0] - 1) / 2, rows - (size[1] - 1) / 2
    return _Edges(*(np.asarray(part, np.float32) for part in (x, y, direction[rows, columns], weight)))


def _hidden(shape: tuple[int, ...], places: Array) -> NDArray[np.bool_]:
    """Return which pixels the person with joints at ``places`` may cover."""
    reach = _LIMB * float(np.ptp(places, axis=0).max())
    y, x = (axis.astype(np.float32) for axis in np.ogrid[: shape[0], : shape[1]])
    covered = np.zeros(shape, dtype=bool)
    for upper, lower in BONES:
        ends = places[[upper, lower]]
        (left, top), bone = ends[0], ends[1] - ends[0]
        corners = np.stack([ends.min(axis=0) - reach, ends.max(axis=0) + reach + 1])
        (first_x, first_y), (end_x, end_y) = np.maximum(corners, 0).astype(int)
        near = slice(first_y, end_y), slice(first_x, end_x)  # only pixels in this region can be in reach
        off_x, off_y = x[:, near[1]] - left, y[near[0]] - top
        along = np.clip((off_x * bone[0] + off_y * bone[1]) / max(float(bone @ bone), 1e-6), 0.0, 1.0)
        covered[near] |= (off_x - along * bone[0]) ** 2 + (off_y - along * bone[1]) ** 2 < reach**2
    return covered


def _upright_lines(edges: _Edges, focal: float) -> Array:
    """Return the log-likelihood of each tilt by the edges.

    A share of them points to the vertical vanishing point, the others point anywhere.
    """
    down = _down()
    if len(edges.x) < _MIN_EDGE_PIXELS:
        return np.zeros(len(down))
    cos, sin = np.cos(edges.direction), np.sin(edges.direction)
    along = down @ np.stack([focal * cos, focal * sin, -(edges.x * cos + edges.y * sin)])
    length = (focal * down[:, :1] - edges.x * down[:, 2:]) ** 2 + (focal * down[:, 1:2] - edges.y * down[:, 2:]) ** 2
    off = along**2 / (length + 1e-6)  # squared sine of the angle between an edge and the vertical direction there
    exact = np.exp(-off / (2 * np.sin(np.radians(_EXACT)) ** 2)) * (2 * _UPRIGHT / (_EXACT * np.sqrt(2 * np.pi)))
    return np.asarray(np.log(1 - _MOSTLY + _MOSTLY * exact) @ edges.weight / _TOGETHER, dtype=np.float64)


def _balance(joints: Array) -> Array:
    """Return the log-likelihood of each tilt by the direction from weight to feet, down for a standing person."""
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
    """Return pitch and roll (n,) of every tilt of the grid."""
    pitch, roll = np.meshgrid(_PITCHES, _ROLLS, indexing="ij")
    return pitch.ravel(), roll.ravel()


@cache
def _down() -> Floats:
    """Return the gravity direction (n, 3) in the frame of a camera of each tilt."""
    pitch, roll = (np.radians(angle) for angle in _grid())
    return np.stack([np.sin(roll) * np.cos(pitch), np.cos(roll) * np.cos(pitch), np.sin(pitch)], axis=-1).astype("f4")


@cache
def _usual() -> Array:
    """Return the prior log-probability of each tilt."""
    return np.asarray(
        sum(
            np.log(
                (1 - often) * np.exp(-((angle / usual) ** 2) / 2) / usual
                + often * np.exp(-((angle / rare) ** 2) / 2) / rare
            )
            for angle, (usual, rare, often) in zip(_grid(), (_USUAL_PITCH, _USUAL_ROLL), strict=True)
        )
    )
