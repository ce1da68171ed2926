"""The pose model that tests and benchmarks measure with."""

from __future__ import annotations

from pathlib import Path

from fmp_models.estimators.pose_models import BUILT, DEFAULT_POSE_MODEL, VARIANTS


def pose_model_here(given: str, shared: Path) -> Path | None:
    """Return the file or variant ``given``, else the environment's own file, else that of ``shared``."""
    if given and given not in VARIANTS:
        return Path(given) if Path(given).is_file() else None
    variant = given or DEFAULT_POSE_MODEL
    places = [BUILT] if variant == DEFAULT_POSE_MODEL else []
    places.append(shared / "models" / f"pose_landmarker_{variant}.task")
    return next((path for path in places if path.is_file()), None)
