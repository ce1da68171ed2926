"""The listen address: whether the app can use it, asked before anybody can come, and said in one sentence."""

from __future__ import annotations

import errno
import socket

from demo.settings import Settings, SettingsError

# A port that a closed connection still has is free. Windows means by that word a port that another program has, too.
_ONE_LISTENER = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)


def demand_place(settings: Settings) -> None:
    """Raise :class:`SettingsError` where the host is not this machine's, or the port cannot be had."""
    try:
        ((family, kind, protocol, _, place), *_) = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM
        )
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, _ONE_LISTENER, 1)
            probe.bind(place)
    except PermissionError:
        message = f"FMP_PORT must be a port that this user may open; {settings.port} is for the system's own programs."
        raise SettingsError(message) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(port_in_use(settings)) from None
        message = f"FMP_HOST must be an address of this machine; {settings.host} is none."
        raise SettingsError(message) from None


def port_in_use(settings: Settings) -> str:
    """The sentence about a port where another program listens."""
    return f"FMP_PORT must be a free port; {settings.port} is taken."
