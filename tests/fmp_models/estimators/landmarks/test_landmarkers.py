from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.thoroughness import thorough

ROOT = Path(__file__).resolve().parents[4]
# In the middle of a thread pool's locks, as where garbage is collected while one starts a thread.
COLLECTED_THERE = """
import gc, sys, time
from concurrent.futures.thread import _global_shutdown_lock
from pathlib import Path
from PIL import Image
from fmp_models.errors import BadInputError
from fmp_models.estimators.landmarks import landmarkers
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.preprocessing import Photograph

estimator = MediaPipeEstimator(Path(sys.argv[1]))
try:
    estimator.estimate(Photograph(Image.new("RGB", (128, 128))))
except BadInputError as error:
    print(error.code)
assert landmarkers._open
with _global_shutdown_lock:
    del estimator
    gc.collect()
    print("went on")
while landmarkers._open:
    time.sleep(0.05)
print("closed")
"""


def test_an_estimator_that_is_collected_within_the_locks_of_a_pool_keeps_nobody_waiting(
    pose_model: Path,
) -> None:
    command = [sys.executable, "-c", COLLECTED_THERE, str(pose_model)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split("\n") == ["no_person", "went on", "closed", ""]


@thorough
def test_a_process_that_ends_with_an_open_landmarker_says_nothing_of_it(pose_model: Path) -> None:
    ending = COLLECTED_THERE.split("assert", maxsplit=1)[0]
    command = [sys.executable, "-c", ending, str(pose_model)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert "Traceback" not in done.stderr
