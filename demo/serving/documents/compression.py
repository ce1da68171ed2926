"""Compression of documents, scripts, styles and drawings; each version is compressed once and cached.

Event streams, uploads, photographs and responses to POST requests are not compressed.
"""

from __future__ import annotations

import gzip
import re
from collections import OrderedDict
from hashlib import blake2b
from typing import TYPE_CHECKING

import anyio.to_thread
import brotli
from starlette.datastructures import Headers, MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_COMPRESSIBLE = re.compile(r"(text/(html|css|javascript)|application/(javascript|json)|image/svg\+xml)\b")
_HASHED = re.compile(r"/assets/.+-[\w-]{8,}\.\w+$")  # the name changes with the content
_NEVER = re.compile(r"/(gradio_api|live)/")
_NOT_WANTED = re.compile(r";\s*q=0(\.0*)?\s*$")  # marks an encoding as not accepted
_FOR_A_YEAR = "public, max-age=31536000, immutable"
_MIN_BYTES = 400
_MAX_BYTES = 4_000_000  # of a body that is buffered for compression
_MAX_KEPT_BYTES = 30_000_000  # size of the cache of compressed bodies, least recently used first out
_GZIP_LEVEL = 6
_ONCE, _OFTEN = 11, 9  # Brotli's qualities: for a file that never changes, and for a document


class Compress:
    """ASGI middleware that compresses bodies in an encoding the browser accepts, and lets it cache hashed files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[bytes, str], bytes] = OrderedDict()
        self._kept_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        path = str(scope.get("path", ""))
        if scope["type"] != "http" or scope["method"] != "GET" or _NEVER.search(path):
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Answer(self, Headers(scope=scope), path, send).send)

    async def body(self, body: bytes, encoding: str, *, lasting: bool) -> bytes:
        """Return a body in an encoding, from the cache if it was compressed before."""
        key = blake2b(body, digest_size=16).digest(), encoding
        compressed = self._kept.get(key)
        if compressed is None:
            compressed = await anyio.to_thread.run_sync(_compressed, body, encoding, lasting)
            self._kept_bytes += len(compressed) - len(self._kept.get(key, b""))
            self._kept[key] = compressed
        self._kept.move_to_end(key)
        while self._kept_bytes > _MAX_KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return compressed


class _Answer:
    """One response in progress, held back while it may be compressed."""

    def __init__(self, compress: Compress, asked: Headers, path: str, send: Send) -> None:
        self._compress, self._path, self._send = compress, path, send
        wanted = [one for one in asked.get("accept-encoding", "").lower().split(",") if not _NOT_WANTED.search(one)]
        accepted = {one.partition(";")[0].strip() for one in wanted}
        self._encoding = next((one for one in ("br", "gzip") if one in accepted), "")
        self._start: Message | None = None
        self._held = bytearray()

    async def send(self, message: Message) -> None:
        """Pass a message on, or hold it until the body is complete."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=message["headers"])
            hashed = bool(_HASHED.search(self._path)) and message["status"] == 200  # noqa: PLR2004
            if hashed:
                headers["cache-control"] = _FOR_A_YEAR
            if message["status"] == 200 and self._may_compress(headers):  # noqa: PLR2004
                headers.add_vary_header("Accept-Encoding")
                if headers["content-type"].startswith("text/html"):  # its language depends on the request
                    headers.add_vary_header("Accept-Language")
                if self._encoding:
                    self._start = message
                    return
            await self._send(message)
        elif message["type"] != "http.response.body" or self._start is None:
            await self._send(message)
        else:
            self._held += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_whole(self._start)
            elif len(self._held) > _MAX_BYTES:  # too large: pass it on uncompressed
                start, self._start = self._start, None
                await self._send(start)
                await self._send({**message, "body": bytes(self._held)})

    @staticmethod
    def _may_compress(headers: Headers) -> bool:
        return "content-encoding" not in headers and bool(_COMPRESSIBLE.match(headers.get("content-type", "")))

    async def _send_whole(self, start: Message) -> None:
        body = bytes(self._held)
        if len(body) >= _MIN_BYTES:
            body = await self._compress.body(body, self._encoding, lasting=bool(_HASHED.search(self._path)))
            headers = MutableHeaders(raw=start["headers"])
            headers["content-encoding"] = self._encoding
            headers["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def _compressed(body: bytes, encoding: str, lasting: bool) -> bytes:  # noqa: FBT001  run_sync takes no names
    if encoding == "br":
        return bytes(brotli.compress(body, quality=_ONCE if lasting else _OFTEN))
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)
