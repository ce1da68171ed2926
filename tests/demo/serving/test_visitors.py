from __future__ import annotations

import pytest
from starlette.requests import Request

from demo.serving.visitors import FOR_WHOM, Visitor, address_of, on_behalf_of, visitor_of


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
