"""Connections of a real server on loopback, host names and origins, and the visitors behind connections."""

from __future__ import annotations

import asyncio
import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from gradio.route_utils import get_root_url
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from annotate.identity import NOWHERE, Caller
from demo.i18n import interface_texts
from demo.serving import connections, startup
from demo.serving.connections import (
    FOR_WHOM,
    AllowedHosts,
    BoundedProtocol,
    CheckHosts,
    Visitor,
    address_of,
    on_behalf_of,
    visitor_of,
)
from tests.served_pages import served_page, until
from tests.thoroughness import thorough

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:"
HALF_AN_UPLOAD = (
    b"POST /gradio_api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"
)
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
connections.limit_connections()
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
    monkeypatch.setattr(logging, "_logRecordFactory", startup.PlainRecord)
    fault = OSError(24, "Too many open files")
    text = "socket.accept() out of system resource"
    record = logging.getLogRecordFactory()("asyncio", logging.ERROR, "", 0, text, (), (OSError, fault, None))

    assert connections.RareRefusedAccepts().filter(record)
    assert logging.Formatter().format(record) == "Connections wait: the app may open no more files."


TOKEN = "of this start"  # noqa: S105  of these tests
HOME = AllowedHosts(frozenset(), owner_token=TOKEN)
NAMED = AllowedHosts(frozenset({"poses.example.org"}))
SPACE = AllowedHosts(frozenset({"me-poses.hf.space"}), on_space=True)
COOKIE = {"cookie": f'other=1; fmp-owner-7860="{TOKEN}"'}
HERE = {"host": "127.0.0.1:7860", **COOKIE}


def answer(hosts: AllowedHosts, method: str = "GET", path: str = "/", **headers: str) -> int:
    """Give the status of one request that passes the door or does not."""

    async def served(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"served"})

    sent: list[Any] = []

    async def send(message: Any) -> None:  # noqa: ANN401  of ASGI
        sent.append(message)

    async def receive() -> Any:  # noqa: ANN401  of ASGI
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": method, "path": path, "headers": Headers(headers).raw}
    with ThreadPoolExecutor(1) as aside:  # the browser of other tests may have an event loop in this thread
        aside.submit(asyncio.run, CheckHosts(served, hosts)(scope, receive, send)).result()
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize(
    ("hosts", "host", "status"),
    [
        (HOME, "127.0.0.1:7860", 200),
        (HOME, "localhost:7860", 200),
        (HOME, "LOCALHOST.", 200),
        (HOME, "[::1]:7860", 200),
        (HOME, "192.168.1.7:7860", 200),
        (HOME, "evil.example", 403),
        (HOME, "127.0.0.1.evil.example:7860", 403),
        (HOME, "localhost.evil.example", 403),
        (HOME, "me-poses.hf.space", 403),
        (HOME, "", 403),
        (HOME, "evil.example@127.0.0.1", 403),
        (NAMED, "Poses.Example.org:8080", 200),
        (NAMED, "other.example.org", 403),
        (SPACE, "me-poses.hf.space", 200),
        (SPACE, "me-poses--dev.hf.space", 200),
        (SPACE, "hf.space.evil.example", 403),
    ],
)
def test_the_page_is_served_under_its_own_names_alone(hosts: AllowedHosts, host: str, status: int) -> None:
    assert answer(hosts, host=host) == status


@pytest.mark.parametrize(
    ("hosts", "host", "origin", "status"),
    [
        (HOME, "127.0.0.1:7860", "http://127.0.0.1:7860", 200),
        (HOME, "127.0.0.1:80", "http://127.0.0.1", 200),
        (HOME, "[::1]:7860", "http://[::1]:7860", 200),
        (HOME, "127.0.0.1:7860", "http://127.0.0.1:3000", 403),
        (HOME, "127.0.0.1:7860", "http://localhost:7860", 403),
        (HOME, "127.0.0.1:7860", "https://evil.example", 403),
        (HOME, "127.0.0.1:7860", "null", 403),
        (HOME, "127.0.0.1:7860", "http://[", 403),
        (NAMED, "poses.example.org", "https://poses.example.org", 200),
        (NAMED, "127.0.0.1:7860", "https://poses.example.org", 200),  # a proxy that says only its own address
        (SPACE, "me-poses.hf.space", "https://me-poses.hf.space", 200),
        (SPACE, "me-poses.hf.space", "https://huggingface.co", 200),
        (SPACE, "me-poses.hf.space", "https://other.hf.space", 403),
    ],
)
def test_nothing_is_done_that_the_page_of_somebody_else_sent(
    hosts: AllowedHosts, host: str, origin: str, status: int
) -> None:
    assert answer(hosts, "POST", "/gradio_api/run/predict", host=host, origin=origin) == status
    assert answer(hosts, "GET", "/gradio_api/queue/data", host=host, origin=origin) == status
    assert answer(hosts, "DELETE", "/gradio_api/mcp/", host=host, origin=origin) == status
    assert answer(hosts, "GET", "/", host=host, origin=origin) == 200


