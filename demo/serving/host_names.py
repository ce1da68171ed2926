"""Host names: names under which the page is served, origins it accepts requests from, and networks of callers.

A foreign page can reach an app on this machine through the browser of its user: by a name that resolves to 127.0.0.1,
or by sending to that address directly. So the host must be one of the app's own names, and a request from a page must
have this page as its origin. Numeric addresses are served, since no name service can redirect them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from annotate.identity import NOWHERE, Caller
from demo.i18n import text
from demo.settings import OWNER_PARAMETER, Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL_NAME = "localhost"
SPACES = ".hf.space"
HUB = "huggingface.co"  # shows a Space in an iframe
GRADIO = "/gradio_api/"
_NAT64 = IPv6Network("64:ff9b::/96")  # maps public IPv4 addresses only
_DEFAULT_PORTS = {"http": "80", "https": "443"}
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII)
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# Browsers send no X- headers themselves: all are from proxies, except those of scripts and Gradio's clients.
_FORWARDED = re.compile(
    r"x-(?!requested-with$|gradio-user$|gradio-history-bucket$).*|(z-)?forwarded(-.*)?|via|cdn-loop|front-end-https"
    r"|.*client-?ip|.*-ip|(wl-)?proxy-.*|remote-.*|(real|client|cluster-client|true-client|proxyuser|envoy|original)-.*"
    r"|(amzn|azure|arr|cf|fly|fastly|tailscale|ngrok|akamai|cloudfront)-.*"
)
_ROOT_HEADERS = frozenset({b"x-forwarded-host", b"x-forwarded-proto", b"x-gradio-server"})  # for get_root_url, mcp.py
_REFUSED_ROOT = (b"x-forwarded-refused", b"")  # replaces a dropped header: the request still counts as proxied


@dataclass(frozen=True)
class AllowedHosts:
    """The ``names`` of the page besides ``localhost``; on a Space also every name under the Hub's domain.

    A request from this machine is the owner's if it carries ``owner_token``; with an empty token none is.
    """

    names: frozenset[str]
    on_space: bool = False
    owner_token: str = field(default="", repr=False)

    @classmethod
    def of(cls, settings: Settings) -> AllowedHosts:
        """Return the configured hosts, with the name that the Hub gave a Space."""
        names = settings.public_hosts | {settings.space_host} - {""}
        return cls(names, bool(settings.space_id), settings.owner_token)

    def serves(self, host: str) -> bool:
        """Return whether the page is served under this name or address."""
        return host == LOCAL_NAME or address_in(host) is not None or self.names_itself(host)

    def names_itself(self, host: str) -> bool:
        """Return whether this name was configured, or given by the Hub."""
        return host in self.names or (self.on_space and host.endswith(SPACES))

    def sends(self, origin: str, host: str) -> bool:
        """Return whether a page of this origin may send to the app under the request's ``host``, including ports."""
        scheme, _, place = origin.lower().partition("://")
        site, port = split_host(place)
        if scheme not in _DEFAULT_PORTS or not site:  # "null" for a page without origin, or not a web page
            return False
        own_host, at = split_host(host)
        default = _DEFAULT_PORTS[scheme]
        is_same = (site, port or default) == (own_host, at or default)
        return is_same or site in self.names or (self.on_space and site == HUB)

    def refusal(self, kind: str, method: str, path: str, headers: Headers) -> str | None:
        """Return why a request is rejected, as a key of the page's texts; None if it is accepted.

        A browser states the origin of every request from a page that does more than read.
        """
        hosts, origin = headers.getlist("host"), headers.get("origin")
        if len(hosts) != 1 or not self.serves(split_host(hosts[0])[0]):
            return "hosts.other_name"
        asks = kind == "websocket" or method not in _READING or GRADIO in path
        if asks and origin is not None and not self.sends(origin, hosts[0]):
            return "hosts.other_page"
        return None

    def may_be_root(self, header: bytes, value: str, host: str) -> bool:
        """Return whether Gradio may use this header value as part of the page's own URL."""
        first = value.split(",", maxsplit=1)[0].strip()
        if header == b"x-forwarded-proto":
            return first in _DEFAULT_PORTS
        return header == b"x-forwarded-host" and (first == host or self.names_itself(split_host(first)[0]))

    def is_owner_token(self, token: str) -> bool:
        """Return whether the token is that of this run, compared in constant time."""
        return bool(self.owner_token) and secrets.compare_digest(token.encode(), self.owner_token.encode())

    def caller(self, headers: Mapping[str, str], peer: str | None) -> Caller:
        """Return the caller of a request whose connection is with ``peer``.

        Headers of a proxy are trusted only on a Space, where the Hub's proxy is the only way in. Elsewhere the address
        of a client behind a proxy is unknown.
        """
        fields: dict[str, str] = {}
        for name, value in headers.items():
            fields[name.lower()] = f"{fields[name.lower()]},{value}" if name.lower() in fields else value
        if any(_FORWARDED.fullmatch(name) for name in fields):
            return Caller(forwarded_network(fields.get("x-forwarded-for", ""))) if self.on_space else NOWHERE
        reached, origin = address_in(peer or ""), fields.get("origin", f"http://{LOCAL_NAME}")
        ends = peer or "", split_host(fields.get("host", ""))[0], split_host(origin.partition("://")[2])[0]
        token = cookie_parser(fields.get("cookie", "")).get(_owner_cookie(fields.get("host", "")), "")
        is_here = not self.on_space and all(map(_is_loopback, ends)) and self.is_owner_token(token)
        return Caller(None if reached is None else network_of(reached), is_here=is_here)


