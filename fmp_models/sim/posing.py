"""A pose as a coach would say it -> the rotation of every bone of an Anny body.

Directions of limbs are triples (out, up, forward): out is away from the middle of the body, so one limb serves both
sides. Positions and directions of feet are seen from the pelvis, those of arms from the chest, so that arms follow when
the trunk leans. The world is metres with z up; a person whose ``heading`` is 0 looks along -y and has their left at +x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

SIDES = {"L": 1.0, "R": -1.0}
UP = np.array([0.0, 0.0, 1.0])
FORWARD = np.array([0.0, -1.0, 0.0])
CORRECTIONS = 4  # half twists bend a leg by millimetres; aiming again takes the foot back to the floor
SPINE = ("spine05", "spine04", "spine03", "spine02", "spine01")
NECK = ("neck01", "neck02", "neck03", "head")
CLAVICLE_FROM = 45.0  # degrees of arm elevation from which the shoulder girdle goes up with the arm
CLAVICLE_SHARE = 0.22  # of the elevation beyond that


@dataclass(frozen=True)
class Turn:
    """How a part of the trunk is turned from standing upright: degrees forward, to its left side, round to its left."""

    forward: float = 0.0
    side: float = 0.0
    round: float = 0.0

    def rotation(self) -> Rotation:
        """The rotation of a body that looks along -y."""
        return Rotation.from_euler("ZYX", [self.round, self.side, self.forward], degrees=True)


@dataclass(frozen=True)
class Arm:
    """Where the upper arm points, how far the elbow bends and towards where, where palm and fingers look."""

    upper: Triple
    bend: float
    crease: Triple
    palm: Triple
    fingers: Triple | None = None  # None: along the forearm


@dataclass(frozen=True)
class Reach:
    """A wrist at a place: (out, up, forward) from the shoulder in arm lengths; ``elbow`` is where the elbow points."""

    wrist: Triple
    elbow: Triple
    palm: Triple
    fingers: Triple | None = None


@dataclass(frozen=True)
class Leg:
    """An ankle at a place, (out, up, forward) in leg lengths from the floor below the mid-hip, and where it looks."""

    ankle: Triple
    knee: Triple = (0.1, 0.0, 1.0)
    toes: Triple = (0.1, 0.0, 1.0)
    sole: Triple = (0.0, -1.0, 0.0)


@dataclass(frozen=True)
class BodyPose:
    """A whole body. ``hip_height`` is that of the hip joints above the ankles in leg lengths; heading in degrees."""

    hip_height: float
    arms: Mapping[str, Arm | Reach]
    legs: Mapping[str, Leg]
    pelvis: Turn = Turn()
    chest: Turn = Turn()
    head: Turn = Turn()
    hip_shift: tuple[float, float] = (0.0, 0.0)  # to the left and forward, in leg lengths
    heading: float = 0.0


@dataclass(frozen=True)
class Skeleton:
    """An Anny body at rest: bone names, parents (-1 for the root) and heads (N, 3)."""

    names: Sequence[str]
    parents: Sequence[int]
    heads: Array

    def at(self, name: str) -> Array:
        """The head of a bone at rest."""
        return np.asarray(self.heads[self.names.index(name)])

    def pose(self, pose: BodyPose) -> Array:
        """World rotations (N, 3, 3) that carry every bone from rest into the pose."""
        return _Posing(self, pose).rotations()


class _Posing:
    """One skeleton on its way into one pose, from the pelvis outwards."""

    def __init__(self, skeleton: Skeleton, pose: BodyPose) -> None:
        self.skeleton, self.want = skeleton, pose
        self.heading = Rotation.from_euler("Z", pose.heading, degrees=True)
        self.turned: dict[str, Rotation] = {}

    def rotations(self) -> Array:
        self._trunk()
        for side, sign in SIDES.items():
            self._shoulder(side, sign)
            self._arm(side, sign)
            self._leg(side, sign)
        return np.stack([rotation.as_matrix() for rotation in self._all()])

    def _all(self) -> list[Rotation]:
        """Every bone's rotation; a bone that nobody turned follows its parent."""
        found: list[Rotation] = []
        for name, parent in zip(self.skeleton.names, self.skeleton.parents, strict=True):
            inherited = found[parent] if parent >= 0 else self.turned["root"]
            found.append(self.turned.get(name, inherited))
        return found

    def _place(self, name: str) -> Array:
        """Where the head of a bone is now, with the root at the origin."""
        skeleton, rotations = self.skeleton, self._all()
        index, place = skeleton.names.index(name), np.zeros(3)
        while (parent := skeleton.parents[index]) >= 0:
            place = place + rotations[parent].apply(skeleton.heads[index] - skeleton.heads[parent])
            index = parent
        return place

    def _rest(self, start: str, end: str) -> Array:
        return self.skeleton.at(end) - self.skeleton.at(start)

    def _trunk(self) -> None:
        pelvis, chest, head = (
            self.heading * turn.rotation() for turn in (self.want.pelvis, self.want.chest, self.want.head)
        )
        self.turned["root"] = pelvis
        self._blend(SPINE, pelvis, chest)
        self._blend(NECK, chest, head)

    def _blend(self, names: Sequence[str], first: Rotation, last: Rotation) -> None:
        between = Slerp([0.0, 1.0], Rotation.concatenate([first, last]))
        for i, name in enumerate(names, start=1):
            self.turned[name] = between(i / len(names))

    def _shoulder(self, side: str, sign: float) -> None:
        """Lift the shoulder girdle with a raised arm."""
        chest, arm = self.turned["spine01"], self.want.arms[side]
        upper = _unit(np.array(arm.upper if isinstance(arm, Arm) else arm.wrist))
        elevation = np.degrees(np.arccos(np.clip(-upper[1], -1.0, 1.0)))
        lift = np.radians(max(0.0, elevation - CLAVICLE_FROM) * CLAVICLE_SHARE)
        # About the forward axis: on the left, -y turns +x towards +z.
        raised = chest * Rotation.from_rotvec(FORWARD * lift * sign)
        self.turned[f"clavicle.{side}"] = self.turned[f"shoulder01.{side}"] = raised

    def _arm(self, side: str, sign: float) -> None:
        chest, arm = self.turned["spine01"], self.want.arms[side]
        rest_upper = self._rest(f"upperarm01.{side}", f"lowerarm01.{side}")
        rest_fore = self._rest(f"lowerarm01.{side}", f"wrist.{side}")
        if isinstance(arm, Arm):
            upper = _unit(_world(arm.upper, sign, chest))
            crease = _unit(_across(_world(arm.crease, sign, chest), upper))
            bend = np.radians(arm.bend)
            fore = np.cos(bend) * upper + np.sin(bend) * crease
        else:
            lengths = float(np.linalg.norm(rest_upper)), float(np.linalg.norm(rest_fore))
            wrist = _world(arm.wrist, sign, chest) * sum(lengths)
            upper, fore = _two_bones(wrist, lengths, _world(arm.elbow, sign, chest))
            crease = _unit(_across(fore, upper))
        rest_hinge, hinge = np.cross(rest_upper, rest_fore), np.cross(upper, crease)
        above = _carry((rest_upper, rest_hinge), (upper, hinge))
        below = _carry((rest_fore, rest_hinge), (fore, hinge))
        hand = self._hand(side, sign, arm, fore)
        self.turned[f"upperarm01.{side}"] = _half_twist(self.turned[f"shoulder01.{side}"], above, upper)
        self.turned[f"upperarm02.{side}"] = above
        self.turned[f"lowerarm01.{side}"] = below
        self.turned[f"lowerarm02.{side}"] = _half_twist(hand, below, fore)
        self.turned[f"wrist.{side}"] = hand

    def _hand(self, side: str, sign: float, arm: Arm | Reach, fore: Array) -> Rotation:
        rest_fingers = self._rest(f"wrist.{side}", f"finger3-1.{side}")
        across = self._rest(f"finger5-1.{side}", f"finger2-1.{side}")
        rest_palm = np.cross(across, rest_fingers) * -sign
        chest = self.turned["spine01"]
        fingers = fore if arm.fingers is None else _world(arm.fingers, sign, chest)
        return _carry((rest_fingers, rest_palm), (fingers, _world(arm.palm, sign, chest)))

    def _leg(self, side: str, sign: float) -> None:
        leg, heading = self.want.legs[side], self.heading
        rest_thigh = self._rest(f"upperleg01.{side}", f"lowerleg01.{side}")
        rest_shank = self._rest(f"lowerleg01.{side}", f"foot.{side}")
        lengths = float(np.linalg.norm(rest_thigh)), float(np.linalg.norm(rest_shank))
        left, forward = self.want.hip_shift
        hips = (self._place("upperleg01.L") + self._place("upperleg01.R")) / 2
        from_hips = _world(leg.ankle, sign, heading) - _world((left, self.want.hip_height, forward), 1.0, heading)
        ankle = UP * hips + from_hips * sum(lengths)
        knee = _world(leg.knee, sign, heading)
        foot = _carry((FORWARD, -UP), (_world(leg.toes, sign, heading), _world(leg.sole, sign, heading)))
        self.turned[f"foot.{side}"] = foot
        hip, aim = self._place(f"upperleg01.{side}"), ankle
        for _ in range(CORRECTIONS):
            thigh, shank = _two_bones(aim - hip, lengths, knee)
            # The hinge lies to the left of a knee that points forward.
            hinge = np.cross(knee, thigh)
            above = _carry((rest_thigh, np.cross(FORWARD, rest_thigh)), (thigh, hinge))
            below = _carry((rest_shank, np.cross(FORWARD, rest_shank)), (shank, hinge))
            self.turned[f"upperleg01.{side}"] = _half_twist(self.turned["root"], above, thigh)
            self.turned[f"upperleg02.{side}"] = above
            self.turned[f"lowerleg01.{side}"] = below
            self.turned[f"lowerleg02.{side}"] = _half_twist(foot, below, shank)
            aim = aim + ankle - self._place(f"foot.{side}")


