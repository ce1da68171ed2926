"""Twenty animations that people do at home, and captures of their own that users bring as BVH files."""

from fmp_models.sim.motions.repertoire import MotionSample, MotionSource, repertoire
from fmp_models.sim.motions.takes import FRAMES_PER_SECOND, MOTIONS, Motion, Take

__all__ = ["FRAMES_PER_SECOND", "MOTIONS", "Motion", "MotionSample", "MotionSource", "Take", "repertoire"]
