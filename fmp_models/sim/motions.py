"""Twenty animations of everyday movements, and their takes: any frame as a pose of the body.

A motion is written in TOML, as phrases of keys that are combined into one score with a track for each body part. A key
names only what is fixed at its frame. A part that it does not name moves on towards that part's next key, and ``"="``
repeats the part's previous value. Feet are different: a foot stays in place until ``step`` frames before its next key,
then moves there on an arc. A phrase may be mirrored.

The tracks are monotone cubics that rest at their ends, hold between equal keys and never overshoot. Takes of a motion
vary in tempo, size, stance, hands and lean, and sway a little.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
from scipy.spatial.transform import Rotation

from fmp_models.pose import Array
from fmp_models.sim.posing import (
    SIDES,
    Arm,
    BodyPose,
    Foot,
    Leg,
    Reach,
    Turn,
    arm_to_vector,
    bendable,
    foot_to_vector,
    in_chest,
    vector_to_arm,
    vector_to_leg,
    within_reach,
)


@dataclass(frozen=True)
class Curve:
    """Values (N, D) at increasing times (N,) in frames; ``spline`` is ``None`` if there is only one key."""

    times: Array
    values: Array
    spline: CubicHermiteSpline | None

    def at(self, frame: float) -> Array:
        """Return the value (D,) at a frame; before the first and after the last key it is constant."""
        if self.spline is None:
            return np.asarray(self.values[0])
        return np.asarray(self.spline(np.clip(frame, self.times[0], self.times[-1])))

    def segment(self, frame: float) -> tuple[int, float]:
        """Return the index i of the keys i and i + 1 around a frame, and the share of the way between them, 0 to 1."""
        last = len(self.times) - 2
        if last < 0:
            return 0, 0.0
        i = int(np.clip(np.searchsorted(self.times, frame, side="right") - 1, 0, last))
        return i, float(np.clip((frame - self.times[i]) / (self.times[i + 1] - self.times[i]), 0.0, 1.0))


def curve(times: Sequence[float], values: Sequence[Array], rests: Sequence[bool] | None = None) -> Curve:
    """Return the curve through keys; its slope is zero at both ends and wherever ``rests`` is true."""
    when, what = np.array(times, dtype=np.float64), np.array(values, dtype=np.float64)
    if len(when) == 1:
        return Curve(when, what, None)
    slopes = np.asarray(PchipInterpolator(when, what)(when, 1))
    still = np.array(rests if rests is not None else [False] * len(when))
    still[[0, -1]] = True
    slopes[still] = 0.0
    return Curve(when, what, CubicHermiteSpline(when, what, slopes))


def along_arcs(quaternions: Array) -> Array:
    """Return the same rotations (N, 4), each quaternion with the sign nearer to the previous one."""
    signs = np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(quaternions * np.concatenate([[1.0], np.cumprod(signs)])[:, None])


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


Table = dict[str, Any]

CATALOGUE = Path(__file__).parent / "motion_catalogue"
SHARED_ARMS = "arms.toml"
# The size of each part, and which of its numbers change sign in a mirror.
NUMBERS: dict[str, tuple[int, tuple[int, ...]]] = {
    "hip": (1, ()),
    "shift": (2, (0,)),
    "pelvis": (3, (1, 2)),
    "chest": (3, (1, 2)),
    "head": (3, (1, 2)),
    "heading": (1, (0,)),
}
START: dict[str, list[float]] = {"hip": [0.985], "shift": [0, 0], "pelvis": [], "chest": [], "head": [], "heading": [0]}
PAIRED = {"arms": "arm", "feet": "foot"}
SIDE_NAMES = {"left": "L", "right": "R"}
HELD = "="
STEP = 8  # frames of a step unless the key sets them
KNEE_UP = 0.7  # upward share of a knee's direction: straight ahead is undefined for a level thigh
LIFT, LIFT_SHARE = 0.05, 0.12  # leg lengths that a foot rises in a step, plus this share of the step's length


@dataclass(frozen=True)
class ArmKey:
    """An arm at a frame; ``level`` means that its directions are those of an upright trunk."""

    frame: float
    arm: Arm | Reach
    level: bool


@dataclass(frozen=True)
class FootKey:
    """A foot at a frame: it sets off ``step`` frames before and rises by ``lift`` leg lengths on its way."""

    frame: float
    foot: Foot
    step: float
    lift: float | None


@dataclass(frozen=True)
class Score:
    """All keys of a motion by part, in the order of time."""

    numbers: Mapping[str, tuple[tuple[float, Array], ...]]
    arms: Mapping[str, tuple[ArmKey, ...]]
    feet: Mapping[str, tuple[FootKey, ...]]


def read_score(table: Table) -> Score:
    """Return the score of a motion's TOML table; raise ``KeyError`` for an unknown arm or phrase."""
    with (CATALOGUE / SHARED_ARMS).open("rb") as stream:
        arms = {**tomllib.load(stream), **table.get("arms", {})}
    keys = _played(table)
    tracks: dict[str, dict[float, Any]] = {}
    for key in keys:
        for part, value in _parts(key).items():
            track = tracks.setdefault(part, {})
            track[key["at"]] = track[max(track)] if value == HELD else value
    numbers = {
        part: tuple((frame, _padded(value, size)) for frame, value in tracks.get(part, {0: START[part]}).items())
        for part, (size, _) in NUMBERS.items()
    }
    return Score(
        numbers,
        {
            side: tuple(_arm_key(frame, arms[name]) for frame, name in tracks[f"{word}_arm"].items())
            for word, side in SIDE_NAMES.items()
        },
        {
            side: tuple(_foot_key(frame, foot) for frame, foot in tracks[f"{word}_foot"].items())
            for word, side in SIDE_NAMES.items()
        },
    )


