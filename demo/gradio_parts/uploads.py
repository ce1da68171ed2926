"""Uploaded files: each lives until the answer that needs it is given, and not a moment longer.

Every upload has a path of its own, see :mod:`demo.serving.uploads.upload_parsing`. The ledger counts who still waits
for a path, which a program may name again; the last answer removes it. What nobody ever asked about is swept away, see
:mod:`demo.serving.uploads.upload_folder`.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from demo.gradio_parts.components import NoPhotograph, Sent, is_address
from fmp_models.common.hostile_photograph import MAX_BYTES
from fmp_models.errors import BadInputError
from fmp_models.files.bounded import read_bounded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_MANY = 1000  # entries after which the ledger forgets paths that are gone
GIVER = "fixmypose.network"  # in the scope of an upload: the network that it comes from


class UploadLedger:
    """The ledger of uploads: how many answers still need each file."""

    def __init__(self) -> None:
        self._needed: Counter[str] = Counter()
        self._givers: dict[str, str] = {}
        self._lock = threading.Lock()

    def received(self, path: str, giver: str = "") -> None:
        """Enter an upload that was stored at ``path`` from the network ``giver``; one answer will need it."""
        with self._lock:
            if len(self._needed) > _MANY:
                self._needed = Counter({known: count for known, count in self._needed.items() if Path(known).exists()})
                self._givers = {known: giver for known, giver in self._givers.items() if known in self._needed}
            self._needed[path] += 1
            self._givers[path] = giver

    def giver(self, path: str) -> str | None:
        """Return the network that an upload came from, empty where that is not known; None for no upload."""
        return self._givers.get(path)

    def waits(self, path: str) -> bool:
        """Whether an upload was stored at ``path`` that some answer still needs."""
        with self._lock:
            return self._needed[path] > 0

    def used(self, path: str) -> None:
        """Strike ``path`` off for one answer; the file goes when no other answer needs it."""
        with self._lock:
            self._needed[path] -= 1
            if self._needed[path] > 0:
                return
            del self._needed[path]
            self._givers.pop(path, None)
            file = Path(path)
            with contextlib.suppress(OSError, ValueError):  # swept before, no file at all, or a neighbour lies there
                file.unlink(missing_ok=True)
                file.parent.rmdir()

    def drop(self, path: str) -> None:
        """Strike ``path`` off for all: it is swept away."""
        with self._lock:
            self._needed.pop(path, None)
            self._givers.pop(path, None)

    def forget(self, uploads: Iterable[Sent]) -> None:
        """Strike all of these paths off for one answer; what never came, or came without a file, is passed over."""
        for path in uploads:
            if isinstance(path, str):
                self.used(path)


def read_upload(path: Sent, which: str, **counted: int) -> bytes:
    """The bytes of an upload, one more than allowed at most, which is enough to refuse it; bytes are there already.

    Raises :class:`BadInputError` about the photograph (see its ``about``): ``photo_missing``, ``photo_is_address``, or
    what else is wrong with what came in place of one.
    """
    if isinstance(path, bytes):
        return path
    if isinstance(path, NoPhotograph):
        raise BadInputError(path.code).about(which, **counted)
    if path is None:
        raise BadInputError("photo_missing").about(which, **counted)
    if is_address(path):
        raise BadInputError("photo_is_address").about(which, **counted)
    try:
        return read_bounded(Path(path), MAX_BYTES)
    except BadInputError:
        raise BadInputError("photo_missing").about(which, **counted) from None


class CountUploads:
    """ASGI middleware: tells the ledger each path that Gradio's upload route hands out."""

    def __init__(self, app: ASGIApp, ledger: UploadLedger) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; read along where a successful upload answers."""
        if scope["type"] != "http" or scope["method"] != "POST" or not scope["path"].endswith("/upload"):
            await self._app(scope, receive, send)
            return
        body = bytearray()
        good = False

        async def read_along(message: Message) -> None:
            nonlocal good
            if message["type"] == "http.response.start":
                good = message["status"] == 200  # noqa: PLR2004 - the HTTP status
            elif message["type"] == "http.response.body":
                body.extend(message.get("body", b""))
                if good and not message.get("more_body", False):
                    for path in json.loads(bytes(body)):
                        self._ledger.received(str(path), str(scope.get(GIVER, "")))
            await send(message)

        # Gradio would keep the progress of an upload that names itself for ever.
        await self._app({**scope, "query_string": b""}, receive, read_along)
