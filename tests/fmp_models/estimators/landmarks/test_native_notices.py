from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path

import pytest

from fmp_models.estimators.landmarks import landmarkers
from fmp_models.estimators.landmarks.native_notices import NOTICES_HELD, HeldNotices
from tests.commands import ROOT, run_command

EXAMPLES = ROOT / "demo" / "examples"
NOTICES = [
    "INFO: Created TensorFlow Lite XNNPACK delegate for CPU.",
    "INFO: [environment.cc:36] Creating LiteRT environment with options",
    "WARNING: [model_load.cc:402] Sparsity tensors may not yet be fully supported.",
    "WARNING: Logging before InitGoogle() is written to STDERR",
    "W0000 00:00:1795737609.787171     734 inference_runner_litert.cc:1433] Input tensor memory is not aligned",
    "I0000 00:00:1795737609.787171     734 gl_context.cc:344] GL version: 2.1",
    "INFO: INFO: [cpu_registry.cc:75] XNNPACK CPU accelerator registered.",
    "",
]
OTHERS = [
    "Traceback (most recent call last):",
    "E0000 00:00:1795737609.787171     734 graph.cc:81] the graph broke",
    "F0000 00:00:1795737609.787171     734 graph.cc:81] Check failed",
    "ERROR: [model_load.cc:402] no model",
    "WARNING: the disk is full",
    "INFO: a correction was asked for",
]


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_being_closed() -> None:
    """Wait for the landmarkers of earlier tests, whose closing holds notices back too."""
    gc.collect()
    until = time.monotonic() + 60
    while not landmarkers._gone.empty() or NOTICES_HELD._threads:
        assert time.monotonic() < until
        time.sleep(0.01)


def write(text: str) -> None:
    os.write(2, text.encode())


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_is_dropped(notice: str, capfd: pytest.CaptureFixture[str]) -> None:
    with HeldNotices():
        write(f"{notice}\n")
    write("after\n")
    assert capfd.readouterr().err == "after\n"


@pytest.mark.parametrize("other", OTHERS)
def test_all_else_is_written_at_the_end(other: str, capfd: pytest.CaptureFixture[str]) -> None:
    with HeldNotices():
        write(f"{NOTICES[0]}\n{other}\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == f"{other}\n"


def test_what_is_written_before_an_error_is_written_and_the_error_goes_on(capfd: pytest.CaptureFixture[str]) -> None:
    def break_down() -> None:
        with HeldNotices():
            write("lost?\n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_down()
    assert capfd.readouterr().err == "lost?\n"


def test_threads_hold_together_and_the_last_one_ends_it(capfd: pytest.CaptureFixture[str]) -> None:
    held, inside, leave = HeldNotices(), threading.Event(), threading.Event()

    def other() -> None:
        with held:
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with held:
        thread.start()
        assert inside.wait(60)
    write(f"{NOTICES[0]}\nkept\n")
    before = capfd.readouterr().err
    leave.set()
    thread.join(60)
    assert (before, capfd.readouterr().err) == ("", "kept\n")
    with held:  # and again
        write(f"{NOTICES[0]}\n")
    assert capfd.readouterr().err == ""


def test_without_standard_error_nothing_is_held() -> None:
    saved = os.dup(2)
    os.close(2)
    try:
        with HeldNotices(), HeldNotices():
            pass
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(2)
    finally:
        os.dup2(saved, 2)
        os.close(saved)


def test_a_command_writes_nothing_but_its_answer(pose_model: Path) -> None:
    pair = [EXAMPLES / f"tree_{which}.jpg" for which in ("current", "target")]
    done = run_command("correct", *pair, FMP_POSE_MODEL=pose_model)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1. ")
