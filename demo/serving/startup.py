"""Preparation of the process: native memory, the listen address, the log, and the resources for annotation answers.

The app imports this module first, so what takes long is imported where it is used.

Native memory has few malloc arenas, so that memory freed by one thread serves another. glibc gives each thread of a
server its own arena, up to eight per core, and returns little memory from any. Under steady load memory grows with
every thread that handles its largest request, long after startup.

The listen address is checked before startup, with errors of one sentence. The log is plain: text from a client can
neither imitate a log line nor send terminal control codes. The resources for annotation answers are opened before slow
imports: the pseudonym key, the campaign and the store.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import socket
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from demo.settings import Settings, SettingsError

if TYPE_CHECKING:
    from annotate.campaigns import Campaign
    from annotate.storage import Store

ARENAS = 2
_M_ARENA_MAX = -8  # from malloc.h
# A port still held by a closed connection is free. On Windows SO_REUSEADDR would also allow a port in use.
_ONE_LISTENER = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
_MAX_CHARS = 1000  # of a line


def keep_few_arenas() -> bool:
    """Limit the arenas of the allocator and return whether it accepted the limit; call before threads start."""
    if not sys.platform.startswith("linux"):
        return False
    limit = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has neither mallopt nor arenas
    return limit is not None and limit(_M_ARENA_MAX, ARENAS) == 1


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


class PlainRecord(logging.LogRecord):
    """A log record whose message is one line; lines of a traceback are indented."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  as logging has them
        super().__init__(*arguments, **options)
        if self.exc_info and self.exc_info[1] is not None:
            told = "".join(traceback.format_exception(self.exc_info[1]))
            self.exc_text = "\n".join(f"  {plain(line)}" for line in told.splitlines())

    def getMessage(self) -> str:  # noqa: N802  logging's name
        """Return the message with its control characters escaped."""
        return plain(super().getMessage())


def plain(line: str) -> str:
    """Return a line with non-printable characters escaped, truncated if it is long."""
    line = line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…"
    if line.isprintable():
        return line
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


def install_plain_log() -> None:
    """Make all log records plain from now on."""
    logging.setLogRecordFactory(PlainRecord)


@dataclass(frozen=True)
class OpenedAnswers:
    """The pseudonym key, the campaign and the store of one app."""

    key: bytes
    campaign: Campaign
    store: Store


def open_answers(settings: Settings) -> OpenedAnswers:
    """Open the resources; raise :class:`annotate.errors.RefusedError` if a setting prevents it."""
    # These imports take a second: report a wrong setting before them.
    from annotate.campaigns import Campaign, find_campaign  # noqa: PLC0415
    from annotate.disks import close_to_others  # noqa: PLC0415
    from annotate.identity import pseudonym_key  # noqa: PLC0415
    from annotate.storage import open_store, store_path  # noqa: PLC0415

    campaign = Campaign.open(find_campaign(settings.campaign))
    close_to_others(settings.data_dir)
    key = pseudonym_key(settings.pseudonym_key, settings.data_dir)
    return OpenedAnswers(key, campaign, open_store(settings.database_url or store_path(settings.data_dir)))