def test_a_refusal_is_one_sentence_in_each_language() -> None:
    async def never(_: Scope, __: Receive, ___: Send) -> None:
        pytest.fail("this was to be refused")

    client = TestClient(CheckHosts(never, HOME), base_url="http://evil.example")

    refused = client.get("/")

    words = interface_texts()
    assert refused.text.splitlines() == [words[code]["hosts.other_name"] for code in words]
    assert refused.headers["content-type"] == "text/plain; charset=utf-8"
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket"):
        pass


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_who_sits_at_this_machine_is_known(peer: str) -> None:
    assert HOME.caller(HERE, peer).is_here
    assert HOME.caller({"Host": "localhost:7860", "Origin": "http://localhost:7860", **COOKIE}, peer).is_here


@pytest.mark.parametrize("cookie", ["", "fmp-owner-7860=", "fmp-owner-7860=guessed", f'fmp-owner-80="{TOKEN}"'])
def test_a_program_without_the_token_is_no_owner_whatever_page_it_says_to_be(cookie: str) -> None:
    headers = {"host": "127.0.0.1:7860", "cookie": cookie}

    assert not HOME.caller(headers, "127.0.0.1").is_here
    assert not HOME.caller({**headers, "origin": "http://127.0.0.1:7860"}, "127.0.0.1").is_here
    assert not NAMED.caller({**headers, "cookie": "fmp-owner-7860="}, "127.0.0.1").is_here  # it has no token


def test_the_printed_address_brings_the_token_once_and_the_page_keeps_it_as_a_cookie() -> None:
    client = TestClient(CheckHosts(PlainTextResponse("the page"), HOME), base_url="http://127.0.0.1:7860")
    client.follow_redirects = False

    right = client.get("/", params={"owner": TOKEN, "participant": "a b"})

    assert (right.status_code, right.headers["location"]) == (303, "/?participant=a+b")
    assert right.headers["set-cookie"] == f'fmp-owner-7860="{TOKEN}"; HttpOnly; Path=/; SameSite=strict'
    for other in ("", "guessed", "gueßt"):
        wrong = client.get("/", params={"owner": other})
        assert (wrong.status_code, wrong.headers["location"]) == (303, "/")
        assert "set-cookie" not in wrong.headers
    assert client.get("/robots.txt", params={"owner": TOKEN}).text == "the page"
    assert client.get("/").text == "the page"