def _world(triple: Triple, sign: float, frame: Rotation) -> Array:
    out, up, forward = triple
    return np.asarray(frame.apply(np.array([sign * out, -forward, up])))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector))


def _across(vector: Array, axis: Array) -> Array:
    """The part of a vector at right angles to a unit axis."""
    return np.asarray(vector - (vector @ axis) * axis)


def _frame(first: Array, second: Array) -> Array:
    x = _unit(first)
    y = _unit(_across(second, x))
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _carry(rest: tuple[Array, Array], want: tuple[Array, Array]) -> Rotation:
    """The rotation that takes one direction exactly to another, and a second one as near as it can."""
    return Rotation.from_matrix(_frame(*want) @ _frame(*rest).T)


def _half_twist(before: Rotation, after: Rotation, axis: Array) -> Rotation:
    """``after`` with half of its twist about ``axis`` since ``before`` taken back: skin winds over two bones."""
    x, y, z, w = (after * before.inv()).as_quat()
    twist = 2 * np.arctan2(np.array([x, y, z]) @ axis, w)
    twist = (twist + np.pi) % (2 * np.pi) - np.pi
    return Rotation.from_rotvec(-twist / 2 * axis) * after


def _two_bones(end: Array, lengths: tuple[float, float], pole: Array) -> tuple[Array, Array]:
    """Unit directions of two bones from the origin to ``end``, their joint on the side of ``pole``."""
    first, second = lengths
    reach = float(np.linalg.norm(end))
    if reach > first + second:
        message = f"the limb is {first + second:.3f} m long and cannot reach {reach:.3f} m"
        raise ValueError(message)
    along = (first**2 - second**2 + reach**2) / (2 * reach)
    aside = np.sqrt(first**2 - along**2)
    axis = end / reach
    joint = along * axis + aside * _unit(_across(pole, axis))
    return _unit(joint), _unit(end - joint)
