"""Connections of a real server on loopback, by a bounded number of clients."""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from demo.serving import connections, plain_log
from demo.serving.connections import BoundedProtocol
from tests.thoroughness import thorough

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:"
WHOLE = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
DEADLINE = 5.0  # seconds, of whatever a test waits for


class Small(BoundedProtocol):
    """Bounds that few clients reach; each address of loopback is a network, but for the usual one."""

    head_seconds = 0.5
    refused_body_seconds = 30.0
    max_connections = 24  # three of a network

    @staticmethod
    def network(host: str) -> str:
        return "" if host == "127.0.0.1" else host


SLOW = b"GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
done = threading.Event()  # what answers at /slow wait for


async def served(scope: Scope, receive: Receive, send: Send) -> None:
    """Read the body but at /refused, wait at /slow, and answer."""
    while scope["path"] != "/refused" and (await receive()).get("more_body"):
        pass
    while scope["path"] == "/slow" and not done.is_set():  # noqa: ASYNC110  set by another thread
        await asyncio.sleep(0.01)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def running(protocol: type[BoundedProtocol] = Small) -> Iterator[tuple[int, uvicorn.Server]]:
    """Serve at a free port."""
    done.clear()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(served, http=protocol, lifespan="off", log_level="warning", timeout_keep_alive=60)
        server = connections.BoundedServer(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield listener.getsockname()[1], server
        finally:
            done.set()
            server.should_exit = True
            thread.join(DEADLINE)
            assert not thread.is_alive()


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with running() as (port, _):
        yield port


def connect(port: int, sent: bytes = b"", address: str = "127.0.0.1") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), DEADLINE, source_address=(address, 0))
    client.sendall(sent)
    return client


def answered(client: socket.socket) -> bool:
    """Whether an answer comes; False where the connection is closed without one."""
    received = b""
    try:
        while not received.endswith(b"ok") and (more := client.recv(4096)):
            received += more
    except ConnectionError:
        return False
    return received.startswith(b"HTTP/1.1 200")


def is_cut(client: socket.socket, *, dribble: bytes = b"") -> bool:
    """Whether the server closes it in time, though bytes go on to come."""
    deadline = time.monotonic() + 6 * Small.head_seconds
    client.settimeout(0.05)
    while time.monotonic() < deadline:
        try:
            client.sendall(dribble)
            if client.recv(4096) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False


@pytest.mark.parametrize("sent", [b"", b"G", HALF])
def test_a_head_that_is_not_whole_in_time_is_cut_whatever_dribbles_in(port: int, sent: bytes) -> None:
    with connect(port, sent) as client:
        assert is_cut(client, dribble=b"x" if sent else b"")


def test_so_is_the_second_head_of_a_connection(port: int) -> None:
    with connect(port, WHOLE) as client:
        assert answered(client)
        client.sendall(HALF)
        assert is_cut(client, dribble=b"x")


def test_a_connection_that_asks_now_and_then_stays(port: int) -> None:
    with connect(port, WHOLE) as client:
        assert answered(client)
        time.sleep(2 * Small.head_seconds)  # the time itself is what is tested
        client.sendall(WHOLE)
        assert answered(client)


def test_neither_a_slow_answer_nor_a_slow_body_is_cut(port: int) -> None:
    with connect(port, SLOW) as slow, connect(port) as sender:
        sender.sendall(WHOLE.replace(b"GET", b"POST").replace(b"\r\n\r\n", b"\r\nContent-Length: 12\r\n\r\n"))
        for _ in range(12):
            sender.sendall(b"x")
            time.sleep(Small.head_seconds / 8)
        assert answered(sender)
        done.set()
        assert answered(slow)


def test_an_answer_that_came_before_the_body_is_not_lost(port: int) -> None:
    head = WHOLE.replace(b"GET /", b"POST /refused").replace(b"\r\n\r\n", b"\r\nContent-Length: 12\r\n\r\n")
    with connect(port, head) as sender:
        for _ in range(12):
            sender.sendall(b"x")
            time.sleep(Small.head_seconds / 8)
        assert answered(sender)


def test_half_heads_never_shut_a_visitor_out() -> None:
    with running() as (port, server), ExitStack() as stack:
        held = [stack.enter_context(connect(port, HALF)) for _ in range(50)]
        visitors = [stack.enter_context(connect(port, WHOLE)) for _ in range(3)]

        assert [answered(visitor) for visitor in visitors] == [True] * 3
        assert len(server.server_state.connections) <= Small.max_connections
        assert sum(is_cut(client) for client in held[:26]) == 26  # the longest waiting went first


def test_where_all_are_at_work_a_new_connection_is_closed_at_once() -> None:
    with running() as (port, server), ExitStack() as stack:
        busy = [stack.enter_context(connect(port, SLOW)) for _ in range(Small.max_connections)]
        wait_until(lambda: len(server.server_state.tasks) == Small.max_connections)

        late = stack.enter_context(connect(port, WHOLE))

        assert not answered(late)
        done.set()
        assert [answered(client) for client in busy] == [True] * Small.max_connections


