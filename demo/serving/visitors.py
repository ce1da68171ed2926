"""Visitors, as the queue tells them apart: a network address, and a visit from there."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.serving.host_names import address_in, forwarded_network, network_of

if TYPE_CHECKING:
    from starlette.requests import Request

# The tool server asks this app over the network; for whom, it says in a header that nobody else can write.
FOR_WHOM = "x-fixmypose-for"
_SECRET = secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Visitor:
    """``address`` is empty where no network is known, as of this machine; ``visit`` where a program opened none."""

    address: str
    visit: str


def visitor_of(request: Request | None, visit: str = "") -> Visitor:
    """The visitor behind a request."""
    if request is None:
        return Visitor("", visit)
    header = request.headers.get(FOR_WHOM, "")
    secret, _, address = header.partition("=")
    if secrets.compare_digest(secret.encode(), _SECRET.encode()):
        return Visitor(address, "")
    return Visitor(address_of(request), visit)


def on_behalf_of(request: Request | None) -> dict[str, str]:
    """The headers of a request that the tool server sends for somebody else's."""
    return {FOR_WHOM: f"{_SECRET}={address_of(request) if request is not None else ''}"}


def address_of(request: Request) -> str:
    """The public network that a request comes from; empty where it comes from this machine, or nobody knows which.

    A proxy stands in a private network and adds whom it serves behind what it was told, which anybody may have written.
    Without that, all whom it serves have its own address, which tells none of them apart.
    """
    peer = address_in(request.client.host) if request.client is not None else None
    if peer is not None and peer.is_global:
        return network_of(peer)
    return forwarded_network(",".join(request.headers.getlist("x-forwarded-for"))) or ""