class CheckHosts:
    """ASGI middleware that rejects requests for hosts or from origins that :class:`AllowedHosts` does not accept.

    It drops headers that would give Gradio a foreign root URL, and turns the owner's token in a URL into a cookie.
    """

    def __init__(self, app: ASGIApp, hosts: AllowedHosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        kind = scope["type"]
        if kind not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        key = self._hosts.refusal(kind, scope.get("method", ""), str(scope.get("path", "")), headers)
        if key is None:
            answer = self._owner_cookie_set(scope, headers) or self._app
            await answer({**scope, "headers": self._without_foreign_root(scope, headers["host"])}, receive, send)
        elif kind == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse("\n".join(text(key).by_language.values()), 403)(scope, receive, send)

    def _without_foreign_root(self, scope: Scope, host: str) -> list[tuple[bytes, bytes]]:
        return [
            (name, value)
            if name not in _ROOT_HEADERS or self._hosts.may_be_root(name, value.decode("latin-1"), host)
            else _REFUSED_ROOT
            for name, value in scope["headers"]
        ]

    def _owner_cookie_set(self, scope: Scope, headers: Headers) -> Response | None:
        """Return a redirect to the page without the token if the URL has one, valid or not."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == OWNER_PARAMETER]
        if not tokens or (scope["type"], scope.get("path")) != ("http", "/"):
            return None
        rest = urlencode([pair for pair in query if pair[0] != OWNER_PARAMETER])
        answer = RedirectResponse(f"/?{rest}" if rest else "/", 303, {"Cache-Control": "no-store"})
        if self._hosts.is_owner_token(tokens[0]):
            answer.set_cookie(_owner_cookie(headers["host"]), tokens[0], httponly=True, samesite="strict")
        return answer


def _owner_cookie(host: str) -> str:
    """Return the cookie's name; it includes the port of the Host header, since browsers share cookies between ports."""
    return f"fmp-owner-{split_host(host)[1] or _DEFAULT_PORTS['http']}"


def split_host(header: str) -> tuple[str, str]:
    """Return the name or address of a Host header and its port; an invalid name becomes empty."""
    match = _HOST.fullmatch(header.strip().lower())
    return ("", "") if match is None else (match[1].strip("[]").removesuffix("."), match[2] or "")


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """Return the IP address that a text states, or None; an IPv6 address that maps an IPv4 one becomes the latter."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        version_4 = IPv4Address(int(address) & 0xFFFFFFFF)
        return version_4 if version_4.is_global else address
    return address.ipv4_mapped or address


def _is_loopback(host: str) -> bool:
    address = address_in(host)
    return host == LOCAL_NAME or (address is not None and address.is_loopback)


def forwarded_network(header: str) -> str | None:
    """Return the last public network in an X-Forwarded-For header; entries before it may be forged by the client.

    Some proxies write the port of a connection with its address.
    """
    steps = [step.strip() for step in reversed(header.split(","))]
    addresses = [address_in(split_host(step)[0] or step) for step in steps]
    return next((network_of(address) for address in addresses if address is not None and address.is_global), None)


def network_of(address: IPv4Address | IPv6Address) -> str:
    """Return the network of an address: a client with one IPv6 address has 2 ** 64 of them, which share a network."""
    return str(address) if address.version == 4 else str(IPv6Address(int(address) >> 64 << 64))  # noqa: PLR2004