def _played(table: Table) -> list[Table]:
    """Return the keys of all phrases one after the other, with frames counted from the start of the motion."""
    keys: list[Table] = []
    start = 0.0
    for line in table.get("sequence", list(table["phrases"])):
        name, _, mirrored = line.partition(" ")
        phrase = table["phrases"][name]
        keys += [{**(_mirrored(key) if mirrored else key), "at": start + key["at"]} for key in phrase["keys"]]
        start += phrase["length"]
    return keys


def _parts(key: Table) -> Table:
    """Return the parts that a key fixes; pairs are split into sides, and a value for one side overrides the pair."""
    parts: Table = {}
    for name, value in key.items():
        if name in PAIRED:
            parts = {f"{word}_{PAIRED[name]}": value for word in SIDE_NAMES} | parts
        elif name != "at":
            parts[name] = value
    return parts


def _mirrored(key: Table) -> Table:
    mirrored: Table = {}
    for name, value in key.items():
        word, _, part = name.partition("_")
        if part:
            mirrored[f"{'right' if word == 'left' else 'left'}_{part}"] = value
        elif name in NUMBERS and value != HELD:
            size, flipped = NUMBERS[name]
            values = _padded(value, size)
            values[list(flipped)] *= -1.0
            mirrored[name] = values.tolist()
        else:
            mirrored[name] = value
    return mirrored


def _padded(value: float | list[float], size: int) -> Array:
    numbers = np.atleast_1d(np.array(value, dtype=np.float64))
    return np.concatenate([numbers, np.zeros(size - len(numbers))])


def _arm_key(frame: float, table: Table) -> ArmKey:
    values: Table = {
        name: tuple(part) if isinstance(part, list) else part for name, part in table.items() if name != "level"
    }
    return ArmKey(frame, Reach(**values) if "wrist" in values else Arm(**values), table.get("level", False))


def _foot_key(frame: float, table: Table) -> FootKey:
    out, forward = table["at"]
    turn = np.radians(table.get("turn", 10.0))
    ahead = (float(np.sin(turn)), 0.0, float(np.cos(turn)))
    foot = Foot(
        (out, table.get("up", 0.0), forward),
        tuple(table.get("knee", (ahead[0], KNEE_UP, ahead[2]))),
        tuple(table.get("toes", ahead)),
        tuple(table.get("sole", (0.0, -1.0, 0.0))),
        table.get("heel", 0.0),
    )
    return FootKey(frame, foot, table.get("step", STEP), table.get("lift"))


