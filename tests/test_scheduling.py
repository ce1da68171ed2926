"""A run whose worker crashes ends, says so, and has done every other test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.thoroughness import thorough

ROOT = Path(__file__).resolve().parents[1]

QUIET = """
import pytest

@pytest.mark.parametrize("n", range(2))
def test_nothing(n):
    pass
"""

CRASHING = """
import ctypes
from pathlib import Path

crashed = Path(__file__).with_name("crashed")

def test_before():
    pass

def test_crash():
    times = len(crashed.read_text()) if crashed.exists() else 0
    if times < TIMES:
        crashed.write_text("x" * (times + 1))
        ctypes.string_at(0)

def test_after():
    pass
"""


def run_with_a_crash(folder: Path, *, times: int) -> subprocess.CompletedProcess[str]:
    for name in "abcdefgh":
        (folder / f"test_{name}.py").write_text(QUIET)
    (folder / "test_z.py").write_text(CRASHING.replace("TIMES", str(times)))
    command = [sys.executable, "-m", "pytest", "-p", "tests.scheduling", "-p", "no:cacheprovider", "-rR"]
    spread = ["--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    here = ["-c", "/dev/null", f"--rootdir={folder}", str(folder)]
    return subprocess.run(
        [*command, *spread, *here], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


def test_after_one_crash_every_test_has_passed_and_the_crash_is_listed(tmp_path: Path) -> None:
    ended = run_with_a_crash(tmp_path, times=1)

    assert "19 passed, 1 rerun" in ended.stdout
    assert "test_z.py::test_crash" in ended.stdout
    assert ended.returncode == 0


@thorough
def test_a_test_that_crashes_twice_fails_alone(tmp_path: Path) -> None:
    ended = run_with_a_crash(tmp_path, times=2)

    assert "1 failed, 19 passed, 1 rerun" in ended.stdout
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED


@thorough
def test_a_test_that_always_crashes_ends_the_run(tmp_path: Path) -> None:
    ended = run_with_a_crash(tmp_path, times=1000)

    assert "maximum crashed workers reached" in ended.stdout
    assert ended.returncode == pytest.ExitCode.TESTS_FAILED
