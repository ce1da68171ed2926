"""Bodies for tests: a skeleton posed by joint angles within human limits, and hypothesis strategies over it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from fmp_models.geometry.execution import execute
from fmp_models.geometry.planner import make_plan
from fmp_models.pose import INDEX, JOINTS, Pose, PosePair, joint_distances

_BONES = {"trunk": 0.5, "head": 0.2, "shoulder": 0.18, "upper_arm": 0.28, "forearm": 0.25, "hand": 0.08, "hip": 0.1}
_BONES |= {"thigh": 0.42, "shank": 0.42, "foot": 0.16}


@dataclass(frozen=True)
class Arm:
    """Degrees: ``lift`` from hanging, ``swing`` from sideways (0) to forward (90), elbow ``bend`` and its ``roll``."""

    lift: float = 5.0
    swing: float = 0.0
    bend: float = 5.0
    roll: float = 0.0


@dataclass(frozen=True)
class Leg:
    """Degrees: ``lift`` of the thigh from hanging, ``swing`` as for arms, knee ``bend``, toes ``out``."""

    lift: float = 3.0
    swing: float = 90.0
    bend: float = 3.0
    toes: float = 10.0


@dataclass(frozen=True)
class Body:
    """A standing person who faces the camera unless told otherwise; degrees."""

    yaw: float = 0.0
    pitch: float = 0.0
    lean: float = 0.0
    twist: float = 0.0
    nod: float = 0.0
    tip: float = 0.0
    left_arm: Arm = field(default_factory=Arm)
    right_arm: Arm = field(default_factory=Arm)
    left_leg: Leg = field(default_factory=Leg)
    right_leg: Leg = field(default_factory=Leg)

    def change(self, **parts: object) -> Body:
        """Return the same body with some angles replaced."""
        return replace(self, **parts)

    def pose(self, *, placed: bool = False, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Pose:
        """Joints in the camera frame."""
        joints = np.zeros((len(JOINTS), 3))  # left, up, forward
        trunk = Rotation.from_euler("yxz", [self.twist, self.pitch, -self.lean], degrees=True)
        level = Rotation.from_euler("xz", [self.pitch, -self.lean], degrees=True)
        joints[INDEX["neck"]] = level.apply([0, _BONES["trunk"], 0])
        joints[INDEX["spine"]] = joints[INDEX["neck"]] / 2
        nod = Rotation.from_euler("xz", [self.nod, -self.tip], degrees=True)
        joints[INDEX["head"]] = joints[INDEX["neck"]] + (trunk * nod).apply([0, _BONES["head"], 0])
        for side, sign, arm, leg in (
            ("left", 1, self.left_arm, self.left_leg),
            ("right", -1, self.right_arm, self.right_leg),
        ):
            flip = np.array([sign, 1, 1])
            shoulder = joints[INDEX["neck"]] + trunk.apply([sign * _BONES["shoulder"], -0.02, 0])
            upper = _limb(arm.lift, arm.swing)
            fore = _bent(upper, arm.bend, arm.roll)
            elbow = shoulder + trunk.apply(upper * flip) * _BONES["upper_arm"]
            wrist = elbow + trunk.apply(fore * flip) * _BONES["forearm"]
            chain = {
                "shoulder": shoulder,
                "elbow": elbow,
                "wrist": wrist,
                "hand": wrist + (wrist - elbow) / 0.25 * _BONES["hand"],
            }
            hip = np.array([sign * _BONES["hip"], 0, 0])
            thigh = _limb(leg.lift, leg.swing)
            shank = _bent(thigh, -leg.bend, 0.0)
            knee = hip + thigh * flip * _BONES["thigh"]
            ankle = knee + shank * flip * _BONES["shank"]
            toes = np.array([np.sin(np.radians(leg.toes)), -0.3, np.cos(np.radians(leg.toes))]) * flip
            chain |= {"hip": hip, "knee": knee, "ankle": ankle, "foot": ankle + toes * _BONES["foot"]}
            for name, place in chain.items():
                joints[INDEX[f"{side}_{name}"]] = place
        turned = Rotation.from_euler("y", self.yaw, degrees=True).apply(joints)
        # (left, up, forward) of a person facing the camera is (x, -y, -z) of the camera.
        return Pose(turned * [1, -1, -1] + np.array(at), np.ones(len(JOINTS)), placed)


def _limb(lift: float, swing: float) -> np.ndarray:
    """Return the unit vector (outward, up, forward) of a limb."""
    a, b = np.radians([lift, swing])
    return np.array([np.sin(a) * np.cos(b), -np.cos(a), np.sin(a) * np.sin(b)])


def _bent(upper: np.ndarray, bend: float, roll: float) -> np.ndarray:
    """Return the next bone, turned by ``bend`` to the front (negative: back); ``roll`` turns the bending plane."""
    axis = np.cross(upper, [0.0, 0.0, 1.0])
    if np.linalg.norm(axis) < 0.2:
        axis = np.cross(upper, [0.0, 1.0, 0.0])
    axis = axis / np.linalg.norm(axis)
    axis = Rotation.from_rotvec(np.radians(roll) * upper).apply(axis)
    return Rotation.from_rotvec(np.radians(bend) * axis).apply(upper)


def _degrees(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False, width=32)


arms = st.builds(Arm, lift=_degrees(0, 175), swing=_degrees(-20, 110), bend=_degrees(0, 140), roll=_degrees(-90, 90))
legs = st.builds(Leg, lift=_degrees(0, 80), swing=_degrees(0, 100), bend=_degrees(0, 110), toes=_degrees(-20, 60))
bodies = st.builds(
    Body,
    yaw=_degrees(-80, 80),
    pitch=_degrees(-15, 50),
    lean=_degrees(-25, 25),
    twist=_degrees(-35, 35),
    nod=_degrees(-20, 35),
    tip=_degrees(-20, 20),
    left_arm=arms,
    right_arm=arms,
    left_leg=legs,
    right_leg=legs,
)
pairs = st.builds(lambda a, b: PosePair(a.pose(), b.pose()), bodies, bodies)


def random_pairs(count: int, seed: int, least: float = 0.1) -> list[PosePair]:
    """Seeded pairs of one person on the way between two random poses, at least ``least`` metres apart on mean.

    Three of four stop part of the way, so that small and large movements both occur.
    """
    rng = np.random.default_rng(seed)
    drawn_pairs: list[PosePair] = []
    while len(drawn_pairs) < count:
        start, end = _random_body(rng), _random_body(rng)
        pair = PosePair(start.pose(), between(start, end, rng.choice([0.2, 0.35, 0.6, 1.0])).pose())
        if joint_distances(pair).mean() >= least:
            drawn_pairs.append(pair)
    return drawn_pairs


def distance_left(pair: PosePair) -> float:
    """Return the mean joint distance to the target after the text is executed, as a share of the one before."""
    done = execute(make_plan(pair), pair.current, corrects=True)
    before, after = (
        np.linalg.norm((pose.joints - pose.joints[0]) - (pair.target.joints - pair.target.joints[0]), axis=-1).mean()
        for pose in (pair.current, done)
    )
    return float(after / before)


def _random_body(rng: np.random.Generator) -> Body:
    arms = [Arm(*rng.uniform([0, -20, 0, -90], [175, 110, 140, 90])) for _ in range(2)]
    legs = [Leg(*rng.uniform([0, 0, 0, -20], [80, 100, 110, 60])) for _ in range(2)]
    return Body(*rng.uniform([-80, -15, -25, -35, -20, -20], [80, 50, 25, 35, 35, 20]), *arms, *legs)


Part = TypeVar("Part", Body, Arm, Leg)


def between(start: Part, end: Part, share: float) -> Part:
    """Return the body with every angle interpolated by ``share`` from start to end."""
    values = {}
    for part in fields(start):
        a, b = getattr(start, part.name), getattr(end, part.name)
        values[part.name] = a + share * (b - a) if isinstance(a, int | float) else between(a, b, share)
    return replace(start, **values)
