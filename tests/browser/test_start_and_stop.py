"""The app as a program: one line when it is ready, one sentence when it cannot start, a clean end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from fmp_models.errors import SENTENCES
from tests.browser.visits import ROOT, STOP_SECONDS, App, running_app


def start(**settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_and_leaves_no_upload(pose_model: Path, tmp_path: Path, asked: signal.Signals) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with running_app(pose_model, tmp_path / "data", temporary) as app:
        stored = httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", b"picture")})
        assert stored.status_code == 200
        assert app.stored_uploads()

        app.process.send_signal(asked)
        assert app.process.wait(timeout=STOP_SECONDS) == 0

    assert not app.stored_uploads()
    assert not [line for line in app.output if "Traceback" in line]


def test_a_taken_port_is_one_sentence(app: App, pose_model: Path, tmp_path: Path) -> None:
    port = app.url.rpartition(":")[2]

    ended = start(FMP_PORT=port, FMP_POSE_MODEL=str(pose_model), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert ended.stdout == ""
    assert f"FMP_PORT must be a free port; {port} is taken." in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("FMP_CAPTIONER", "oracle", "“oracle” is no model"),
        ("FMP_CAPTIONER", str(ROOT / "demo"), "lacks the file config.json"),
        ("FMP_RETRIEVER", str(ROOT / "demo"), "lacks the file config.json"),
        ("FMP_RETRIEVER", "org/name", "not in the cache"),
    ],
)
def test_a_model_that_cannot_be_used_is_one_sentence(
    setting: str, value: str, reason: str, pose_model: Path, tmp_path: Path
) -> None:
    ended = start(**{setting: value}, FMP_POSE_MODEL=str(pose_model), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert ended.stdout == ""
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith(f"{setting} cannot be used: ")
    assert reason in sentence


def test_a_file_that_is_no_pose_model_is_one_sentence(tmp_path: Path) -> None:
    wrong = tmp_path / "pose.task"
    wrong.write_bytes(b"no model at all")

    ended = start(FMP_POSE_MODEL=str(wrong), FMP_DATA_DIR=str(tmp_path))

    assert ended.returncode == 2
    assert SENTENCES["pose_model_unreadable"] in ended.stderr
    assert "Traceback" not in ended.stderr
