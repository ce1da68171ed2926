from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from annotate.identity import NOWHERE, Caller
from demo.i18n import interface_texts
from demo.serving.host_names import CheckHosts, OwnHosts

HOME = OwnHosts(frozenset())
NAMED = OwnHosts(frozenset({"poses.example.org"}))
SPACE = OwnHosts(frozenset({"me-poses.hf.space"}), on_space=True)
HERE = {"host": "127.0.0.1:7860"}


def answer(hosts: OwnHosts, method: str = "GET", path: str = "/", **headers: str) -> int:
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
def test_the_page_is_served_under_its_own_names_alone(hosts: OwnHosts, host: str, status: int) -> None:
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
    hosts: OwnHosts, host: str, origin: str, status: int
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
    assert HOME.caller({"Host": "localhost:7860", "Origin": "http://localhost:7860"}, peer).is_here


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
            )
        ),
    ],
)
def test_whoever_came_by_another_name_or_through_a_proxy_is_not_here(headers: dict[str, str]) -> None:
    assert not HOME.caller(headers, "127.0.0.1").is_here


def test_whoever_comes_over_the_network_or_to_a_space_is_not_here() -> None:
    assert not HOME.caller(HERE, "192.168.1.9").is_here
    assert not HOME.caller(HERE, None).is_here
    assert not HOME.caller(HERE, "64:ff9b::7f00:1").is_here  # a network that maps what may not be mapped
    assert not SPACE.caller(HERE, "127.0.0.1").is_here


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
    hosts: OwnHosts, forwarded: list[str], peer: str, address: str | None
) -> None:
    headers = Headers(raw=[(b"host", b"127.0.0.1"), *((b"x-forwarded-for", one.encode()) for one in forwarded)])

    assert hosts.caller(headers, peer) == Caller(address)
    assert Caller(None, is_here=False) == NOWHERE
