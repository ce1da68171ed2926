"""The sun salutation, eight poses in order: one person on a mat in one room, seen obliquely from the front.

She faces along the mat, to the right of the picture. The camera is on her right, a little ahead of her, where a pose
estimator can distinguish near limbs from far ones. The hands are placed so that they are on the mat when the feet are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from demo.examples.cast import ASHA, both
from fmp_models.sim.people.posing import Arm, BodyPose, Leg, Reach, Turn
from fmp_models.sim.rendering.light import Camera

ASIDE = 22.0  # degrees of the camera ahead of the perpendicular to the mat
DISTANCE, EYE_LEVEL = 6.0, 1.2
PERSON = ASHA


@dataclass(frozen=True)
class SalutationShot:
    """A pose; ``along`` is the distance of her hips ahead of the middle of the mat, in metres."""

    pose: BodyPose
    along: float = 0.0
    upright: bool = False

    @property
    def camera(self) -> Camera:
        """A camera with a portrait picture for upright poses, else with a square one."""
        turn = np.radians(ASIDE)
        place = (DISTANCE * float(np.sin(turn)), -DISTANCE * float(np.cos(turn)), EYE_LEVEL)
        if self.upright:
            return Camera(place, (0.0, 0.0, 1.0), 2.45, (480, 640))
        return Camera(place, (0.0, 0.0, 0.8), 2.1, (480, 480))


HANGING = Arm(upper=(0.20, -1.0, 0.0), bend=8, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.2))
UPWARD = Arm(upper=(0.05, 1.0, 0.02), bend=4, crease=(-0.5, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
AT_THE_HEART = Reach(wrist=(-0.31, -0.242, 0.392), elbow=(1.0, -0.6, -0.1), palm=(-1.0, 0, 0), fingers=(0, 1.0, 0.12))
TOGETHER = Leg((0.075, 0.0, 0.0), toes=(0.05, 0.0, 1.0))
STANDING = BodyPose(0.994, both(HANGING), {"L": TOGETHER, "R": TOGETHER}, heading=90)
ON_TOES = Leg((0.09, 0.0, -0.9696), knee=(0.0, -1.0, 0.3), toes=(0.0, -0.88, 0.47), sole=(0.0, -0.47, -0.88))
TOPS_DOWN = Leg((0.08, -0.045, -0.985), knee=(0.1, -1.0, 0.0), toes=(0.0, -0.25, -1.0), sole=(0.0, 1.0, -0.25))
SET_BACK = Leg((0.11, 0.0, -0.594), toes=(0.05, 0.0, 1.0))

SHOTS: Mapping[str, SalutationShot] = {
    # Pranamasana
    "prayer": SalutationShot(replace(STANDING, arms=both(AT_THE_HEART)), upright=True),
    # Hasta Uttanasana
    "raised_arms": SalutationShot(
        replace(
            STANDING,
            arms=both(UPWARD),
            pelvis=Turn(-8),
            chest=Turn(-26),
            head=Turn(-34),
            hip_shift=(0.0, 0.06),
        ),
        along=0.1,
        upright=True,
    ),
    # Ardha Uttanasana: in the full fold the head is below the hips, where no correction describes the lean
    "half_forward_fold": SalutationShot(
        replace(
            STANDING,
            hip_height=0.985,
            arms=both(
                Reach(
                    wrist=(-0.123, -0.413, 0.891),
                    elbow=(1.0, 0.23, -0.36),
                    palm=(0, -0.96, 0.31),
                    fingers=(0.12, 0.16, 0.99),
                )
            ),
            pelvis=Turn(84),
            chest=Turn(102),
            head=Turn(84),
            hip_shift=(0.0, -0.09),
        ),
        along=-0.22,
    ),
    # Ashwa Sanchalanasana
    "low_lunge": SalutationShot(
        BodyPose(
            0.30,
            both(
                Reach(
                    wrist=(0.109, -0.458, 0.826),
                    elbow=(1.0, -0.56, -0.21),
                    palm=(0, -0.61, 0.79),
                    fingers=(0, 0.79, 0.61),
                )
            ),
            {
                "L": Leg((0.10, -0.017, 0.52), knee=(0.08, 0.3, 1.0)),
                "R": Leg((0.12, -0.068, -0.88), knee=(0.05, -1.0, 0.3), toes=(0, -0.05, -1.0), sole=(0, 1.0, -0.05)),
            },
            pelvis=Turn(52),
            chest=Turn(70),
            head=Turn(2),
            heading=90,
        ),
        along=0.15,
    ),
    # Phalakasana
    "plank": SalutationShot(
        BodyPose(
            0.2417,
            both(
                Reach(
                    wrist=(0.008, -0.334, 0.8864),
                    elbow=(1.0, -0.48, -0.14),
                    palm=(0, -0.28, 0.96),
                    fingers=(0, 0.96, 0.28),
                )
            ),
            {"L": ON_TOES, "R": ON_TOES},
            pelvis=Turn(76),
            chest=Turn(74),
            head=Turn(62),
            heading=90,
        ),
        along=0.05,
    ),
    # Bhujangasana
    "cobra": SalutationShot(
        BodyPose(
            0.12,
            both(
                Reach(
                    wrist=(0.091, -0.851, 0.2985),
                    elbow=(0.3, -0.36, -0.95),
                    palm=(0, -0.85, 0.53),
                    fingers=(0, 0.53, 0.85),
                )
            ),
            {"L": TOPS_DOWN, "R": TOPS_DOWN},
            pelvis=Turn(80),
            chest=Turn(32),
            head=Turn(4),
            heading=90,
        ),
        along=0.22,
    ),
    # Adho Mukha Shvanasana
    "downward_dog": SalutationShot(
        BodyPose(
            0.80,
            both(
                Reach(
                    wrist=(0.068, 0.864, -0.055),
                    elbow=(1.0, -0.22, -0.2),
                    palm=(0, 0.74, 0.67),
                    fingers=(0, 0.67, -0.74),
                )
            ),
            {"L": SET_BACK, "R": SET_BACK},
            pelvis=Turn(130),
            chest=Turn(138),
            head=Turn(150),
            heading=90,
        ),
        along=-0.16,
    ),
    # Tadasana
    "mountain": SalutationShot(STANDING, upright=True),
}
