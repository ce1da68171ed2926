"""The bodies that everyday phrases are said to, by the words of where they start."""

from __future__ import annotations

import numpy as np

from fmp_models.pose import BODY_SIDES, INDEX, Array
from tests.bodies import Arm, Body, Leg

_UP, _OUT, _FORWARD = Arm(170), Arm(88), Arm(80, 90)
_SEATED = Leg(88, 80, 85)
_BENT_BACK = Leg(5, 90, 95, 0)


def _both(*, arm: Arm | None = None, leg: Leg | None = None, **angles: float) -> Body:
    arm, leg = arm or Arm(), leg or Leg()
    return Body(**angles, left_arm=arm, right_arm=arm, left_leg=leg, right_leg=leg)


def _lying(body: Body, *, chest_up: bool) -> Array:
    """Joints of a body that faces the camera, tipped over to its back or its front."""
    sign = 1 if chest_up else -1
    return body.pose().joints @ np.array([[1, 0, 0], [0, 0, sign * 1], [0, sign * -1, 0]]) * [1, -1, -1]


def _toes_back(joints: Array) -> Array:
    """Return the body with its feet in line with the shanks, as they lie on the floor below a kneeling person."""
    moved = joints.copy()
    for side in BODY_SIDES:
        knee, ankle = joints[INDEX[f"{side}_knee"]], joints[INDEX[f"{side}_ankle"]]
        moved[INDEX[f"{side}_foot"]] = ankle + 0.16 * (ankle - knee) / np.linalg.norm(ankle - knee)
    return moved


STARTS: dict[str, Array] = {
    "standing": Body().pose().joints,
    "standing, turned": Body(yaw=40).pose().joints,
    "standing, arms overhead": _both(arm=_UP).pose().joints,
    "standing, arms out": _both(arm=_OUT).pose().joints,
    "standing, arms forward": _both(arm=_FORWARD).pose().joints,
    "standing, feet apart": _both(leg=Leg(22, 0)).pose().joints,
    "standing, bent forward": _both(pitch=80, arm=_FORWARD).pose().joints,
    "standing, right knee up": Body(right_leg=Leg(80, 85, 85)).pose().joints,
    "squatting": _both(pitch=30, arm=_FORWARD, leg=Leg(85, 80, 105)).pose().joints,
    "sitting on a chair": _both(arm=Arm(25, 70, 40), leg=_SEATED).pose().joints,
    "sitting on the floor": _both(leg=Leg(85, 85, 3)).pose().joints,
    "kneeling": _toes_back(_both(leg=_BENT_BACK).pose().joints),
    "on all fours": _toes_back(_both(pitch=65, arm=Arm(65, 90), leg=_BENT_BACK).pose().joints),
    "lying on the back": _lying(_both(arm=Arm(12)), chest_up=True),
    "lying on the front": _toes_back(_lying(_both(arm=Arm(12)), chest_up=False)),
}
