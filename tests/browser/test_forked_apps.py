from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.browser.forked_apps import POSSIBLE, ForkedApp, fork

pytestmark = pytest.mark.skipif(not POSSIBLE, reason="this system forks no apps")


def run(text: str, out: Path, **environment: str) -> ForkedApp:
    with out.open("w") as file:
        return fork(("-c", text), environment, file.fileno(), file.fileno())


def test_a_program_has_the_imports_its_own_environment_and_output_and_tells_its_status(tmp_path: Path) -> None:
    text = "import os, sys; print('gradio' in sys.modules, dict(os.environ), sys.argv[0]); sys.exit(3)"

    assert run(text, tmp_path / "said", HERE="yes").wait(60) == 3

    assert (tmp_path / "said").read_text() == "True {'HERE': 'yes'} -c\n"


def test_a_program_is_waited_for_no_longer_than_asked_and_signalled(tmp_path: Path) -> None:
    program = run("import time; time.sleep(600)", tmp_path / "said")

    assert program.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        program.wait(0.05)
    program.kill()

    assert program.wait(60) == program.poll() == -signal.SIGKILL


def test_a_program_ends_with_the_process_that_waits_for_it(tmp_path: Path) -> None:
    program = run("import time; time.sleep(600)", tmp_path / "said")

    os.close(program._ends)

    deadline = time.monotonic() + 60
    while Path(f"/proc/{program.pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{program.pid}").exists()
