from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from demo.serving.startup import ARENAS

ROOT = Path(__file__).resolve().parents[3]
# Sixteen threads hold memory at the same time; the allocator is then asked how many arenas it made.
SCRIPT = """
import ctypes, sys, threading
from demo.serving.startup import keep_few_arenas
if sys.argv[1] == "few":
    assert keep_few_arenas()
c = ctypes.CDLL(None)
c.malloc.restype = c.fopen.restype = ctypes.c_void_p
together = threading.Barrier(16)
def hold():
    c.malloc(100_000)
    together.wait(30)
threads = [threading.Thread(target=hold) for _ in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
file = c.fopen(sys.argv[2].encode(), b"w")
c.malloc_info(0, ctypes.c_void_p(file))
c.fclose(ctypes.c_void_p(file))
"""


def arenas(how: str, path: Path) -> int:
    command = [sys.executable, "-c", SCRIPT, how, str(path)]
    subprocess.run(command, cwd=ROOT, env={"PATH": ""}, check=True, timeout=60)
    return path.read_text().count("<heap nr=")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc alone makes arenas")
def test_threads_of_the_app_share_a_few_arenas(tmp_path: Path) -> None:
    assert arenas("few", tmp_path / "few.xml") <= ARENAS
    assert arenas("as they come", tmp_path / "many.xml") > ARENAS, "the limit is needless by now"
