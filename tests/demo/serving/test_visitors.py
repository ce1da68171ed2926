from __future__ import annotations

import pytest
from starlette.requests import Request

from demo.serving.visitors import FOR_WHOM, Visitor, address_of, on_behalf_of, visitor_of


def request(host: str, **headers: str) -> Request:
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "client": (host, 1), "headers": told})


@pytest.mark.parametrize(
    ("host", "forwarded", "address"),
    [
        ("127.0.0.1", "", ""),
        ("::1", "", ""),
        ("8.8.8.8", "", "8.8.8.8"),
        ("8.8.8.8", "1.1.1.1", "8.8.8.8"),  # who is reached directly may write what they like
        ("10.0.0.7", "1.1.1.1", "1.1.1.1"),
        ("10.0.0.7", "9.9.9.9, 1.1.1.1, 10.0.0.3", "1.1.1.1"),  # what stands first, the visitor may have written
        ("10.0.0.7", "rubbish,", "10.0.0.7"),
        ("2a00:1450:4001:82a::200e", "", "2a00:1450:4001:82a::"),  # whoever has one of these has 2 ** 64
        ("10.0.0.7", "2a00:1450:4001:82a::1", "2a00:1450:4001:82a::"),
        ("testclient", "", ""),
    ],
)
def test_an_address_is_that_of_the_visitor_and_not_what_a_visitor_says(host: str, forwarded: str, address: str) -> None:
    assert address_of(request(host, x_forwarded_for=forwarded)) == address


def test_the_tool_server_asks_on_behalf_of_its_caller_and_nobody_else_can() -> None:
    asked = on_behalf_of(request("8.8.8.8"))
    nearby = on_behalf_of(request("127.0.0.1"))
    assert all(value == value.strip() for value in nearby.values())  # as a header has to be
    assert visitor_of(request("127.0.0.1", **nearby), "visit") == Visitor("", "")

    assert visitor_of(request("127.0.0.1", **asked), "visit") == Visitor("8.8.8.8", "")
    forged = {FOR_WHOM: "guessed=1.1.1.1"}
    assert visitor_of(request("127.0.0.1", **forged), "visit") == Visitor("", "visit")