@pytest.mark.parametrize(
    ("hosts", "sent", "root"),
    [
        (HOME, {"x-forwarded-host": "evil.example"}, "http://127.0.0.1:7860"),
        (HOME, {"x-forwarded-host": "6.6.6.6"}, "http://127.0.0.1:7860"),
        (HOME, {"x-forwarded-host": "127.0.0.1:7860@evil.example"}, "http://127.0.0.1:7860"),
        (HOME, {"x-gradio-server": "http://evil.example/"}, "http://127.0.0.1:7860"),
        (HOME, {"x-forwarded-host": "127.0.0.1:7860", "x-forwarded-proto": "https"}, "https://127.0.0.1:7860"),
        (HOME, {"x-forwarded-proto": "javascript"}, "http://127.0.0.1:7860"),
        (NAMED, {"x-forwarded-host": "poses.example.org", "x-forwarded-proto": "https"}, "https://poses.example.org"),
        (NAMED, {"x-forwarded-host": "poses.example.org, evil.example"}, "http://poses.example.org"),
        (NAMED, {"x-forwarded-host": "evil.example, poses.example.org"}, "http://127.0.0.1:7860"),
        (SPACE, {"x-forwarded-host": "me-poses.hf.space", "x-forwarded-proto": "https"}, "https://me-poses.hf.space"),
        (SPACE, {"x-forwarded-host": "evil.example"}, "http://127.0.0.1:7860"),
    ],
)
def test_no_header_makes_another_place_the_root_of_the_page(
    hosts: AllowedHosts, sent: dict[str, str], root: str
) -> None:
    roots, callers = [], []

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        roots.append(get_root_url(connection, "/", None))  # type: ignore[arg-type]  # of websockets too
        callers.append(hosts.caller(connection.headers, "127.0.0.1"))
        assert set(connection.headers.getlist("x-forwarded-proto")) <= {"http", "https"}
        if scope["type"] == "http":
            await PlainTextResponse("served")(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    client = TestClient(CheckHosts(served, hosts), base_url="http://127.0.0.1:7860", headers={**HERE, **sent})
    client.get("/")
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("ws://127.0.0.1:7860/", headers=dict(HERE)):
        pass

    assert roots == [root, root.replace("http", "ws") if root == "http://127.0.0.1:7860" else root]
    assert not any(caller.is_here for caller in callers)  # whatever was dropped, it came through a proxy


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:7860"},
        {"host": "192.168.1.7:7860"},
        {},
        {**HERE, "origin": "http://evil.example"},
        {**HERE, "origin": "null"},
        *(
            {**HERE, name: "127.0.0.1"}
            for name in (
                "X-Forwarded-For",
                "x-forwarded-host",
                "x-forwarded-proto",
                "Forwarded",
                "Via",
                "X-Real-IP",
                "CF-Connecting-IP",
                "cf-ray",
                "True-Client-IP",
                "X-Client-IP",
                "Fly-Client-IP",
                "Tailscale-User-Login",
                "X-Original-Host",
                "WL-Proxy-Client-IP",
                "Proxy-Client-IP",
                "X-Remote-IP",
                "X-AppEngine-User-IP",
                "X-NginX-Proxy",
                "X-Url-Scheme",
                "X-Scheme",
                "X-Request-Start",
                "X-Varnish",
                "X-Vercel-Id",
                "X-Gradio-Server",
                "Z-Forwarded-For",
                "Front-End-Https",
                "CDN-Loop",
                "DO-Connecting-IP",
                "Incap-Client-IP",
                "X-AzureClientIP",
                "Remote-User",
            )
        ),
    ],
)
def test_a_person_who_came_by_another_name_or_through_a_proxy_is_not_here(headers: dict[str, str]) -> None:
    assert not HOME.caller(headers, "127.0.0.1").is_here


@pytest.mark.parametrize("name", ["X-Requested-With", "X-Gradio-User", "Sec-Fetch-Site", "User-Agent", "Accept"])
def test_what_the_page_itself_sends_is_no_sign_of_a_proxy(name: str) -> None:
    assert HOME.caller({**HERE, name: "app"}, "127.0.0.1").is_here


def test_a_person_who_comes_over_the_network_or_to_a_space_is_not_here() -> None:
    assert not HOME.caller(HERE, "192.168.1.9").is_here
    assert not HOME.caller(HERE, None).is_here
    assert not HOME.caller(HERE, "64:ff9b::7f00:1").is_here  # a network that maps what may not be mapped
    assert not SPACE.caller(HERE, "127.0.0.1").is_here
    assert not AllowedHosts(frozenset(), on_space=True, owner_token=TOKEN).caller(HERE, "127.0.0.1").is_here


@pytest.mark.parametrize(
    ("hosts", "forwarded", "peer", "address"),
    [
        (HOME, [], "192.168.1.9", "192.168.1.9"),
        (HOME, [], "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        (HOME, [], "2001:db8:1:2:6:5:4:3", "2001:db8:1:2::"),
        (HOME, ["9.9.9.9"], "127.0.0.1", None),  # a proxy, and nobody knows which
        (SPACE, ["9.9.9.9"], "10.0.0.1", "9.9.9.9"),
        (SPACE, ["1.1.1.1, 9.9.9.9, 10.1.2.3"], "10.0.0.1", "9.9.9.9"),  # the first was written by the visitor
        (SPACE, ["1.1.1.1", "9.9.9.9"], "10.0.0.1", "9.9.9.9"),
        (HOME, [], "64:ff9b::808:808", "8.8.8.8"),
        (SPACE, ["9.9.9.9:4711"], "10.0.0.1", "9.9.9.9"),
        (SPACE, ["[2a00:1450:4001:82a::1]:4711"], "10.0.0.1", "2a00:1450:4001:82a::"),
        (SPACE, ["nonsense"], "10.0.0.1", None),
    ],
)
def test_the_address_is_that_of_the_visitor_or_none(
    hosts: AllowedHosts, forwarded: list[str], peer: str, address: str | None
) -> None:
    headers = Headers(raw=[(b"host", b"127.0.0.1"), *((b"x-forwarded-for", one.encode()) for one in forwarded)])

    assert hosts.caller(headers, peer) == Caller(address)
    assert Caller(None, is_here=False) == NOWHERE


def request(host: str, **headers: str) -> Request:
    raw_headers = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "client": (host, 1), "headers": raw_headers})


