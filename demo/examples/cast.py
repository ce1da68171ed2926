"""People, clothes and the two poses of each pair in the example pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from demo.examples import studio
from fmp_models.sim.people.body import Build
from fmp_models.sim.people.clothes import Bottoms, Cloth, Shoes, Top
from fmp_models.sim.people.head import Appearance
from fmp_models.sim.people.posing import Arm, BodyPose, Leg, Reach, Turn
from fmp_models.sim.rendering.light import Surface


@dataclass(frozen=True)
class Person:
    """A body and its clothes; without shoes the feet are bare."""

    build: Build
    looks: Appearance
    top: Top
    bottoms: Bottoms
    shoes: Shoes | None = None


@dataclass(frozen=True)
class ExampleShot:
    """One pair: a person in a room, in poses ``current`` and ``target``; ``height`` metres fit into the picture."""

    person: Person
    room: Callable[[], tuple[list[Surface], float]]
    poses: Mapping[str, BodyPose]
    height: float = 2.4
    centre: tuple[float, float] = (0.0, 0.95)


ASHA = Person(
    Build(
        {"gender": 1.0, "age": 0.66, "muscle": 0.6, "weight": 0.42, "asian": 0.45, "caucasian": 0.45, "african": 0.1}
    ),
    Appearance(skin=(0.70, 0.49, 0.37), hair=(0.11, 0.08, 0.07), style="bun", lips=(0.60, 0.30, 0.28)),
    Top(Cloth((0.12, 0.45, 0.47), (0.09, 0.37, 0.39), loose=0.005), sleeve=0.42),
    Bottoms(Cloth((0.17, 0.18, 0.26), (0.14, 0.15, 0.21), loose=0.003), hem=1.80),
)
SAMUEL = Person(
    Build(
        {
            "gender": 0.0,
            "age": 0.72,
            "muscle": 0.62,
            "weight": 0.62,
            "height": 0.4,
            "african": 0.9,
            "caucasian": 0.1,
            "asian": 0.0,
        }
    ),
    Appearance(skin=(0.42, 0.28, 0.20), hair=(0.07, 0.06, 0.06), style="cropped", lips=(0.42, 0.23, 0.20), beard=0.5),
    Top(Cloth((0.84, 0.47, 0.24), (0.74, 0.39, 0.18), loose=0.009), sleeve=0.66, hang=0.012),
    Bottoms(Cloth((0.33, 0.36, 0.40), (0.29, 0.31, 0.35), loose=0.009), hem=0.88, flare=0.012),
    Shoes((0.22, 0.32, 0.50)),
)
INGRID = Person(
    Build({"gender": 1.0, "age": 0.92, "muscle": 0.42, "weight": 0.55, "caucasian": 1.0, "african": 0.0, "asian": 0.0}),
    Appearance(
        skin=(0.86, 0.67, 0.57), hair=(0.66, 0.65, 0.64), style="pixie", lips=(0.72, 0.42, 0.40), iris=(0.30, 0.42, 0.5)
    ),
    Top(Cloth((0.52, 0.31, 0.44), (0.46, 0.26, 0.38), loose=0.009), sleeve=1.90, hang=0.010),
    Bottoms(Cloth((0.80, 0.77, 0.71), (0.74, 0.71, 0.65), loose=0.007), hem=1.82, flare=0.016),
)
KENJI = Person(
    Build({"gender": 0.0, "age": 0.62, "muscle": 0.6, "weight": 0.42, "asian": 1.0, "african": 0.0, "caucasian": 0.0}),
    Appearance(skin=(0.80, 0.61, 0.47), hair=(0.09, 0.07, 0.06), style="short", lips=(0.66, 0.40, 0.35)),
    Top(Cloth((0.92, 0.91, 0.88), (0.24, 0.33, 0.52), stripe=(0.24, 0.33, 0.52), loose=0.008), sleeve=0.60, hang=0.010),
    Bottoms(Cloth((0.24, 0.28, 0.38), (0.2, 0.24, 0.33), loose=0.008), hem=0.72, flare=0.014),
    Shoes((0.90, 0.90, 0.88), sole=(0.80, 0.55, 0.35)),
)
CLARA = Person(
    Build({"gender": 1.0, "age": 0.6, "muscle": 0.62, "weight": 0.45, "caucasian": 0.7, "african": 0.3, "asian": 0.0}),
    Appearance(skin=(0.76, 0.55, 0.42), hair=(0.36, 0.21, 0.12), style="ponytail", lips=(0.66, 0.36, 0.33)),
    Top(Cloth((0.93, 0.78, 0.42), (0.86, 0.70, 0.34), loose=0.005), sleeve=0.40),
    Bottoms(Cloth((0.36, 0.22, 0.30), (0.31, 0.18, 0.26), loose=0.003), hem=1.55),
    Shoes((0.30, 0.45, 0.48)),
)

HANGING = Arm(upper=(0.20, -1.0, 0.02), bend=14, crease=(-0.1, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))
SIDEWAYS = Arm(upper=(1.0, 0.02, 0.0), bend=3, crease=(0.0, 0.0, 1.0), palm=(0.0, -1.0, 0.1))
ON_HIP = Reach(wrist=(0.13, -0.66, -0.03), elbow=(1.0, 0.0, -0.6), palm=(-0.9, -0.1, -0.45), fingers=(-0.4, -0.5, 0.75))
TOGETHER = Reach(wrist=(-0.245, 0.90, 0.06), elbow=(1.0, 0.0, 0.1), palm=(-1.0, 0.0, 0.0), fingers=(-0.02, 1.0, 0.0))
HIP_WIDE = Leg((0.14, 0.0, 0.0))


def both(arm: Arm | Reach) -> dict[str, Arm | Reach]:
    """Return the same arm for both sides."""
    return {"L": arm, "R": arm}


def ahead(lean: float) -> Arm:
    """Return an arm in front at shoulder height, level even if the trunk leans ``lean`` degrees forward."""
    rise = lean / 57.3
    return Arm(upper=(0.02, rise, 1.0), bend=4, crease=(-0.5, 0.5, 0.0), palm=(-0.4, -1.0, 0.0))


STANDING = BodyPose(0.994, both(HANGING), {"L": HIP_WIDE, "R": HIP_WIDE})
SHOTS: dict[str, ExampleShot] = {
    "warrior": ExampleShot(
        ASHA,
        studio.sunlit,
        {
            "current": STANDING,
            "target": BodyPose(
                0.63,
                both(SIDEWAYS),
                {
                    "L": Leg((0.62, 0.0, 0.0), knee=(1.0, 0.0, 0.15), toes=(1.0, 0.0, 0.1)),
                    "R": Leg((0.895, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.5, 0.0, 1.0)),
                },
                head=Turn(round=40),
            ),
        },
        height=2.5,
        centre=(-0.02, 0.98),
    ),
    "squat": ExampleShot(
        SAMUEL,
        studio.gym,
        {
            "current": BodyPose(
                0.86,
                both(HANGING),
                {"L": Leg((0.22, 0.0, 0.08), toes=(0.3, 0.0, 1.0)), "R": Leg((0.22, 0.0, 0.08), toes=(0.3, 0.0, 1.0))},
                pelvis=Turn(18),
                chest=Turn(24),
                head=Turn(10),
                heading=32,
            ),
            "target": BodyPose(
                0.50,
                both(ahead(34)),
                {
                    "L": Leg((0.25, 0.0, 0.24), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                    "R": Leg((0.25, 0.0, 0.24), knee=(0.45, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                },
                pelvis=Turn(28),
                chest=Turn(34),
                head=Turn(8),
                heading=32,
            ),
        },
        centre=(0.14, 0.95),
    ),
    "tree": ExampleShot(
        INGRID,
        studio.quiet,
        {
            "current": BodyPose(0.994, both(ON_HIP), {"L": HIP_WIDE, "R": HIP_WIDE}),
            "target": BodyPose(
                0.986,
                both(TOGETHER),
                {
                    "L": Leg((0.10, 0.50, 0.02), knee=(1.0, 0.0, 0.2), toes=(-0.15, -1.0, 0.1), sole=(-1.0, 0.1, 0.0)),
                    "R": Leg((0.07, 0.0, 0.0)),
                },
                hip_shift=(-0.05, 0.0),
            ),
        },
        height=2.5,
        centre=(0.0, 1.03),
    ),
    "side_stretch": ExampleShot(
        KENJI,
        studio.loft,
        {
            "current": BodyPose(
                0.86,
                both(ON_HIP),
                {
                    "L": Leg((0.45, 0.0, 0.0), knee=(0.7, 0.0, 0.7), toes=(0.7, 0.0, 0.7)),
                    "R": Leg((0.62, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.2, 0.0, 1.0)),
                },
            ),
            "target": BodyPose(
                0.66,
                {
                    "L": Arm(upper=(0.35, -1.0, 0.35), bend=70, crease=(-0.9, 0.0, 0.6), palm=(0.2, -1.0, 0.0)),
                    "R": Arm(upper=(0.12, 1.0, 0.0), bend=12, crease=(-1.0, 0.0, 0.0), palm=(-1.0, 0.0, 0.2)),
                },
                {
                    "L": Leg((0.62, 0.0, 0.0), knee=(1.0, 0.0, 0.4), toes=(1.0, 0.0, 0.4)),
                    "R": Leg((0.85, 0.0, 0.0), knee=(0.2, 0.0, 1.0), toes=(0.35, 0.0, 1.0)),
                },
                pelvis=Turn(side=12),
                chest=Turn(forward=4, side=38),
                head=Turn(side=28),
            ),
        },
    ),
    "lunge": ExampleShot(
        CLARA,
        studio.evening,
        {
            "current": BodyPose(
                0.78,
                both(HANGING),
                {
                    "L": Leg((0.13, 0.0, 0.38), knee=(0.1, 0.0, 1.0)),
                    "R": Leg((0.13, 0.147, -0.48), knee=(0.0, 0.0, 1.0), toes=(0.0, -0.8, 0.6), sole=(0.0, -0.6, -0.8)),
                },
                pelvis=Turn(20),
                chest=Turn(32),
                head=Turn(20),
                heading=-62,
            ),
            "target": BodyPose(
                0.62,
                both(Arm(upper=(0.10, 1.0, 0.08), bend=6, crease=(-0.5, 0.0, 1.0), palm=(-1.0, 0.0, 0.0))),
                {
                    "L": Leg((0.13, 0.0, 0.50), knee=(0.1, 0.0, 1.0)),
                    "R": Leg((0.13, 0.147, -0.70), knee=(0.0, 0.0, 1.0), toes=(0.0, -0.8, 0.6), sole=(0.0, -0.6, -0.8)),
                },
                pelvis=Turn(6),
                chest=Turn(0),
                head=Turn(-4),
                heading=-62,
            ),
        },
    ),
}
