"""Visitors as the queue distinguishes them: a network address, and a visit from there."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.serving.host_names import address_in, forwarded_network, network_of

if TYPE_CHECKING:
    from starlette.requests import Request

# The tool server calls this app over the network and names its caller in a header, protected by a secret.
FOR_WHOM = "x-fixmypose-for"
_SECRET = secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Visitor:
    """A visitor; ``address`` is empty for this machine or an unknown network, ``visit`` for a program without one."""

    address: str
    visit: str


def visitor_of(request: Request | None, visit: str = "") -> Visitor:
    """Return the visitor behind a request."""
    if request is None:
        return Visitor("", visit)
    header = request.headers.get(FOR_WHOM, "")
    secret, _, address = header.partition("=")
    if secrets.compare_digest(secret.encode(), _SECRET.encode()):
        return Visitor(address, "")
    return Visitor(address_of(request), visit)


def on_behalf_of(request: Request | None) -> dict[str, str]:
    """Return the headers of a request that the tool server sends for the caller of another request."""
    return {FOR_WHOM: f"{_SECRET}={address_of(request) if request is not None else ''}"}


def address_of(request: Request) -> str:
    """Return the public network of a request; empty if it comes from this machine, or the network is unknown.

    A proxy is in a private network and appends its client's address to the header that it received, whose earlier
    entries may be forged. Without that header all its clients have the address of the proxy, which distinguishes none
    of them.
    """
    peer = address_in(request.client.host) if request.client is not None else None
    if peer is not None and peer.is_global:
        return network_of(peer)
    return forwarded_network(",".join(request.headers.getlist("x-forwarded-for"))) or ""