@pytest.mark.parametrize(
    ("host", "forwarded", "address"),
    [
        ("127.0.0.1", "", ""),
        ("::1", "", ""),
        ("8.8.8.8", "", "8.8.8.8"),
        ("8.8.8.8", "1.1.1.1", "8.8.8.8"),  # who is reached directly may write what they like
        ("10.0.0.7", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.7", "9.9.9.9, 1.1.1.1, 10.0.0.3", "1.1.1.1"),  # what stands first, the visitor may have written
        ("10.0.0.7", "9.9.9.9, 1.1.1.1:4711", "1.1.1.1"),
        ("10.0.0.7", "[2a00:1450:4001:82a::1]:4711", "2a00:1450:4001:82a::"),
        ("10.0.0.7", "[2a00:1450:4001:82a::1]", "2a00:1450:4001:82a::"),
        ("10.0.0.7", "", ""),  # a proxy that does not tell: its address is that of everybody
        ("10.0.0.7", "rubbish,", ""),
        ("10.0.0.7", "8.8.8.8:port, 192.168.1.9", ""),
        ("fd00::7", "", ""),
        ("2a00:1450:4001:82a::200e", "", "2a00:1450:4001:82a::"),  # whoever has one of these has 2 ** 64
        ("10.0.0.7", "2a00:1450:4001:82a::1", "2a00:1450:4001:82a::"),
        ("::ffff:8.8.8.8", "", "8.8.8.8"),
        ("::ffff:1.1.1.1", "", "1.1.1.1"),
        ("::ffff:127.0.0.1", "", ""),
        ("::ffff:10.0.0.7", "::ffff:9.9.9.9", "9.9.9.9"),
        ("10.0.0.7", "[::ffff:9.9.9.9]:4711", "9.9.9.9"),
        ("64:ff9b::808:808", "", "8.8.8.8"),
        ("10.0.0.7", "64:ff9b::101:101", "1.1.1.1"),
        ("testclient", "", ""),
    ],
)
def test_an_address_is_that_of_the_visitor_and_not_what_a_visitor_says(host: str, forwarded: str, address: str) -> None:
    assert address_of(request(host, x_forwarded_for=forwarded)) == address


def test_a_header_that_a_visitor_wrote_before_the_one_of_the_proxy_is_not_believed() -> None:
    raw_headers = [(b"x-forwarded-for", b"9.9.9.9"), (b"x-forwarded-for", b"1.1.1.1")]
    assert address_of(Request({"type": "http", "client": ("10.0.0.7", 1), "headers": raw_headers})) == "1.1.1.1"


def test_the_tool_server_asks_on_behalf_of_its_caller_and_nobody_else_can() -> None:
    asked = on_behalf_of(request("8.8.8.8"))
    nearby = on_behalf_of(request("127.0.0.1"))
    assert all(value == value.strip() for value in nearby.values())  # as a header has to be
    assert visitor_of(request("127.0.0.1", **nearby), "visit") == Visitor("", "")

    assert visitor_of(request("127.0.0.1", **asked), "visit") == Visitor("8.8.8.8", "")
    forged = {FOR_WHOM: "guessed=1.1.1.1"}
    assert visitor_of(request("127.0.0.1", **forged), "visit") == Visitor("", "visit")


def test_a_page_that_is_closed_cuts_off_whoever_holds_on() -> None:
    with socket.socket() as holding:
        with served_page() as page:
            holding.connect(("127.0.0.1", int(urlsplit(page.url).port or 0)))
            holding.sendall(HALF_AN_UPLOAD)
            until(lambda: page.blocks.server.server_state.tasks)
        assert not page.blocks.server.thread.is_alive()
