"""Posing: from a pose in a coach's terms to the rotation of every bone of an Anny body.

Directions of limbs are triples (out, up, forward): out is away from the middle of the body, so one limb serves both
sides. Arms are given in the frame of the chest, so that they follow when the trunk leans. Legs and feet are given in
the frame of the person's heading. The world is metres with z up; a person whose ``heading`` is 0 looks along -y and
has their left at +x.

For interpolation, limbs are vectors. An arm is nine numbers: the frame (upper arm, crease) as a quaternion, the bend,
and the frame (fingers, palm) relative to the forearm as another quaternion, so that a limb swings on arcs and a wrist
turns with its forearm. A foot is eleven numbers: the position of the ankle while the sole is flat, the frame (toes,
sole), the degrees that the heel is raised, and the knee's pole. Joint limits keep ankles within the reach of the legs
and elbows within their range.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from fmp_models.pose import Array

Triple = tuple[float, float, float]

SIDES = {"L": 1.0, "R": -1.0}
UP = np.array([0.0, 0.0, 1.0])
FORWARD = np.array([0.0, -1.0, 0.0])
SIDE_AXIS, BACK_AXIS = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
CORRECTIONS = 4  # iterations: half twists bend a leg by millimetres, and aiming again corrects the foot
SPINE = ("spine05", "spine04", "spine03", "spine02", "spine01")
NECK = ("neck01", "neck02", "neck03", "head")
CLAVICLE_FROM = 45.0  # degrees of arm elevation above which the shoulder girdle rises with the arm
CLAVICLE_SHARE = 0.22  # of the elevation beyond that


@dataclass(frozen=True)
class Turn:
    """Rotation of a part of the trunk from standing upright: degrees forward, to its left side, round to its left."""

    forward: float = 0.0
    side: float = 0.0
    round: float = 0.0

    def rotation(self) -> Array:
        """Return the rotation (3, 3) of a body that looks along -y."""
        return _about(UP, self.round) @ _about(BACK_AXIS, self.side) @ _about(SIDE_AXIS, self.forward)


@dataclass(frozen=True)
class Arm:
    """Directions of the upper arm, of the elbow's bend, of the palm and the fingers, and degrees of bend."""

    upper: Triple
    bend: float
    crease: Triple
    palm: Triple
    fingers: Triple | None = None  # None: along the forearm


@dataclass(frozen=True)
class Reach:
    """A wrist position, (out, up, forward) from the shoulder in arm lengths; ``elbow`` is where the elbow points."""

    wrist: Triple
    elbow: Triple
    palm: Triple
    fingers: Triple | None = None


@dataclass(frozen=True)
class Leg:
    """An ankle position, (out, up, forward) in leg lengths from the floor below the mid-hip, and directions."""

    ankle: Triple
    knee: Triple = (0.1, 0.0, 1.0)
    toes: Triple = (0.1, 0.0, 1.0)
    sole: Triple = (0.0, -1.0, 0.0)


@dataclass(frozen=True)
class BodyPose:
    """A whole body; ``hip_height`` is that of the hip joints above the ankles in leg lengths, heading in degrees."""

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
        """Return the head of a bone at rest."""
        return np.asarray(self.heads[self.names.index(name)])

    def pose(self, pose: BodyPose) -> Array:
        """Return world rotations (N, 3, 3) of every bone from rest into the pose."""
        return _Posing(self, pose).rotations()


