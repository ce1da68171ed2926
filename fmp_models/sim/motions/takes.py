"""A motion of the catalogue, and its takes: any frame as a pose of the body."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from fmp_models.pose import Array
from fmp_models.sim.motions.curves import Curve, along_arcs, curve
from fmp_models.sim.motions.limbs import arm_to_vector, foot_to_vector, in_chest, vector_to_arm, vector_to_leg
from fmp_models.sim.motions.limits import bendable, within_reach
from fmp_models.sim.motions.scores import CATALOGUE, LIFT, LIFT_SHARE, SHARED_ARMS, ArmKey, FootKey, Score, read_score
from fmp_models.sim.motions.variation import FRAMES_PER_CAPTURE, SLOWEST, MotionVariation, vary
from fmp_models.sim.people.posing import SIDES, Arm, BodyPose, Leg, Turn

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
