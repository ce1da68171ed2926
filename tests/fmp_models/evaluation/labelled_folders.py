"""Folders of real pairs for tests, made of the examples that travel with the project."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[3] / "demo" / "examples"

# What the example pictures show.
SQUAT: dict[str, Any] = {
    "id": "squat",
    "current": "squat_current.jpg",
    "target": "squat_target.jpg",
    "truth": {"left_knee_bend": 1, "right_knee_bend": 1, "hips_down": 1, "feet_apart": None, "left_leg_up": 0},
    "must": ["left_knee_bend", "right_knee_bend"],
    "view": "front",
}
WARRIOR: dict[str, Any] = {
    "id": "warrior",
    "current": "warrior_current.jpg",
    "target": "warrior_target.jpg",
    "truth": {"left_arm_up": 1, "right_arm_up": 1, "left_arm_out": 1, "right_arm_out": 1, "feet_apart": 1},
    "must": ["left_arm_up", "right_arm_up", "feet_apart"],
    "end": {"left_arm_level": "shoulder", "right_arm_level": "shoulder"},
}


def make_folder(folder: Path, *pairs: object) -> Path:
    """Write the pairs, with the example pictures beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("squat", "warrior"):
        for which in ("current", "target"):
            shutil.copy(EXAMPLES / f"{name}_{which}.jpg", folder)
    (folder / "truth.json").write_text(json.dumps(pairs), encoding="utf-8")
    return folder
