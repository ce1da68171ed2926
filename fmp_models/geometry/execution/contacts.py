"""Contacts: which joints of a body rest on the floor, where its weight is, and residuals of resting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from fmp_models.geometry.attitudes import is_sitting
from fmp_models.geometry.clauses import Clause, Direction, Part, Relation
from fmp_models.geometry.execution.goals import WIDE
from fmp_models.geometry.pose_values import FORWARD, LEFT, centre_of_weight, is_lying, stance_width
from fmp_models.pose import INDEX, JOINTS, Array, body_axes

_DOWN = 1  # the axis of the camera that points down
# Metres over the floor: a joint may rest below the first; a resting joint is at the second.
_REACH = {"ankle": 0.13, "foot": 0.08, "knee": 0.12, "hip": 0.2, "wrist": 0.15, "hand": 0.13, "elbow": 0.08}
_FLESH = {"knee": 0.04, "hip": 0.09, "hand": 0.01, "elbow": 0.03, "shoulder": 0.08, "head": 0.09}
_LYING = 0.2  # metres over the floor below which a trunk or head lies on it
_SOLE = 0.29  # height of an ankle over the floor as a share of the foot's length, for a flat foot
_OFF_PLACE, _OFF_BALANCE = 0.01, 0.02  # metres that cost as much as one slack of a range
_HEEL, _BESIDE, _INSIDE = 0.05, 0.03, 0.06  # metres of a foot behind and beside its ankle; margin of the weight
_SMOOTH = 0.01  # metres over which the smooth maximum changes from one foot to the other
_FALLS = 0.15  # metres of the weight outside the support from which a body falls
_ARM, _FOOT, _LEG = ("elbow", "wrist", "hand"), ("ankle", "foot"), ("knee", "ankle", "foot")


@dataclass(frozen=True)
class Contacts:
    """Joints that ``rest`` at ``heights`` over the floor, and the ``fixed`` ones that stay at ``places``.

    If ``balanced``, only feet bear the body: its weight is over them, within the metres ``allowed``.
    """

    rest: Sequence[int]
    heights: Array
    fixed: Sequence[int]
    places: Array
    balanced: bool
    allowed: Array | float = 0.0

    def off(self, bodies: Array, floor: float) -> Array:
        """Return the residuals (n, k) of resting bodies (n, 20, 3) in slacks: height, place, sinking and balance."""
        height = floor - bodies[..., _DOWN]
        parts = [height[:, self.rest] - self.heights, (bodies[:, self.fixed] - self.places).reshape(len(bodies), -1)]
        parts.append(np.maximum(-np.delete(height, self.rest, axis=-1), 0.0))
        parts = [part / _OFF_PLACE for part in parts]
        if self.balanced:
            parts.append(np.maximum(self.off_balance(bodies) - self.allowed, 0.0) / _OFF_BALANCE)
        return np.concatenate(parts, axis=-1)

    def off_balance(self, bodies: Array) -> Array:
        """Return the metres (n, 2) of the weight outside the support, sideways and forward, with a small margin."""
        axes = body_axes(bodies)[:, [LEFT, FORWARD]]
        places = np.einsum("nij,nkj->nki", axes, bodies[:, self.rest])
        weight = np.einsum("nij,nj->ni", axes, centre_of_weight(bodies))
        low, high = -_smooth_max(-places) - (_BESIDE, _HEEL), _smooth_max(places) + np.array([_BESIDE, 0.0])
        inside = np.minimum(0.25 * (high - low), _INSIDE)
        return np.asarray(np.maximum(np.maximum(low + inside - weight, weight - high + inside), 0.0))


def floor_level(joints: Array) -> float:
    """Return the floor under a body (20, 3), as metres down in the camera frame."""
    return float(joints[:, _DOWN].max())


def set_down(joints: Array, floor: float) -> Array:
    """Return the body with its lowest joint on the floor."""
    return np.asarray(joints + np.array([0.0, floor - floor_level(joints), 0.0]))


def put_down(body: Array, rest: Sequence[int], *, seated: bool) -> Contacts:
    """Return the contacts of a body that rests on these joints, anywhere along the floor."""
    soles = {
        joint: _SOLE * float(np.linalg.norm(body[joint + 1] - body[joint])) for joint in rest if _is(joint, "ankle")
    }
    heights = np.array([soles.get(joint, _FLESH.get(_kind(joint), 0.0)) for joint in rest])
    return Contacts(rest, heights, [], body[[]], _on_feet(rest) and not seated)


def stays(body: Array, floor: float, clause: Clause) -> Contacts | None:
    """Return the contacts that persist while a clause is executed; ``None`` if nothing would bear the body."""
    rest, seated = _resting(body, floor), bool(is_sitting(body))
    seat = [INDEX["left_hip"], INDEX["right_hip"]] if seated and clause.part not in {Part.BODY, Part.HIPS} else []
    lifted = _lifted(clause, body, seated=seated or bool(is_lying(body)))
    bearing = [joint for joint in dict.fromkeys([*rest, *seat]) if JOINTS[joint] not in lifted]
    if not bearing or (len(bearing) < len(rest) and _falls(body, bearing)):
        return None
    turned = clause.direction in {Direction.TURN_OUT, Direction.TURN_IN}  # on the heel
    sliding = _names(clause, ("foot",) if turned else _FOOT) if clause.part is Part.FOOT else []
    fixed = [joint for joint in bearing if JOINTS[joint] not in sliding]
    heights = floor - body[bearing, _DOWN]
    found = Contacts(bearing, heights, fixed, body[fixed], _on_feet(bearing) and not seated)
    return replace(found, allowed=found.off_balance(body[None])[0])


def _resting(body: Array, floor: float) -> list[int]:
    """Return the joints that rest on the floor; hands do not count if the weight is over the feet."""
    lies = bool(is_lying(body))
    reach = [_REACH.get(_kind(joint), _LYING if lies else 0.0) for joint in range(len(JOINTS))]
    rest = [joint for joint, metres in enumerate(reach) if floor - body[joint, _DOWN] < metres]
    on_hands = lies or _falls(body, [joint for joint in rest if _is(joint, *_FOOT)])
    return [joint for joint in rest if on_hands or not _is(joint, *_ARM)]


def _lifted(clause: Clause, body: Array, *, seated: bool) -> list[str]:
    """Return the joints that bear nothing while a clause is executed."""
    if clause.part.limb is Part.ARM:
        return _names(clause, _ARM)
    # One knee bends by lifting its foot, unless the feet are far apart; both knees bend by lowering the hips.
    bends = clause.direction is Direction.BEND or Relation.RIGHT_ANGLE in clause.relations
    one = bends and len(clause.side.of_body) == 1 and float(stance_width(body)) < WIDE
    if clause.part is Part.LEG or (clause.part is Part.KNEE and (seated or one)):
        return _names(clause, _LEG)
    return [joint for i, joint in enumerate(JOINTS) if _is(i, *_middle(clause.part))]


def _middle(part: Part) -> tuple[str, ...]:
    """Return the kinds of joints that bear nothing while the middle of the body moves."""
    match part:
        case Part.TRUNK | Part.HEAD | Part.SHOULDER:
            return ("head", "neck", "spine", "shoulder")
        case Part.BODY | Part.HIPS:
            return ("spine", "hip", "knee")
        case Part.ARM | Part.FOREARM | Part.HAND | Part.ELBOW | Part.LEG | Part.KNEE | Part.FOOT:
            return ()
        case _:
            assert_never(part)


def _falls(body: Array, bearing: Sequence[int]) -> bool:
    """Return whether the weight of a body is far from the joints that bear it."""
    found = Contacts(bearing, np.zeros(len(bearing)), [], body[[]], balanced=True)
    return not bearing or bool(found.off_balance(body[None]).max() > _FALLS)


def _smooth_max(places: Array) -> Array:
    """Return smooth maxima (n, k) of places (n, m, k); a kink where two places are level would break symmetry."""
    top = places.max(axis=1)
    return np.asarray(top + _SMOOTH * np.log(np.exp((places - top[:, None]) / _SMOOTH).sum(axis=1)))


def _names(clause: Clause, parts: Sequence[str]) -> list[str]:
    return [f"{side}_{part}" for side in clause.side.of_body for part in parts]


def _on_feet(rest: Sequence[int]) -> bool:
    return all(_is(joint, *_FOOT) for joint in rest)


def _is(joint: int, *kinds: str) -> bool:
    return _kind(joint) in kinds


def _kind(joint: int) -> str:
    return JOINTS[joint].rpartition("_")[2]