FRAMES_PER_SECOND = 24
UPRIGHT_HIPS = 0.985  # leg lengths: the hip height about which the depth of a take is scaled
FOREARM_LAG, HAND_LAG = 0.7, 1.2  # frames by which the lower parts of an arm lag behind the upper one
OTHER = {"L": "R", "R": "L"}


@dataclass(frozen=True)
class Take:
    """One performance of a motion: poses for frames from 0 to ``frames``, also between whole frames."""

    frames: int
    numbers: dict[str, Curve]
    arms: dict[str, Curve]
    feet: dict[str, _Steps]
    variation: MotionVariation
    mirrored: bool

    def pose(self, frame: float) -> BodyPose:
        """Return the whole body at a frame, within its limits."""
        now = self.variation.clock(frame)
        pose = within_reach(self._written(now), self._planted(now))
        return mirror_pose(pose) if self.mirrored else pose

    def planted(self, frame: float) -> frozenset[str]:
        """Return the feet, ``L`` and ``R``, that stand on the floor and carry weight at a frame."""
        planted = self._planted(self.variation.clock(frame))
        return frozenset(OTHER[side] for side in planted) if self.mirrored else planted

    def _planted(self, now: float) -> frozenset[str]:
        return frozenset(side for side, steps in self.feet.items() if steps.stands(now))

    def _written(self, now: float) -> BodyPose:
        vary, unrest = self.variation, {name: noise.at(now) for name, noise in self.variation.unrest.items()}
        values = {name: track.at(now) for name, track in self.numbers.items()}
        turns = {name: values[name] * vary.turns + unrest[name] for name in ("pelvis", "chest", "head")}
        turns["chest"] = turns["chest"] + vary.lean
        turns["head"] = turns["head"] + vary.lean / 2
        heading = float(values["heading"][0])
        # The shift is written in the spot's frame, like the feet; a pose needs it in the person's frame.
        left, forward = values["shift"] * np.array([vary.stance, 1.0]) + unrest["shift"]
        c, s = np.cos(np.radians(heading)), np.sin(np.radians(heading))
        return BodyPose(
            UPRIGHT_HIPS + (float(values["hip"][0]) - UPRIGHT_HIPS) * vary.depth,
            {side: self._arm(side, now, unrest) for side in SIDES},
            {side: self._leg(side, now, heading) for side in SIDES},
            Turn(*turns["pelvis"].tolist()),
            Turn(*turns["chest"].tolist()),
            Turn(*turns["head"].tolist()),
            (float(left * c - forward * s), float(forward * c + left * s)),
            heading,
        )

    def _arm(self, side: str, now: float, unrest: dict[str, Array]) -> Arm:
        vary, track, which = self.variation, self.arms[side], list(SIDES).index(side)
        swing, fold, wrist = (track.at(now - lag).copy() for lag in (0.0, FOREARM_LAG, HAND_LAG))
        stray = Rotation.from_rotvec(np.radians(unrest["arm"][3 * which : 3 * which + 3]))
        swing[:4] = (vary.arms[side] * stray * Rotation.from_quat(swing[:4])).as_quat()
        fold[4] = fold[4] * vary.folds[side] + unrest["bend"][which]
        return bendable(vector_to_arm(swing, fold, wrist))

    def _leg(self, side: str, now: float, heading: float) -> Leg:
        vector = self.feet[side].at(now)
        vector[0] *= self.variation.stance
        vector[1] *= self.variation.lift
        return vector_to_leg(vector, side, heading)