@pytest.mark.skipif(sys.platform != "linux", reason="loopback has one address")
def test_a_network_has_its_share_and_the_usual_address_has_none() -> None:
    with running() as (port, server), ExitStack() as stack:
        busy = [stack.enter_context(connect(port, SLOW, "127.0.0.2")) for _ in range(3)]
        wait_until(lambda: len(server.server_state.tasks) == 3)
        more = [stack.enter_context(connect(port, WHOLE, "127.0.0.2")) for _ in range(3)]
        others = [stack.enter_context(connect(port, WHOLE, f"127.0.0.{last}")) for last in (1, 1, 1, 1, 1, 3, 4)]

        assert [answered(client) for client in more] == [False] * 3
        assert [answered(client) for client in others] == [True] * 7
        done.set()
        assert [answered(client) for client in busy] == [True] * 3
        half = [stack.enter_context(connect(port, HALF, "127.0.0.5")) for _ in range(3)]
        assert answered(stack.enter_context(connect(port, WHOLE, "127.0.0.5")))  # in the place of a half head
        assert is_cut(half[0])


class TakenOver(asyncio.Protocol):
    """A connection that is no longer of HTTP."""

    def __init__(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport


@pytest.mark.skipif(sys.platform != "linux", reason="loopback has one address")
def test_beside_a_web_socket_a_network_has_its_share() -> None:
    with running() as (port, server), ExitStack() as stack:
        held = stack.enter_context(connect(port, WHOLE))
        assert answered(held)
        (known,) = server.server_state.connections
        taken_over = TakenOver(known.transport)
        server.server_state.connections.add(taken_over)  # type: ignore[arg-type]
        for _ in range(3):
            stack.enter_context(connect(port, SLOW, "127.0.0.2"))
        wait_until(lambda: len(server.server_state.tasks) == 3)

        assert not answered(stack.enter_context(connect(port, WHOLE, "127.0.0.2")))
        assert answered(stack.enter_context(connect(port, WHOLE, "127.0.0.3")))
        server.server_state.connections.discard(taken_over)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("127.0.0.1", ""),
        ("10.1.2.3", ""),
        ("::1", ""),
        ("", ""),
        ("9.9.9.9", "9.9.9.9"),
        ("2a00:1450::7", "2a00:1450::"),
    ],
)
def test_only_a_public_network_is_counted_for_itself(host: str, network: str) -> None:
    assert BoundedProtocol.network(host) == network


_FULL = """
import logging, resource, socket, threading, time, uvicorn
from gradio import http_server
from demo.serving import connections
connections.install()
before = resource.getrlimit(resource.RLIMIT_NOFILE)
assert connections.BoundedProtocol.max_connections == min(4096, before[0] // 2)
async def served(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
server = http_server.Server(uvicorn.Config(served, lifespan="off", log_level="warning"))
thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
thread.start()
while not server.started:
    time.sleep(0.01)
clients = [socket.socket() for _ in range(50)]
asker = socket.socket()
used = max(client.fileno() for client in [*clients, asker])
resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, before[1]))
for client in clients:
    client.connect(listener.getsockname())
time.sleep(1.5)  # asyncio tries again after a second
for client in clients:
    client.close()
asker.settimeout(5)
asker.connect(listener.getsockname())
asker.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
print(before[0] == before[1], asker.recv(99)[:15])
server.should_exit = True
thread.join(5)
"""


@thorough
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of open files")
def test_where_no_file_can_be_opened_one_line_says_so_and_the_app_answers_again() -> None:
    ended = subprocess.run([sys.executable, "-c", _FULL], capture_output=True, text=True, timeout=60, check=False)

    assert ended.stdout == "True b'HTTP/1.1 200 OK'\n"
    assert ended.stderr.splitlines() == ["Connections wait: the app may open no more files."]


def test_other_lines_of_the_log_pass() -> None:
    def passes(text: str) -> bool:
        return rare.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, (), None))

    rare = connections.RareRefusedAccepts()
    assert [passes("socket.accept() out of system resource\nsocket: 7") for _ in range(3)] == [True, False, False]
    assert passes("Task exception was never retrieved")


def test_a_system_without_limits_of_files_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "_system", None)

    assert connections.raise_file_limit() is None


def test_a_hard_limit_that_may_not_be_the_soft_one_leaves_what_macos_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    limits = [256, resource.RLIM_INFINITY]

    def set_limits(_: int, wanted: tuple[int, int]) -> None:
        if wanted[0] == resource.RLIM_INFINITY:
            raise ValueError
        limits[:] = wanted

    monkeypatch.setattr("resource.getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr("resource.setrlimit", set_limits)

    assert connections.raise_file_limit() == 10_240


def test_no_traceback_of_a_refused_accept_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "_logRecordFactory", plain_log.PlainRecord)
    fault = OSError(24, "Too many open files")
    text = "socket.accept() out of system resource"
    record = logging.getLogRecordFactory()("asyncio", logging.ERROR, "", 0, text, (), (OSError, fault, None))

    assert connections.RareRefusedAccepts().filter(record)
    assert logging.Formatter().format(record) == "Connections wait: the app may open no more files."
