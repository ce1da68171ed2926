"""Families of poses: functions from rows of numbers to whole bodies; every number is a degree of freedom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from fmp_models.sim.poses.frames import Frame
from fmp_models.sim.poses.lying import on_side, prone, supine
from fmp_models.sim.poses.numbers import PoseNumbers
from fmp_models.sim.poses.resting import BodyPlan
from fmp_models.sim.poses.seated import chair_sitting, floor_sitting, kneeling
from fmp_models.sim.poses.supported import all_fours, plank, side_plank
from fmp_models.sim.poses.upright import folded, one_leg, standing

Family = Callable[[PoseNumbers, Frame], BodyPlan]

# Each family with its relative frequency.
FAMILIES: Mapping[str, tuple[Family, float]] = MappingProxyType(
    {
        "standing": (standing, 0.26),
        "one leg": (one_leg, 0.08),
        "folded": (folded, 0.06),
        "supine": (supine, 0.10),
        "prone": (prone, 0.06),
        "on the side": (on_side, 0.05),
        "plank": (plank, 0.06),
        "side plank": (side_plank, 0.03),
        "all fours": (all_fours, 0.06),
        "floor": (floor_sitting, 0.09),
        "chair": (chair_sitting, 0.07),
        "kneeling": (kneeling, 0.08),
    }
)
