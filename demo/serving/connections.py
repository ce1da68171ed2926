"""Connections: limited in total and per network, with a deadline for each request head.

Uvicorn waits for the rest of a head as long as a client likes, and accepts connections until no file can be opened.
Here a connection that waits for a head is closed to admit a new one, the longest waiting first: a browser sends its
head at once.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import h11

from demo.gradio_parts.gradio_internals import http_server, replace
from demo.serving.host_names import address_in, network_of

_system: Any  # Windows has no such limits
try:
    import resource
except ImportError:
    _system = None
else:
    _system = resource

if TYPE_CHECKING:
    import asyncio
    import socket

    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol as HttpProtocol
else:
    from uvicorn.protocols.http.auto import AutoHTTPProtocol as HttpProtocol

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


def install() -> None:
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
