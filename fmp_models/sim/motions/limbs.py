"""Conversion of arms and feet to vectors for interpolation, and back: frames as quaternions, bends in degrees.

An arm is nine numbers: the frame (upper arm, crease) as a quaternion, the bend, and the frame (fingers, palm) relative
to the forearm as another quaternion, so that a limb swings on arcs and a wrist turns with its forearm. A foot is eleven
numbers: the position of the ankle while the sole is flat, the frame (toes, sole), the degrees that the heel is raised,
and the knee's pole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from fmp_models.pose import Array
from fmp_models.sim.people.posing import SIDES, Arm, Leg, Reach, Triple, Turn

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
