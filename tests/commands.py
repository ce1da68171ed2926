"""``python -m fmp_models``, run as people run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_command(*arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    """Run one command from the root of the project, with some variables of the environment set otherwise."""
    changed = {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-m", "fmp_models", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **changed},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
