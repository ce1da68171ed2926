"""Threads of torch: in the app and in every command they sleep while they wait for each other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.thoroughness import one_of

ROOT = Path(__file__).resolve().parents[1]

APP = """
import app
from demo.settings import SettingsError

def models(settings):
    import torch
    raise SettingsError("enough")

app.models = models
app.main()
"""
COMMAND = """
from fmp_models import __main__ as command_line

command_line.run_command = lambda parser, arguments: __import__("torch")
command_line.main([])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="torch's threads are GNU's on Linux alone")
@pytest.mark.parametrize("program", one_of([APP, COMMAND], 1), ids=["app", "command"])
@pytest.mark.parametrize(("given", "taken"), one_of([("", "PASSIVE"), ("active", "ACTIVE")]))
def test_threads_sleep_while_they_wait_unless_the_environment_decides(
    program: str, given: str, taken: str, tmp_path: Path
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    environment |= {"OMP_DISPLAY_ENV": "true", "TMPDIR": str(tmp_path)} | ({"OMP_WAIT_POLICY": given} if given else {})

    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert f"OMP_WAIT_POLICY = '{taken}'" in ended.stderr, ended.stderr
