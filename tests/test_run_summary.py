"""The last lines of a run name tests that needed a rerun, and say what `make test` leaves to `make test-all`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.run_summary import CLEAN_RUNS

ROOT = Path(__file__).resolve().parents[1]
RUN = [sys.executable, "-m", "pytest", "-p", "tests.run_summary", "-q"]

FLAKY = """
import pytest
from pathlib import Path

@pytest.mark.flaky(reruns=2)
def test_flaky():
    left = Path(__file__).with_name("failures")
    failures = int(left.read_text())
    left.write_text(str(max(0, failures - 1)))
    assert not failures

def test_sound():
    pass
"""

MARKED = """
import pytest
from hypothesis import given, settings, strategies as st

settings.register_profile("quick")
settings.load_profile("quick")

@pytest.mark.thorough
@pytest.mark.parametrize("n", range(3))
def test_thorough(n):
    pass

@pytest.mark.long
def test_long():
    pass

@given(st.integers())
def test_property(n):
    pass
"""


def last_lines(folder: Path, *options: str) -> list[str]:
    """Run the tests of a folder, and return the output's lines."""
    here = ["-c", "/dev/null", f"--rootdir={folder}", str(folder), *options]
    ended = subprocess.run([*RUN, *here], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == pytest.ExitCode.OK, ended.stdout + ended.stderr
    return ended.stdout.strip().splitlines()


@pytest.mark.parametrize("spread", [(), ("--numprocesses", "2")], ids=["one process", "two workers"])
def test_a_rerun_is_printed_and_remembered_until_the_test_passed_often_enough(
    tmp_path: Path, spread: tuple[str, ...]
) -> None:
    (tmp_path / "test_a.py").write_text(FLAKY)
    failures = tmp_path / "failures"

    failures.write_text("2")
    first = last_lines(tmp_path, *spread)
    second = last_lines(tmp_path, *spread)

    assert "1 tests needed a rerun: test_a.py::test_flaky" in first
    assert "To be mended, with their reruns in the latest runs: test_a.py::test_flaky (1)" in first
    assert not any("needed a rerun" in line for line in second)
    assert "To be mended, with their reruns in the latest runs: test_a.py::test_flaky (1)" in second
    assert "passed" in second[-1]


def test_a_test_that_passed_often_enough_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(FLAKY)
    (tmp_path / "failures").write_text("0")
    kept = tmp_path / ".pytest_cache" / "v" / "tests" / "reruns"
    kept.parent.mkdir(parents=True)
    kept.write_text(f'{{"test_a.py::test_flaky": [4, {CLEAN_RUNS - 1}]}}')

    assert not any("To be mended" in line for line in last_lines(tmp_path))


@pytest.mark.parametrize("spread", [(), ("--numprocesses", "2")], ids=["one process", "two workers"])
def test_a_quick_run_says_what_it_leaves_out(tmp_path: Path, spread: tuple[str, ...]) -> None:
    (tmp_path / "test_a.py").write_text(MARKED)

    lines = last_lines(tmp_path, "-m", "not long and not thorough", *spread)

    assert lines[-2] == "Left to `make test-all`: 3 thorough and 1 long tests, and more examples of 1 properties", lines
    assert not any("Left to" in line for line in last_lines(tmp_path, "-m", "thorough", *spread))
