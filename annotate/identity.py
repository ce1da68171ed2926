"""Identity: a Hub login on a Space, or a guest on one's own machine; kept only as a keyed pseudonym.

The Hub vouches for a login. A guest's id is a random word that the browser keeps: it is a claim and nothing more, and
whoever holds it is that guest. A made-up id is one more guest and can be nobody else, since ids have 128 bits and no
guest shares a pseudonym with a login; all that it gains is one more voice. So guests are for one's own machine, where
they cannot be told from its owner anyway, and a Space takes them only where ``FMP_ALLOW_GUESTS`` says so. The id of
a participant of a payment service is such a claim too: whoever has it is that participant.

A pseudonym is an HMAC-SHA256 of the name, so it cannot be undone, nor made again once the key is lost.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import unicodedata
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from annotate.errors import RefusedError
from annotate.files.disks import close_file_to_others, disk_refusal, make_private_folder

KEY_FILE = "pseudonym.key"
MAX_NAME_CHARS = 40  # characters of a name shown
_KEY_BYTES = 32
_PSEUDONYM_LETTERS = 32  # of the hexadecimal digest: 128 bits
_GUEST_ID = re.compile(r"[0-9a-f]{32}")
_HUB_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?")

Via = Literal["hub", "guest"]


@dataclass(frozen=True)
class IdentitySettings:
    """``key`` makes pseudonyms; ``admins`` are Hub names of owners, in any case.

    ``guests_are_owners`` on one's own machine alone: the app listens on a loopback address, has no public name and is
    no Space. Even then they are where they call from that machine with the owner's token, see :class:`Caller`.
    """

    key: bytes = field(repr=False)
    admins: frozenset[str] = frozenset()
    allow_guests: bool = False
    guests_are_owners: bool = False

    def __post_init__(self) -> None:
        """Names of the Hub differ in case only for the eye."""
        object.__setattr__(self, "admins", frozenset(name.casefold() for name in self.admins))


@dataclass(frozen=True)
class Annotator:
    """Whoever speaks in one request: the pseudonym that is kept, and a name that they alone are shown, or none.

    The ``address`` is there to count requests by, and kept nowhere.
    """

    pseudonym: str
    name: str
    is_owner: bool
    via: Via
    address: str | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Caller:
    """Where a press comes from: the network ``address`` if known, and ``is_here`` from this machine with the token."""

    address: str | None = None
    is_here: bool = False


NOWHERE = Caller()  # whatever cannot be told


def identify(  # noqa: PLR0913, PLR0917  all that a request may tell of who sent it
    hub_name: str | None,
    guest_id: str | None,
    settings: IdentitySettings,
    guest_name: str = "",
    caller: Caller = NOWHERE,
    participant: str = "",
) -> Annotator:
    """The annotator behind a request: ``hub_name`` of the login that the server itself checked, else the guest.

    A guest whom a payment service sent is its ``participant``, in whichever browser they go on.

    Raise :class:`RefusedError`: ``login_needed`` without a login where guests are not taken, ``guest_unknown`` for an
    id that :func:`new_guest_id` cannot have made.
    """
    if hub_name is not None:
        if not _HUB_NAME.fullmatch(hub_name):
            raise RefusedError("login_needed")
        name = hub_name.casefold()
        return Annotator(_pseudonym("hub", name, settings), hub_name, name in settings.admins, "hub", caller.address)
    if not settings.allow_guests:
        raise RefusedError("login_needed")
    if not isinstance(guest_id, str) or not _GUEST_ID.fullmatch(guest_id):
        raise RefusedError("guest_unknown")
    known = ("participant", participant) if participant else ("guest", guest_id)
    pseudonym = _pseudonym(*known, settings)
    is_owner = settings.guests_are_owners and caller.is_here
    return Annotator(pseudonym, clean_name(guest_name), is_owner, "guest", caller.address)


def new_guest_id() -> str:
    """A random id for a guest's browser to keep."""
    return secrets.token_hex(16)


def clean_name(name: object) -> str:
    """A name fit to be shown: one line, no control, format or unassigned characters, and not long; else empty."""
    if not isinstance(name, str):
        return ""
    # Joiners are format characters too, but Hindi names are written with them.
    printable = (
        mark if mark in "\u200c\u200d" or unicodedata.category(mark)[0] != "C" else " " for mark in name[:1000]
    )
    return " ".join(unicodedata.normalize("NFC", "".join(printable)).split())[:MAX_NAME_CHARS].strip()


def pseudonym_key(configured: str, folder: Path) -> bytes:
    """The key that makes pseudonyms: ``configured``, else the one kept in ``folder``, made at the first start.

    The file is its owner's alone. Raise :class:`RefusedError`: ``key_unusable``, ``disk_…``.
    """
    if configured:
        return hashlib.sha256(configured.encode()).digest()
    path = folder / KEY_FILE
    try:
        make_private_folder(folder)
        with suppress(FileExistsError):
            _make_key(path)
        close_file_to_others(path)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except OSError as error:  # nothing is wrong with the key, and it has to stay as it is
        raise disk_refusal(error, path) from None
    except ValueError:
        raise RefusedError("key_unusable", path=str(path)) from None
    if len(key) != _KEY_BYTES:
        raise RefusedError("key_unusable", path=str(path))
    return key


def _make_key(path: Path) -> None:
    """Write a new key; whole or not at all, and never over one that another process was first to make."""
    if path.exists():
        return
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(f"{secrets.token_hex(_KEY_BYTES)}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(temporary)
    finally:
        temporary.unlink()


def _pseudonym(known_by: str, name: str, settings: IdentitySettings) -> str:
    return keyed(settings.key, known_by, name)[:_PSEUDONYM_LETTERS]


def keyed(key: bytes, *words: str) -> str:
    """A hexadecimal HMAC-SHA256 of words; no two lists of words read the same."""
    message = b"".join(len(data).to_bytes(8) + data for data in (word.encode() for word in words))
    return hmac.digest(key, message, hashlib.sha256).hex()
