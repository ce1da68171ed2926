"""A small Hub on 127.0.0.1: it keeps repos in memory, speaks what the real client speaks, and fails when it is told to.

It knows models, datasets and Spaces with commits and revisions, regular and large files, private and gated repos, and
answers refusals with the Hub's own headers. Of Xet it knows where large files would lie (``storage``), and keeps none
there; it knows no pull requests and no redirects to a CDN.

The client is pointed at it in one of two ways. In the process of the tests, ``reach_from_here`` lifts the offline mode
and ``api_of`` gives a client of this Hub. What reads ``HF_ENDPOINT`` while it is imported, such as ``datasets`` or a
command of ours, runs in a process of its own with the variables of ``HubServer.environment``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import huggingface_hub
import pytest
from huggingface_hub import HfApi
from huggingface_hub.utils import close_session

from tests.hub_answers import WRITER, Answer, Hub, Request, answer


@dataclass(frozen=True)
class Fault:
    """What goes wrong: wait ``seconds``; answer ``status`` in place of the truth, or break the answer off (``cut``).

    ``page`` is what is answered in place of the Hub's own words, as a login page on the way to it is.

    ``after`` says that the request has had its effect, so that only the answer is lost; a cut answer then stops in its
    middle. With ``seconds`` alone the true answer comes, late.
    """

    status: int | None = None
    page: bytes = b'{"error": "a fault was asked for"}'
    cut: bool = False
    after: bool = False
    seconds: float = 0.0


class HubServer(Hub, ThreadingHTTPServer):
    """``fault`` is asked before every request is answered; ``asked`` remembers all of them."""

    daemon_threads = True

    def __init__(self) -> None:
        ThreadingHTTPServer.__init__(self, ("127.0.0.1", 0), _Handler)
        Hub.__init__(self, f"http://127.0.0.1:{self.server_port}")
        self.asked: list[Request] = []
        self.fault: Callable[[Request], Fault | None] = lambda _: None

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables for a process that uses this Hub with a writing token."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_OFFLINE": "0",
            "HF_TOKEN": WRITER,
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
        }

    def fail(self, method: str, part: str, *faults: Fault | None) -> None:
        """Let the first requests whose method and path fit meet these faults, one each; None lets one through."""
        coming = iter(faults)

        def next_fault(request: Request) -> Fault | None:
            return next(coming, None) if request.method == method and part in request.path else None

        self.fault = next_fault

    def refuse_writes(self, fault: Fault) -> None:
        """Let every request that would change a repo meet this fault, and what only reads pass."""
        writes = "/preupload/", "/commit/", "/info/lfs/", "/repos/create", "/large/"
        self.fault = lambda request: fault if any(part in request.path for part in writes) else None

    def heal(self) -> None:
        """Let nothing fail any more."""
        self.fault = lambda _: None

    def count(self, method: str, part: str) -> int:
        return sum(request.method == method and part in request.path for request in self.asked)


@contextmanager
def running_hub() -> Iterator[HubServer]:
    """Yield a Hub on a free port."""
    with HubServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def reach_from_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client of this process reach a server on this machine: online, without Xet and without a proxy."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    close_session()  # a client reads the proxies when it is made


def said_with(server: HubServer, script: str, home: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run ``script`` in a Python of its own that knows no other Hub and keeps its files in ``home``."""
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **server.environment, "HF_HOME": str(home), "PYTHONIOENCODING": "utf-8", **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def api_of(server: HubServer, token: str | None = WRITER) -> HfApi:
    """Return the real client; with None it sends no token, even where the machine has one."""
    return HfApi(endpoint=server.url, token=False if token is None else token)


class _Handler(BaseHTTPRequestHandler):
    server: HubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # the body of an answer would wait for the client to acknowledge its head

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:  # the client left first
            self.close_connection = True

    def _serve(self) -> None:
        address = urlsplit(self.path)
        request = Request(self.command, address.path, parse_qs(address.query), self.headers, self._body())
        self.server.asked.append(request)
        fault = self.server.fault(request) or Fault()
        time.sleep(fault.seconds)
        failing = fault.cut or fault.status is not None
        reply = answer(self.server, request) if fault.after or not failing else Answer()
        if fault.status is not None:
            reply = Answer(fault.status, fault.page)
        if not fault.cut:
            self._send(reply, reply.body)
            return
        self.close_connection = True
        if fault.after:
            self._send(reply, reply.body[: len(reply.body) // 2])

    do_GET = do_HEAD = do_POST = do_PUT = _serve  # noqa: N815  the names the base class calls

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size + 2)[:-2]
        self.rfile.readline()
        return body

    def _send(self, reply: Answer, sent: bytes) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body) if reply.length is None else reply.length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(sent)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error, which tests read."""
