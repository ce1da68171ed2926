"""Variation between takes of a motion: tempo, size, stance, hands, lean, and a small sway."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

from fmp_models.pose import Array

FRAMES_PER_CAPTURE, FRAMES_PER_PAIR = 20, 10
SLOW_SHARE, SLOWEST, SLOW_RANGE = 0.45, 0.2, 0.2  # share of slow pairs; their lowest tempo and its range
USUAL = (0.92, 1.15)  # the tempo of all other pairs
WAVES = 3  # sines that make up one smooth noise
PERIODS = (26.0, 90.0)  # periods in frames of the fastest and the slowest of them
SIZES = {"pelvis": 1.0, "chest": 1.6, "head": 3.0, "arm": 2.5, "bend": 3.0, "shift": 0.005}  # degrees; leg lengths
WIDTHS = {"pelvis": 3, "chest": 3, "head": 3, "arm": 6, "bend": 2, "shift": 2}
HAND_HEIGHT, HAND_ASIDE = 5.0, 4.0  # maximum degrees that an arm is raised or opened throughout a take
LEANS = np.array([2.5, 1.5, 3.0])  # maximum degrees of the chest throughout a take: forward, aside, round


@dataclass(frozen=True)
class Sway:
    """Smooth noise of width D: sines with frequencies, phases and weights (WAVES, D)."""

    speeds: Array
    phases: Array
    weights: Array

    def at(self, frame: float) -> Array:
        """Return the noise (D,) at a frame."""
        return np.asarray((self.weights * np.sin(self.speeds * frame + self.phases)).sum(axis=0))


@dataclass(frozen=True)
class MotionVariation:
    """The variation of one take of a motion.

    ``beat`` is its clock, shifted by ``delay`` frames and a slow ``drift``. ``depth`` and ``turns`` scale how low the
    hips go and how far the trunk turns, ``lift`` how high feet rise, ``stance`` how wide they stand. ``lean`` degrees
    are added to the chest, ``arms`` are rotations of each upper arm in (out, up, forward), and ``folds`` scale the
    elbows.
    """

    delay: float
    drift: Sway
    depth: float
    turns: float
    lift: float
    stance: float
    lean: Array
    arms: dict[str, Rotation]
    folds: dict[str, float]
    unrest: dict[str, Sway]
    beat: PchipInterpolator

    def clock(self, frame: float) -> float:
        """Return the frame of the written motion that this take shows."""
        return float(self.beat(frame)) + self.delay + float(self.drift.at(frame)[0])


def vary(seed: int, number: int, captures: int, freedom: float, slowest: float) -> MotionVariation:
    """Return the variation of one take of a motion with ``captures`` captures.

    ``freedom``, 0 to 1, scales how far the hands may stray; ``slowest`` is the lowest share of its tempo for a pair.
    """
    rng = np.random.default_rng([seed, number])
    return MotionVariation(
        delay=rng.uniform(-1.2, 1.2),
        drift=_unrest(rng, 1, 0.9),
        depth=rng.uniform(0.93, 1.07),
        turns=rng.uniform(0.88, 1.1),
        lift=rng.uniform(0.9, 1.1),
        stance=rng.uniform(0.94, 1.07),
        lean=rng.uniform(-LEANS, LEANS),
        arms={side: _hand_offset(rng, freedom) for side in "LR"},
        folds={side: rng.uniform(0.94, 1.05) for side in "LR"},
        unrest={name: _unrest(rng, width, SIZES[name]) for name, width in WIDTHS.items()},
        beat=_beat(rng, captures, slowest),
    )


def _beat(rng: np.random.Generator, captures: int, slowest: float) -> PchipInterpolator:
    """Return a clock that slows down around some pairs and catches up between them, never twice in a row."""
    tempi: list[float] = []
    for _ in range(captures):
        usual, slow = rng.uniform(*USUAL), rng.uniform(slowest, slowest + SLOW_RANGE)
        may = not tempi or tempi[-1] >= USUAL[0]
        tempi.append(slow if may and rng.random() < SLOW_SHARE else usual)
    starts = FRAMES_PER_CAPTURE * np.arange(captures)
    half = FRAMES_PER_PAIR / 2
    frames = np.stack([starts, starts + FRAMES_PER_PAIR], axis=1).ravel()
    moments = np.stack([starts + half - half * np.array(tempi), starts + half + half * np.array(tempi)], axis=1).ravel()
    end = FRAMES_PER_CAPTURE * captures
    return PchipInterpolator([*frames, end, end + FRAMES_PER_CAPTURE], [*moments, end, end + FRAMES_PER_CAPTURE])


def _hand_offset(rng: np.random.Generator, freedom: float) -> Rotation:
    """Return a rotation that raises or lowers an arm and opens it, or closes it by at most a degree."""
    raised = rng.uniform(-HAND_HEIGHT, HAND_HEIGHT) * freedom
    opened = rng.uniform(-0.25, 1.0) * HAND_ASIDE * freedom
    # About the axis that points out, +up turns to +forward; about forward, a hanging arm opens by turning -up to +out.
    return Rotation.from_rotvec(np.radians([-raised, 0.0, opened]))


def _unrest(rng: np.random.Generator, width: int, size: float) -> Sway:
    fast, slow = (2 * np.pi / period for period in PERIODS)
    shape = (WAVES, width)
    return Sway(
        rng.uniform(slow, fast, shape), rng.uniform(0.0, 2 * np.pi, shape), rng.uniform(0.2, 1.0, shape) * size / WAVES
    )
