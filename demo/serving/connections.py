"""Connections, the host names that they may ask for, and the visitors behind them.

Connections are limited in total and per network, with a deadline for each request head. Uvicorn waits for the rest of a
head as long as a client likes, and accepts connections until no file can be opened. Here a connection that waits for a
head is closed to admit a new one, the longest waiting first: a browser sends its head at once.

A foreign page can reach an app on this machine through the browser of its user: by a name that resolves to 127.0.0.1,
or by sending to that address directly. So the host must be one of the app's own names, and a request from a page must
have this page as its origin. Numeric addresses are served, since no name service can redirect them.

A visitor, as the queue distinguishes them, is a network address and a visit from there.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import h11
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from annotate.identity import NOWHERE, Caller
from demo.gradio_parts import GRADIO_PREFIX, http_server, replace
from demo.i18n import text
from demo.settings import OWNER_PARAMETER, Settings

if TYPE_CHECKING:
    import asyncio
    import socket

    import uvicorn
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as HttpProtocol

_system: Any  # Windows has no such limits
try:
    import resource
except ImportError:
    _system = None
else:
    _system = resource


HEAD_SECONDS = 10.0
REFUSED_BODY_SECONDS = 30.0  # for the rest of a body that was answered early: closing at once would lose the response
MAX_CONNECTIONS = 4096
NETWORK_SHARE = 1 / 8  # of all connections, for one public network
_FILES_OF_MACOS = 10_240  # largest soft limit on macOS, although it reports an unlimited hard one
_REFUSED_ACCEPT = "socket.accept() out of system resource"  # start of asyncio's message
_LOG_SECONDS = 60.0


class BoundedProtocol(HttpProtocol):
    """Uvicorn's HTTP/1.1 protocol with a deadline for each request head and limits on all connections together."""

    head_seconds = HEAD_SECONDS
    refused_body_seconds = REFUSED_BODY_SECONDS
    max_connections = MAX_CONNECTIONS

    _network = ""
    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0  # time of opening or of the last activity

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn narrows it
        """Start the deadline of the first head; close a waiting connection if this one exceeds a limit."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._network = self.network(self.client[0] if self.client else "")
        self._start_clock()
        if self._network:
            of_network = [one for one in self._others() if getattr(one, "_network", "") == self._network]
            self._make_room(of_network, int(self.max_connections * NETWORK_SHARE))
        if len(self.connections) > self.max_connections:
            self._make_room(self._others(), self.max_connections)

    def data_received(self, data: bytes) -> None:
        """Stop the deadline while a request is active; start it with the first byte of the next head."""
        super().data_received(data)
        if self._is_busy() or self not in self.connections:  # a WebSocket has taken over the connection
            self._since = self.loop.time()
            self._stop_clock()
        elif self._deadline is None:
            self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline."""
        self._stop_clock()
        super().connection_lost(exc)

    @staticmethod
    def network(host: str) -> str:
        """Return the public network that a connection counts for; empty if it may be that of a proxy."""
        address = address_in(host)
        return network_of(address) if address is not None and address.is_global else ""

    def _others(self) -> list[Any]:
        """Return all other connections that are not closing, including those of WebSockets."""
        return [
            one
            for one in self.connections
            if one is not self and one.transport is not None and not one.transport.is_closing()
        ]

    def _make_room(self, others: list[Any], bound: int) -> None:
        """Close the longest waiting of the others if they reach the limit, or this connection if none waits."""
        if len(others) >= bound:
            waiting = [one for one in others if isinstance(one, BoundedProtocol) and one._is_waiting()]  # noqa: SLF001
            min(waiting, key=lambda one: one._since, default=self).transport.close()  # noqa: SLF001

    def _is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _is_waiting(self) -> bool:
        return not self._is_busy() and not self.transport.get_write_buffer_size()

    def _start_clock(self) -> None:
        seconds = self.refused_body_seconds if self._has_body_left() else self.head_seconds
        self._deadline = self.loop.call_later(seconds, self.transport.close)

    def _has_body_left(self) -> bool:
        """Return whether the body of the last request is still arriving; httptools does not report its end."""
        connection = getattr(self, "conn", None)
        if isinstance(connection, h11.Connection):
            return connection.their_state is h11.SEND_BODY
        return self.cycle is not None and self.cycle.more_body

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class BoundedServer(http_server.Server):
    """Gradio's server with limited connections.

    Asyncio accepts as many connections in a row as the backlog holds. If no file can be opened, each attempt fails,
    logs and sets a timer, and each timer repeats this. So the server accepts one connection at a time; the kernel's
    backlog keeps its size.
    """

    def __init__(self, config: uvicorn.Config, *args: Any, **options: Any) -> None:  # noqa: ANN401  as Gradio has them
        """Set the protocol and the backlog in the configuration."""
        config.http = BoundedProtocol if config.http == "auto" else config.http
        self._backlog = config.backlog
        if os.name == "posix":  # elsewhere a second call of listen has no effect
            config.backlog = 1
        super().__init__(config, *args, **options)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then restore the configured backlog."""
        await super().startup(sockets)
        for listener in [listener for server in self.servers for listener in server.sockets]:
            with listener.dup() as same:
                same.listen(self._backlog)


def limit_connections() -> None:
    """Limit the connections of every server started from now on."""
    files = raise_file_limit()
    if files is not None:
        BoundedProtocol.max_connections = min(MAX_CONNECTIONS, files // 2)
    replace("server", BoundedServer)
    log = logging.getLogger("asyncio")
    if not any(isinstance(one, RareRefusedAccepts) for one in log.filters):
        log.addFilter(RareRefusedAccepts())


def raise_file_limit() -> int | None:
    """Raise the soft limit of open files to the hard one and return it; None if there is no limit."""
    if _system is None:
        return None
    soft, hard = _system.getrlimit(_system.RLIMIT_NOFILE)
    for wanted in (hard, _FILES_OF_MACOS):
        if soft not in {hard, _system.RLIM_INFINITY} and (wanted == hard or soft < wanted):
            with suppress(OSError, ValueError):
                _system.setrlimit(_system.RLIMIT_NOFILE, (wanted, hard))
                break
    soft = _system.getrlimit(_system.RLIMIT_NOFILE)[0]
    return None if soft == _system.RLIM_INFINITY else soft


class RareRefusedAccepts(logging.Filter):
    """Filter of asyncio's log: reports at most once a minute, in one line, that a connection could not be accepted.

    Asyncio logs a traceback for each attempt.
    """

    _said = -_LOG_SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged."""
        if not record.getMessage().startswith(_REFUSED_ACCEPT):
            return True
        if time.monotonic() - self._said < _LOG_SECONDS:
            return False
        self._said = time.monotonic()
        record.msg, record.args = "Connections wait: the app may open no more files.", ()
        record.exc_info = record.exc_text = None
        return True


LOCAL_NAME = "localhost"
SPACES = ".hf.space"
HUB = "huggingface.co"  # shows a Space in an iframe
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
        asks = kind == "websocket" or method not in _READING or GRADIO_PREFIX in path
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