class _Posing:
    """The computation of one pose of a skeleton, from the pelvis outwards; rotations are (3, 3) matrices."""

    def __init__(self, skeleton: Skeleton, pose: BodyPose) -> None:
        self.skeleton, self.want = skeleton, pose
        self.heading = _about(UP, pose.heading)
        self.turned: dict[str, Array] = {}

    def rotations(self) -> Array:
        self._trunk()
        for side, sign in SIDES.items():
            self._shoulder(side, sign)
            self._arm(side, sign)
            self._leg(side, sign)
        rotations: list[Array] = []
        for name, parent in zip(self.skeleton.names, self.skeleton.parents, strict=True):
            # A bone without a rotation of its own follows its parent.
            rotations.append(self.turned.get(name, rotations[parent] if parent >= 0 else self.turned["root"]))
        return np.stack(rotations)

    def _place(self, name: str) -> Array:
        """Return the current position of the head of a bone, with the root at the origin."""
        skeleton, place, above = self.skeleton, np.zeros(3), [self.skeleton.names.index(name)]
        while (parent := skeleton.parents[above[-1]]) >= 0:
            above.append(parent)
        turned = self.turned["root"]
        for parent, child in zip(above[:0:-1], above[-2::-1], strict=True):
            turned = self.turned.get(skeleton.names[parent], turned)
            place = place + turned @ (skeleton.heads[child] - skeleton.heads[parent])
        return place

    def _rest(self, start: str, end: str) -> Array:
        return self.skeleton.at(end) - self.skeleton.at(start)

    def _trunk(self) -> None:
        pelvis, chest, head = (
            self.heading @ turn.rotation() for turn in (self.want.pelvis, self.want.chest, self.want.head)
        )
        self.turned["root"] = pelvis
        self._blend(SPINE, pelvis, chest)
        self._blend(NECK, chest, head)

    def _blend(self, names: Sequence[str], first: Array, last: Array) -> None:
        axis, degrees = _axis_angle(last @ first.T)
        for i, name in enumerate(names, start=1):
            self.turned[name] = _about(axis, degrees * i / len(names)) @ first

    def _shoulder(self, side: str, sign: float) -> None:
        """Lift the shoulder girdle with a raised arm."""
        chest, arm = self.turned["spine01"], self.want.arms[side]
        upper = _unit(np.array(arm.upper if isinstance(arm, Arm) else arm.wrist))
        elevation = np.degrees(np.arccos(np.clip(-upper[1], -1.0, 1.0)))
        lift = max(0.0, elevation - CLAVICLE_FROM) * CLAVICLE_SHARE
        # About the forward axis: on the left, -y turns +x towards +z.
        raised = chest @ _about(FORWARD, lift * sign)
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
            lengths = _length(rest_upper), _length(rest_fore)
            wrist = _world(arm.wrist, sign, chest) * sum(lengths)
            upper, fore = _two_bones(wrist, lengths, _world(arm.elbow, sign, chest))
            crease = _unit(_across(fore, upper))
        rest_hinge, hinge = _cross(rest_upper, rest_fore), _cross(upper, crease)
        above = _carry((rest_upper, rest_hinge), (upper, hinge))
        below = _carry((rest_fore, rest_hinge), (fore, hinge))
        hand = self._hand(side, sign, arm, fore)
        self.turned[f"upperarm01.{side}"] = half_twist(self.turned[f"shoulder01.{side}"], above, upper)
        self.turned[f"upperarm02.{side}"] = above
        self.turned[f"lowerarm01.{side}"] = below
        self.turned[f"lowerarm02.{side}"] = half_twist(hand, below, fore)
        self.turned[f"wrist.{side}"] = hand

    def _hand(self, side: str, sign: float, arm: Arm | Reach, fore: Array) -> Array:
        rest_fingers = self._rest(f"wrist.{side}", f"finger3-1.{side}")
        across = self._rest(f"finger5-1.{side}", f"finger2-1.{side}")
        rest_palm = _cross(across, rest_fingers) * -sign
        chest = self.turned["spine01"]
        fingers = fore if arm.fingers is None else _world(arm.fingers, sign, chest)
        return _carry((rest_fingers, rest_palm), (fingers, _world(arm.palm, sign, chest)))

    def _leg(self, side: str, sign: float) -> None:
        leg, heading = self.want.legs[side], self.heading
        rest_thigh = self._rest(f"upperleg01.{side}", f"lowerleg01.{side}")
        rest_shank = self._rest(f"lowerleg01.{side}", f"foot.{side}")
        lengths = _length(rest_thigh), _length(rest_shank)
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
            hinge = _cross(knee, thigh)
            above = _carry((rest_thigh, _cross(FORWARD, rest_thigh)), (thigh, hinge))
            below = _carry((rest_shank, _cross(FORWARD, rest_shank)), (shank, hinge))
            self.turned[f"upperleg01.{side}"] = half_twist(self.turned["root"], above, thigh)
            self.turned[f"upperleg02.{side}"] = above
            self.turned[f"lowerleg01.{side}"] = below
            self.turned[f"lowerleg02.{side}"] = half_twist(foot, below, shank)
            aim = aim + ankle - self._place(f"foot.{side}")


