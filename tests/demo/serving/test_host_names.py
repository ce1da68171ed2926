from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gradio.route_utils import get_root_url
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from annotate.identity import NOWHERE, Caller
from demo.i18n import interface_texts
from demo.serving.host_names import AllowedHosts, CheckHosts

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
