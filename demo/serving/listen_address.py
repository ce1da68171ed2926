"""Listen address: check before startup that the app can use it, with errors of one sentence."""

from __future__ import annotations

import errno
import socket

from demo.settings import Settings, SettingsError

# A port still held by a closed connection is free. On Windows SO_REUSEADDR would also allow a port in use.
_ONE_LISTENER = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)


def check_port(settings: Settings) -> None:
    """Raise :class:`SettingsError` if the host is not an address of this machine, or the port is not available."""
    try:
        ((family, kind, protocol, _, place), *_) = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM
        )
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, _ONE_LISTENER, 1)
            probe.bind(place)
    except PermissionError:
        raise SettingsError(
            f"FMP_PORT must be a port that this user may open; {settings.port} is reserved for the system."
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(port_in_use(settings)) from None
        raise SettingsError(f"FMP_HOST must be an address of this machine; {settings.host} is not.") from None


def port_in_use(settings: Settings) -> str:
    """Return the error message for a port that another program uses."""
    return f"FMP_PORT must be a free port; {settings.port} is taken."
