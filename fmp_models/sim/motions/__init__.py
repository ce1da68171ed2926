"""Twenty animations of everyday movements, and motion captures that users supply as BVH files."""

from fmp_models.sim.motions.repertoire import MotionSample, MotionSource, repertoire
from fmp_models.sim.motions.takes import FRAMES_PER_SECOND, MOTIONS, Motion, Take

__all__ = ["FRAMES_PER_SECOND", "MOTIONS", "Motion", "MotionSample", "MotionSource", "Take", "repertoire"]
