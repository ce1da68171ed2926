"""Visitors, as the queue tells them apart: a network address, and a visit from there."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from demo.serving.host_names import network_of

if TYPE_CHECKING:
    from starlette.requests import Request

# The tool server asks this app over the network; for whom, it says in a header that nobody else can write.
FOR_WHOM = "x-fixmypose-for"
_SECRET = secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Visitor:
    """``address`` is empty where all come from this machine; ``visit`` where a program opened none."""

    address: str
    visit: str


def visitor_of(request: Request | None, visit: str = "") -> Visitor:
    """Who asks."""
    if request is None:
        return Visitor("", visit)
    told = request.headers.get(FOR_WHOM, "")
    secret, _, address = told.partition("=")
    if secrets.compare_digest(secret.encode(), _SECRET.encode()):
        return Visitor(address, "")
    return Visitor(address_of(request), visit)


def on_behalf_of(request: Request | None) -> dict[str, str]:
    """The headers of a request that the tool server sends for somebody else's."""
    return {FOR_WHOM: f"{_SECRET}={address_of(request) if request is not None else ''}"}


def address_of(request: Request) -> str:
    """The network address a request comes from, empty for this machine.

    A proxy stands in a private network and adds whom it serves behind what it was told, which anybody may have written.
    """
    host = request.client.host if request.client is not None else ""
    if _is_public(host):
        return network_of(ip_address(host))
    forwarded = [one.strip() for one in request.headers.get("x-forwarded-for", "").split(",")]
    public = next(filter(_is_public, reversed(forwarded)), None)
    if public is not None:
        return network_of(ip_address(public))
    return "" if _is_here(host) else host


def _is_public(host: str) -> bool:
    try:
        return ip_address(host).is_global
    except ValueError:
        return False


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return True
