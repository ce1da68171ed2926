"""Identity: a Hub login on a Space, or a guest on one's own machine; only a keyed pseudonym of it is stored.

The Hub verifies a login. A guest's id is a random word that the browser keeps: it is an unverified claim,
and anyone who has the id is that guest. A made-up id only adds one more guest; it cannot impersonate
another, since ids have 128 bits and no guest shares a pseudonym with a login. So guests are meant for
one's own machine, where they cannot be told from its owner anyway, and a Space admits them only if
``FMP_ALLOW_GUESTS`` says so. The id of a participant of a payment service is unverified in the same way.

A pseudonym is an HMAC-SHA256 of the name: it cannot be reversed, and cannot be computed again once the key
is lost.
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

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from annotate.disks import close_file_to_others, disk_refusal, make_private_folder
from annotate.errors import RefusedError

KEY_FILE = "pseudonym.key"
MAX_NAME_CHARS = 40  # characters of a displayed name
_KEY_BYTES = 32
_NONCE_BYTES = 12
_PSEUDONYM_LETTERS = 32  # hexadecimal digits: 128 bits
_GUEST_ID = re.compile(r"[0-9a-f]{32}")
_HUB_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?")

Via = Literal["hub", "guest"]


@dataclass(frozen=True)
class IdentitySettings:
    """Settings of identity: ``key`` makes pseudonyms; ``admins`` are Hub names of owners, in any case.

    ``guests_are_owners`` is set only on one's own machine: the app listens on a loopback address, has no
    public name and is no Space. Even then, guests are owners only if they call from that machine with the
    owner's token, see :class:`Caller`.
    """

    key: bytes = field(repr=False)
    admins: frozenset[str] = frozenset()
    allow_guests: bool = False
    guests_are_owners: bool = False

    def __post_init__(self) -> None:
        """Fold the case of the admins' names, since Hub names differ in case only for display."""
        object.__setattr__(self, "admins", frozenset(name.casefold() for name in self.admins))


@dataclass(frozen=True)
class Annotator:
    """The annotator behind a request: the stored pseudonym, and a name shown only to them, possibly empty.

    ``address`` is used to count requests and is never stored.
    """

    pseudonym: str
    name: str
    is_owner: bool
    via: Via
    address: str | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Caller:
    """The origin of a request: the network ``address`` if known; ``is_here`` if it is this machine, with the token."""

    address: str | None = None
    is_here: bool = False


NOWHERE = Caller()  # unknown origin


def identify(  # noqa: PLR0913, PLR0917  each is a fact about the sender
    hub_name: str | None,
    guest_id: str | None,
    settings: IdentitySettings,
    guest_name: str = "",
    caller: Caller = NOWHERE,
    participant: str = "",
) -> Annotator:
    """Return the annotator behind a request: the login ``hub_name``, verified by the server, else the guest.

    A guest sent by a payment service is its ``participant``, in any browser.

    Raise :class:`RefusedError`: ``login_needed`` without a login if guests are not admitted, ``guest_unknown``
    for an id that :func:`new_guest_id` cannot have made.
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
    """Return a random id for a guest's browser to keep."""
    return secrets.token_hex(16)


def clean_name(name: object) -> str:
    """Return a name fit for display, at most ``MAX_NAME_CHARS`` characters; empty if it is not a string.

    It is one line, without control, format or unassigned characters.
    """
    if not isinstance(name, str):
        return ""
    # Joiners are format characters too, but Hindi names need them.
    printable = (
        mark if mark in "\u200c\u200d" or unicodedata.category(mark)[0] != "C" else " " for mark in name[:1000]
    )
    return " ".join(unicodedata.normalize("NFC", "".join(printable)).split())[:MAX_NAME_CHARS].strip()


def pseudonym_key(configured: str, folder: Path) -> bytes:
    """Return the key that makes pseudonyms: ``configured``, else the one in ``folder``, created at the first start.

    Only its owner may read the file. Raise :class:`RefusedError`: ``key_unusable``, ``disk_…``.
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
    except OSError as error:  # the key may be intact and must not be replaced
        raise disk_refusal(error, path) from None
    except ValueError:
        raise RefusedError("key_unusable", path=str(path)) from None
    if len(key) != _KEY_BYTES:
        raise RefusedError("key_unusable", path=str(path))
    return key


def _make_key(path: Path) -> None:
    """Write a new key atomically, without replacing one that another process wrote first."""
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
    """Return a hexadecimal HMAC-SHA256 of words; different lists of words give different messages."""
    message = b"".join(len(data).to_bytes(8) + data for data in (word.encode() for word in words))
    return hmac.digest(key, message, hashlib.sha256).hex()


def encrypt(key: bytes, text: str, owner: str) -> str:
    """Return a text encrypted with AES-GCM; only the pseudonym key and the same ``owner`` decrypt it."""
    nonce = secrets.token_bytes(_NONCE_BYTES)
    return (nonce + _cipher(key).encrypt(nonce, text.encode(), owner.encode())).hex()


def decrypt(key: bytes, encrypted: str, owner: str) -> str | None:
    """Return an encrypted text; None if it has another key or owner, or was changed."""
    try:
        data = bytes.fromhex(encrypted)
        return _cipher(key).decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], owner.encode()).decode()
    except (InvalidTag, ValueError):
        return None


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), _KEY_BYTES, salt=None, info=b"fixmypose participants").derive(key))
