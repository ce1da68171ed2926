"""MediaPipe's web build: fetched by its hash, unpacked as it is served, and served to nobody who asks for else."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from demo.live.web_build import MEMBERS, PACKAGE, WebBuild, fetch_web_build, is_whole_build, main
from fmp_models.errors import BadInputError
from fmp_models.estimators.pose_models import OfficialModel


def archive() -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as packed:
        for name in [*MEMBERS, "README.md"]:
            file = tarfile.TarInfo(f"package/{name}")
            file.size = len(name)
            packed.addfile(file, io.BytesIO(name.encode()))
    return written.getvalue()


ARCHIVE = archive()


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of a server that returns the archive for every path."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(ARCHIVE)

        def log_message(self, *_: object) -> None:
            pass

    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/tasks-vision.tgz"
        server.shutdown()
        thread.join()


def package(address: str, content: bytes = ARCHIVE) -> OfficialModel:
    return OfficialModel(address, frozenset({hashlib.sha256(content).hexdigest()}))


def test_only_what_is_needed_is_unpacked_and_it_is_fetched_once(registry: str, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "build"
    fetch_web_build(folder, package(registry))
    assert is_whole_build(folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{Path(name).name}.gz" for name in MEMBERS)
    assert gzip.decompress((folder / "vision_bundle.mjs.gz").read_bytes()) == b"vision_bundle.mjs"
    fetch_web_build(folder, package("http://127.0.0.1:1/gone.tgz"))


def test_another_archive_than_the_known_one_is_not_unpacked(registry: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="web build"):
        fetch_web_build(tmp_path / "build", package(registry, b"another"))
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_in_one_sentence_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("demo.live.web_build.download_official", lambda *_: False)
    assert main(["--out", str(tmp_path / "build")]) == 2
    assert PACKAGE.url in capfd.readouterr().err


def test_a_file_is_served_as_soon_as_it_is_there_and_nothing_else_is(registry: str, tmp_path: Path) -> None:
    model, worker, folder = tmp_path / "pose.task", tmp_path / "worker.js", tmp_path / "build"
    model.write_bytes(b"model")
    worker.write_text("// worker")
    build = WebBuild(model, (worker,), (tmp_path / "none", folder))
    with TestClient(Starlette(routes=[build.route()])) as client:
        address = f"/{build.address}"
        assert client.get(f"{address}vision_bundle.mjs").status_code == 404
        fetch_web_build(folder, package(registry))
        answer = client.get(f"{address}vision_bundle.mjs")
        assert (answer.text, answer.headers["content-encoding"]) == ("vision_bundle.mjs", "gzip")
        assert client.get(f"{address}vision_bundle.mjs", headers={"accept-encoding": ""}).text == answer.text
        assert client.get(f"{address}pose_landmarker.task").content == b"model"
        assert client.get(f"{address}worker.js").text == "// worker"
        for name in ("README.md", "pose.task", "vision_bundle.mjs.gz", "%2e%2e%2fpose.task"):
            assert client.get(f"{address}{name}").status_code == 404


def test_addresses_change_with_any_file(tmp_path: Path) -> None:
    model, worker = tmp_path / "pose.task", tmp_path / "worker.js"
    model.write_bytes(b"model")
    worker.write_text("// worker")
    build = WebBuild(model, (worker,), ())
    before = build.address
    assert build.address == before
    worker.write_text("// another")
    between = build.address
    model.write_bytes(b"another")
    assert len({before, between, build.address}) == 3
