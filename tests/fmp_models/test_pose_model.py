from __future__ import annotations

import hashlib
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from fmp_models.errors import BadInputError
from fmp_models.pose_model import POSE_MODEL_SHA256, POSE_MODEL_URL, find_pose_model

GOOD = b"a pose model" * 50_000
SHA256 = hashlib.sha256(GOOD).hexdigest()


class ModelServer(ThreadingHTTPServer):
    """Serves /good, /other and /cut, and remembers what was asked for."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}/{path}/model.task"


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = {"/good/model.task": GOOD, "/other/model.task": b"<html>", "/cut/model.task": GOOD}.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path.startswith("/cut") else body)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error, which the tests read."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ModelServer() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def missing(cache: Path, url: str) -> str:
    with pytest.raises(BadInputError) as refused:
        find_pose_model(None, cache, url=url, sha256=SHA256)
    assert refused.value.code == "pose_model_missing"
    return str(refused.value)


def test_a_named_file_is_taken_as_it_is(tmp_path: Path, server: ModelServer) -> None:
    named = tmp_path / "my_own.task"
    named.write_bytes(b"another variant of the model")
    assert find_pose_model(named, tmp_path / "cache", url=server.url("good"), sha256=SHA256) == named
    assert server.asked == []
    assert not (tmp_path / "cache").exists()


def test_a_named_file_that_cannot_be_read_is_refused_and_nothing_is_downloaded(
    tmp_path: Path, server: ModelServer
) -> None:
    for named in (tmp_path / "nowhere.task", tmp_path):
        with pytest.raises(BadInputError) as refused:
            find_pose_model(named, tmp_path / "cache", url=server.url("good"), sha256=SHA256)
        assert refused.value.code == "pose_model_unreadable"
    assert server.asked == []


def test_the_model_is_downloaded_once_with_progress_on_standard_error(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = tmp_path / "new" / "cache"
    first = find_pose_model(None, cache, url=server.url("good"), sha256=SHA256)
    said = capsys.readouterr()
    assert first.read_bytes() == GOOD
    assert first == cache / "model.task"
    assert "100%" in said.err
    assert said.out == ""
    assert find_pose_model(None, cache, url=server.url("good"), sha256=SHA256) == first
    assert server.asked == ["/good/model.task"]


def test_a_cached_model_needs_no_server(tmp_path: Path) -> None:
    (tmp_path / "model.task").write_bytes(GOOD)
    assert find_pose_model(None, tmp_path, url="http://127.0.0.1:9/x/model.task", sha256=SHA256).read_bytes() == GOOD


def test_a_damaged_cached_model_is_downloaded_again(tmp_path: Path, server: ModelServer) -> None:
    (tmp_path / "model.task").write_bytes(GOOD[:-1])
    assert find_pose_model(None, tmp_path, url=server.url("good"), sha256=SHA256).read_bytes() == GOOD


@pytest.mark.parametrize("path", ["other", "cut", "absent"])
def test_wrong_bytes_are_never_kept(tmp_path: Path, server: ModelServer, path: str) -> None:
    sentence = missing(tmp_path, server.url(path))
    assert server.url(path) in sentence
    assert "FMP_POSE_MODEL" in sentence
    assert list(tmp_path.iterdir()) == []
    assert server.asked == [f"/{path}/model.task"]


def test_a_failed_download_leaves_the_next_one_free_to_succeed(tmp_path: Path, server: ModelServer) -> None:
    missing(tmp_path, server.url("cut"))
    assert find_pose_model(None, tmp_path, url=server.url("good"), sha256=SHA256).read_bytes() == GOOD


def test_no_connection_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/model.task"
        assert url in missing(tmp_path, url)


def test_a_cache_that_cannot_be_written_is_one_clear_sentence(tmp_path: Path, server: ModelServer) -> None:
    (tmp_path / "file").write_bytes(b"")
    missing(tmp_path / "file" / "cache", server.url("good"))


def test_the_official_model_is_pinned_by_version_and_hash() -> None:
    assert POSE_MODEL_URL.startswith("https://storage.googleapis.com/mediapipe-models/pose_landmarker/")
    assert "/latest/" not in POSE_MODEL_URL
    assert len(bytes.fromhex(POSE_MODEL_SHA256)) == 32