def _world(triple: Triple, sign: float, frame: Array) -> Array:
    out, up, forward = triple
    return np.asarray(frame @ np.array([sign * out, -forward, up]))


def _length(vector: Array) -> float:
    return math.sqrt(float(vector @ vector))


def _unit(vector: Array) -> Array:
    return np.asarray(vector / _length(vector))


def _cross(a: Array, b: Array) -> Array:
    """Return the cross product of two single vectors; faster than ``np.cross``, which spends its time on shapes."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def _across(vector: Array, axis: Array) -> Array:
    """Return the component of a vector perpendicular to a unit axis."""
    return np.asarray(vector - (vector @ axis) * axis)


def _frame(first: Array, second: Array) -> Array:
    x = _unit(first)
    y = _unit(_across(second, x))
    return np.array([x, y, _cross(x, y)]).T


def _carry(rest: tuple[Array, Array], want: tuple[Array, Array]) -> Array:
    """Return the rotation that maps one direction exactly to another, and a second one as near as possible."""
    return np.asarray(_frame(*want) @ _frame(*rest).T)


def _about(axis: Array, degrees: float) -> Array:
    """Return the rotation by an angle about a unit axis (Rodrigues)."""
    x, y, z = axis.tolist()
    sine, rest = math.sin(math.radians(degrees)), 1 - math.cos(math.radians(degrees))
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + sine * cross + rest * (cross @ cross))


def _axis_angle(turn: Array) -> tuple[Array, float]:
    """Return unit axis and degrees of a rotation of less than half a turn."""
    twice = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    size = _length(twice)
    if size < 1e-12:  # noqa: PLR2004 - a rotation by zero has no axis
        return UP, 0.0
    return twice / size, math.degrees(math.atan2(size, float(np.trace(turn)) - 1))


def half_twist(before: Array, after: Array, axis: Array) -> Array:
    """Return ``after`` without half of its twist about ``axis`` since ``before``: two bones share the twist."""
    turn_axis, degrees = _axis_angle(after @ before.T)
    half = math.radians(degrees) / 2
    twist = 2 * math.degrees(math.atan2(math.sin(half) * float(turn_axis @ axis), math.cos(half)))
    return np.asarray(_about(axis, -((twist + 180) % 360 - 180) / 2) @ after)


def _two_bones(end: Array, lengths: tuple[float, float], pole: Array) -> tuple[Array, Array]:
    """Return unit directions of two bones from the origin to ``end``, with their joint on the side of ``pole``."""
    first, second = lengths
    reach = _length(end)
    if reach > first + second:
        raise ValueError(f"the limb is {first + second:.3f} m long and cannot reach {reach:.3f} m")
    along = (first**2 - second**2 + reach**2) / (2 * reach)
    aside = math.sqrt(first**2 - along**2)
    axis = end / reach
    joint = along * axis + aside * _unit(_across(pole, axis))
    return _unit(joint), _unit(end - joint)


UPPER_ARM = 0.55  # of an arm's length, a usual proportion
MAX_ARM_REACH = 0.995  # of an arm's length: an elbow is never fully straight
TO_TIPTOE, ANKLE = 0.225, 0.095  # leg lengths: from below the ankle to the tip of the toes, and the ankle's height


@dataclass(frozen=True)
class Foot:
    """A standing or hanging foot, in leg lengths on the spot's own floor, which does not turn with the person.

    ``ankle`` is (out, up, forward) with a flat sole; ``heel`` degrees raise the heel about the tip of the toes.
    """

    ankle: Triple
    knee: Triple
    toes: Triple
    sole: Triple
    heel: float = 0.0


def arm_to_vector(arm: Arm | Reach) -> Array:
    """Return the nine numbers of an arm; a reach is solved with an arm of usual proportions."""
    upper, crease, bend = _directions(arm) if isinstance(arm, Arm) else _reaching(arm)
    frame = frame_of(upper, crease)
    forearm = _forearm(frame, bend)
    fingers = forearm[:, 0] if arm.fingers is None else np.array(arm.fingers)
    hand = forearm.T @ frame_of(fingers, np.array(arm.palm))
    return np.concatenate([_quaternion(frame), [bend], _quaternion(hand)])


def vector_to_arm(swing: Array, fold: Array, wrist: Array) -> Arm:
    """Return the arm with the upper arm of one vector, the bend of a second and the hand of a third: hands may lag."""
    frame, bend = rotation_of(swing[:4]), float(np.clip(fold[4], 0.0, 180.0))
    hand = _forearm(frame, bend) @ rotation_of(wrist[5:])
    return Arm(_triple(frame[:, 0]), bend, _triple(frame[:, 1]), _triple(hand[:, 1]), _triple(hand[:, 0]))


def foot_to_vector(foot: Foot) -> Array:
    """Return the eleven numbers of a foot."""
    frame = frame_of(np.array(foot.toes), np.array(foot.sole))
    knee = np.array(foot.knee) / np.linalg.norm(foot.knee)
    return np.concatenate([foot.ankle, _quaternion(frame), [foot.heel], knee])


def vector_to_leg(vector: Array, side: str, heading: float) -> Leg:
    """Return the leg of a person who is turned ``heading`` degrees to the left of the spot's heading."""
    sign = SIDES[side]
    frame = rotation_of(vector[3:7])
    tilt = np.radians(vector[7])
    toes, sole = frame[:, 0], frame[:, 1]
    # The ankle rotates by the tilt about the tip of the toes, which stays in place.
    ankle = vector[:3] + TO_TIPTOE * toes + ANKLE * sole
    toes, sole = np.cos(tilt) * toes + np.sin(tilt) * sole, np.cos(tilt) * sole - np.sin(tilt) * toes
    ankle = ankle - TO_TIPTOE * toes - ANKLE * sole
    return Leg(*(_turned(part, sign, -heading) for part in (ankle, vector[8:], toes, sole)))


