"""What the start of the page imports: torch waits for a model that runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHELL = "import sys, demo.shell; "
# The app's own start, as far as the moment before it serves the page.
SERVES = """
import sys
import demo.shell

def launch(page, settings):
    print("built", len(page.tabs) > 0)
    raise OSError

demo.shell.Page.launch = launch
import app
app.main()
"""
TELLS = "print(sorted({names} & {{*sys.modules}}))"


def imported(script: str, names: set[str], **environment: str) -> list[str]:
    """Return the lines that a script prints, the last of them those of the ``names`` that it imported."""
    done = subprocess.run(
        [sys.executable, "-c", script + TELLS.format(names=names)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_shell_is_imported_without_what_only_models_need() -> None:
    assert imported(SHELL, {"torch", "mediapipe", "matplotlib", "scipy.ndimage", "gradio"}) == ["['gradio']"]


def test_the_page_is_built_before_torch_is_imported(pose_model: Path, tmp_path: Path) -> None:
    settings = {"FMP_POSE_MODEL": str(pose_model), "FMP_DATA_DIR": str(tmp_path), "FMP_HOST": "127.0.0.1"}
    assert imported(SERVES, {"torch", "mediapipe"}, **settings) == ["built True", "['mediapipe']"]