@dataclass(frozen=True)
class _Steps:
    """The path of a foot: a curve of foot vectors, and the rises (N - 1,) between two keys."""

    track: Curve
    lifts: Array

    def at(self, now: float) -> Array:
        vector = self.track.at(now).copy()
        if len(self.lifts):
            i, share = self.track.segment(now)
            vector[1] += self.lifts[i] * 16 * (share * (1 - share)) ** 2
        return vector

    def stands(self, now: float) -> bool:
        i, share = self.track.segment(now)
        ends = self.track.values[i : i + 2, :3]
        if share in (0.0, 1.0):
            return bool(ends[-1 if share else 0, 1] == 0)
        return bool((ends[:, 1] == 0).all() and (ends[0] == ends[1]).all())


@dataclass(frozen=True)
class Motion:
    """An animation: capture k, below ``captures``, pairs its frame 20 k with its frame 20 k + 10."""

    number: int
    name: str
    captures: int
    freedom: float
    slowest: float
    score: Score = field(repr=False)

    def take(self, seed: int, *, mirrored: bool) -> Take:
        """Return one performance, varied in tempo, size, stance and hands; the same seed gives the same one."""
        numbers = {
            part: curve([frame for frame, _ in keys], [value for _, value in keys])
            for part, keys in self.score.numbers.items()
        }
        return Take(
            self.captures * FRAMES_PER_CAPTURE,
            numbers,
            {side: _arm_curve(keys, side, numbers["chest"]) for side, keys in self.score.arms.items()},
            {side: _steps(keys) for side, keys in self.score.feet.items()},
            vary(seed, self.number, self.captures, self.freedom, self.slowest),
            mirrored,
        )


def mirror_pose(pose: BodyPose) -> BodyPose:
    """Return the pose with left and right exchanged."""

    def turned(turn: Turn) -> Turn:
        return Turn(turn.forward, -turn.side, -turn.round)

    left, forward = pose.hip_shift
    return dataclasses.replace(
        pose,
        arms={side: pose.arms[OTHER[side]] for side in SIDES},
        legs={side: pose.legs[OTHER[side]] for side in SIDES},
        pelvis=turned(pose.pelvis),
        chest=turned(pose.chest),
        head=turned(pose.head),
        hip_shift=(-left, forward),
        heading=-pose.heading,
    )


def _arm_curve(keys: tuple[ArmKey, ...], side: str, chest: Curve) -> Curve:
    vectors = []
    for key in keys:
        turn = Turn(*chest.at(key.frame).tolist())
        vectors.append(arm_to_vector(in_chest(key.arm, side, turn) if key.level else key.arm))
    values = np.stack(vectors)
    values[:, :4], values[:, 5:] = along_arcs(values[:, :4]), along_arcs(values[:, 5:])
    return curve([key.frame for key in keys], list(values))


def _steps(keys: tuple[FootKey, ...]) -> _Steps:
    """Return the curve of a foot, with keys inserted where it sets off."""
    times, vectors, lifts = [keys[0].frame], [foot_to_vector(keys[0].foot)], []
    for key in keys[1:]:
        vector, before, off = foot_to_vector(key.foot), vectors[-1], key.frame - key.step
        if off > times[-1]:
            times.append(off)
            vectors.append(before)
            lifts.append(0.0)
        length = float(np.linalg.norm(vector[[0, 2]] - before[[0, 2]]))
        on_floor = vector[1] == before[1] == 0 and length > 0
        usual = LIFT + LIFT_SHARE * length if on_floor else 0.0
        times.append(key.frame)
        vectors.append(vector)
        lifts.append(usual if key.lift is None else key.lift)
    values = np.stack(vectors)
    values[:, 3:7] = along_arcs(values[:, 3:7])
    return _Steps(curve(times, list(values), (values[:, 1] == 0).tolist()), np.array(lifts))


def _load() -> tuple[Motion, ...]:
    motions = []
    for path in sorted(Path(CATALOGUE).glob("*.toml")):
        if path.name == SHARED_ARMS:
            continue
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        own = table.get("freedom", 1.0), table.get("slowest", SLOWEST)
        motions.append(Motion(table["number"], path.stem, table["captures"], *own, read_score(table)))
    return tuple(sorted(motions, key=lambda motion: motion.number))


MOTIONS: tuple[Motion, ...] = _load()