def in_chest(arm: Arm | Reach, side: str, chest: Turn) -> Arm | Reach:
    """Convert an arm given for an upright trunk to the frame of a turned trunk."""

    def turn(triple: Triple) -> Triple:
        out, up, forward = triple
        x, y, z = chest.rotation().T @ np.array([SIDES[side] * out, -forward, up])
        return float(SIDES[side] * x), float(z), float(-y)

    palm, fingers = turn(arm.palm), None if arm.fingers is None else turn(arm.fingers)
    if isinstance(arm, Arm):
        return Arm(turn(arm.upper), arm.bend, turn(arm.crease), palm, fingers)
    return Reach(turn(arm.wrist), turn(arm.elbow), palm, fingers)


def frame_of(first: Array, second: Array) -> Array:
    """Return right-handed axes (3, 3) as columns: the first direction, the second as near as possible, their normal."""
    x = first / np.linalg.norm(first)
    y = second - (second @ x) * x
    y = y / np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def rotation_of(quaternion: Array) -> Array:
    """Return the matrix (3, 3) of a quaternion (4,) of any length."""
    return np.asarray(Rotation.from_quat(quaternion).as_matrix())


def _quaternion(frame: Array) -> Array:
    return np.asarray(Rotation.from_matrix(frame).as_quat())


