"""A run whose worker crashes ends, says so, and has done every other test; tests of the browser come together."""

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

NAMING = """
import os
from pathlib import Path

def test_worker():
    Path(__file__).with_name(os.environ["PYTEST_XDIST_WORKER"]).touch()
"""


def run_with_a_crash(folder: Path, *, times: int) -> subprocess.CompletedProcess[str]:
    for name in "abcdefgh":
        (folder / f"test_{name}.py").write_text(QUIET)
    (folder / "test_z.py").write_text(CRASHING.replace("TIMES", str(times)))
    return run_spread(folder)


def run_spread(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder in two workers."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.scheduling", "-p", "no:cacheprovider", "-rR"]
    spread = ["--numprocesses", "2", "--dist", "loadfile", "--no-loadscope-reorder"]
    here = ["-c", "/dev/null", f"--rootdir={folder}", str(folder), *options]
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


@thorough
@pytest.mark.parametrize(("asked", "workers"), [("not thorough", 1), ("", 2)], ids=["make test", "all"])
def test_one_worker_does_the_few_tests_of_the_browser(tmp_path: Path, asked: str, workers: int) -> None:
    folder = tmp_path / "tests" / "browser"
    folder.mkdir(parents=True)
    for name in "abcd":
        (folder / f"test_{name}.py").write_text(NAMING)

    run_spread(tmp_path, "-m", asked)

    assert len(list(folder.glob("gw*"))) == workers
