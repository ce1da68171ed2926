"""``python -m fmp_models``, run as people run it or, where the program itself is not in question, in this process."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from fmp_models.__main__ import main

ROOT = Path(__file__).resolve().parents[1]


Run = Callable[..., subprocess.CompletedProcess[str]]


def run_command(
    *arguments: object, timeout: float | None = None, **environment: object
) -> subprocess.CompletedProcess[str]:
    """Run one command from the root of the project, with some variables of the environment set otherwise."""
    changed = _texts(environment)
    return subprocess.run(
        [sys.executable, "-m", "fmp_models", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **changed},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=timeout,
    )


def run_here(*arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    """Run the same in this process, which has already imported what a new one imports for seconds."""
    words = list(map(str, arguments))
    output, errors = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, _texts(environment)),
        contextlib.chdir(ROOT),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        try:
            code = main(words)
        except SystemExit as end:  # of the parser
            code = int(end.code or 0)
    return subprocess.CompletedProcess(words, code, output.getvalue(), errors.getvalue())


def _texts(environment: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in environment.items()}