def _forearm(frame: Array, bend: float) -> Array:
    c, s = np.cos(np.radians(bend)), np.sin(np.radians(bend))
    return np.asarray(frame @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def _directions(arm: Arm) -> tuple[Array, Array, float]:
    return np.array(arm.upper), np.array(arm.crease), arm.bend


def _reaching(arm: Reach) -> tuple[Array, Array, float]:
    wrist = np.array(arm.wrist)
    far = float(np.linalg.norm(wrist))
    axis, reach = wrist / far, min(far, MAX_ARM_REACH)
    fore = 1.0 - UPPER_ARM
    along = (UPPER_ARM**2 - fore**2 + reach**2) / (2 * reach)
    aside = np.sqrt(max(UPPER_ARM**2 - along**2, 0.0))
    pole = frame_of(axis, np.array(arm.elbow))[:, 1]
    upper = along * axis + aside * pole
    bend = np.arccos(np.clip((reach**2 - UPPER_ARM**2 - fore**2) / (2 * UPPER_ARM * fore), -1.0, 1.0))
    return upper, reach * axis - upper, float(np.degrees(bend))


def _turned(vector: Array, sign: float, degrees: float) -> Triple:
    out, up, forward = vector
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    left = sign * out
    return float(sign * (left * c + forward * s)), float(up), float(forward * c - left * s)


def _triple(vector: Array) -> Triple:
    x, y, z = vector
    return float(x), float(y), float(z)


MAX_LEG_LENGTH, MIN_LEG_LENGTH = (
    0.986,
    0.34,
)  # leg lengths from hip to ankle: an almost straight knee, and one bent by 140 degrees
HIP_JOINT = np.array([0.123, 0.0, 0.0])  # leg lengths from the middle of the hips to the left hip joint
HIPS_FROM_ROOT = np.array([0.0, 0.006, -0.016])  # leg lengths; the trunk tilts about its root, a little above the hips
LOWEST_HIPS = 0.2  # leg lengths
ELBOW = (2.0, 150.0)  # degrees


def within_reach(pose: BodyPose, planted: AbstractSet[str]) -> BodyPose:
    """Return the pose within reach: hips are lowered to planted feet, and a free foot is moved nearer to its hip."""
    hips = {side: _hip(pose, side) for side in SIDES}
    heights = [pose.hip_height]
    for side in planted:
        ankle = np.array(pose.legs[side].ankle)
        aside = (ankle - hips[side])[[0, 2]]
        tilt = hips[side][1] - pose.hip_height
        below = max(MAX_LEG_LENGTH**2 - float(aside @ aside), 0.0)
        heights.append(float(ankle[1] + below**0.5 - tilt))
    height = max(min(heights), LOWEST_HIPS)
    drop = np.array([0.0, height - pose.hip_height, 0.0])
    legs = {side: _leg_in_reach(leg, hips[side] + drop) for side, leg in pose.legs.items()}
    return dataclasses.replace(pose, hip_height=height, legs=legs)


def bendable(arm: Arm) -> Arm:
    """Return the arm with its elbow bend clamped to the human range."""
    least, most = ELBOW
    return dataclasses.replace(arm, bend=min(max(arm.bend, least), most))


def _hip(pose: BodyPose, side: str) -> Array:
    """Return the hip joint as (out, up, forward) leg lengths from the stance origin."""
    sign, pelvis = SIDES[side], pose.pelvis.rotation()
    left, forward = pose.hip_shift
    tilted, middle = pelvis @ (HIP_JOINT * sign), pelvis @ HIPS_FROM_ROOT
    return np.array(
        [
            sign * (left + tilted[0] + middle[0]),
            pose.hip_height + tilted[2],
            forward - tilted[1] - middle[1],
        ]
    )


def _leg_in_reach(leg: Leg, hip: Array) -> Leg:
    way = np.array(leg.ankle) - hip
    far = float(np.linalg.norm(way))
    if MIN_LEG_LENGTH <= far <= MAX_LEG_LENGTH:
        return leg
    out, up, forward = hip + way / far * np.clip(far, MIN_LEG_LENGTH, MAX_LEG_LENGTH)
    return dataclasses.replace(leg, ankle=(float(out), float(up), float(forward)))
