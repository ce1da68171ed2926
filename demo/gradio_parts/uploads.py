"""Uploaded files, each deleted as soon as the last answer that needs it is given.

Every upload has a path of its own, see :mod:`demo.serving.uploads.upload_parsing`. The ledger counts the pending
answers for each path, since a program may name a path again; the last answer deletes the file. Uploads that no request
names are deleted by the sweep, see :mod:`demo.serving.uploads.upload_folder`.
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

_MANY = 1000  # entries after which the ledger drops deleted paths
GIVER = "fixmypose.network"  # key in the scope of an upload: the sender's network


class UploadLedger:
    """The ledger of uploads: the number of pending answers for each file."""

    def __init__(self) -> None:
        self._needed: Counter[str] = Counter()
        self._givers: dict[str, str] = {}
        self._lock = threading.Lock()

    def received(self, path: str, giver: str = "") -> None:
        """Register an upload stored at ``path`` from the network ``giver``; one more answer needs it."""
        with self._lock:
            if len(self._needed) > _MANY:
                self._needed = Counter({known: count for known, count in self._needed.items() if Path(known).exists()})
                self._givers = {known: giver for known, giver in self._givers.items() if known in self._needed}
            self._needed[path] += 1
            self._givers[path] = giver

    def giver(self, path: str) -> str | None:
        """Return the network that an upload came from: empty if unknown, None if ``path`` is not an upload."""
        return self._givers.get(path)

    def waits(self, path: str) -> bool:
        """Return whether a pending answer needs an upload stored at ``path``."""
        with self._lock:
            return self._needed[path] > 0

    def used(self, path: str) -> None:
        """Count down ``path`` for one answer; delete the file if no other answer needs it."""
        with self._lock:
            self._needed[path] -= 1
            if self._needed[path] > 0:
                return
            del self._needed[path]
            self._givers.pop(path, None)
            file = Path(path)
            with contextlib.suppress(OSError, ValueError):  # swept, not a file, or folder not empty
                file.unlink(missing_ok=True)
                file.parent.rmdir()

    def drop(self, path: str) -> None:
        """Remove ``path`` from the ledger for all answers: the sweep deletes the file."""
        with self._lock:
            self._needed.pop(path, None)
            self._givers.pop(path, None)

    def forget(self, uploads: Iterable[Sent]) -> None:
        """Count down all paths of one answer; skip photographs that came without a file."""
        for path in uploads:
            if isinstance(path, str):
                self.used(path)


def read_upload(path: Sent, which: str, **counted: int) -> bytes:
    """Return the bytes of an upload; bytes are returned unchanged.

    Of a file that is too large, only one byte more than allowed is read, which is enough to reject it.

    Raise :class:`BadInputError` about the photograph (see its ``about``): ``photo_missing``, ``photo_is_address``, or
    the code of a :class:`NoPhotograph`.
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
    """ASGI middleware that registers each path returned by Gradio's upload route in the ledger."""

    def __init__(self, app: ASGIApp, ledger: UploadLedger) -> None:
        self._app = app
        self._ledger = ledger

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; read the response of a successful upload."""
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

        # Without a query string Gradio keeps no progress of the upload, which it would never delete.
        await self._app({**scope, "query_string": b""}, receive, read_along)
