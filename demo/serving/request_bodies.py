"""Request bodies, limited before parsing: their size, their duration, and the content of JSON.

There are four kinds. The files of an upload go straight to the upload folder. The photographs of a tool call go there
too while they arrive. Pictures for the live coach or for a loop stay in memory. Everything else is short and is JSON or
a form. Each rejection is one sentence.

JSON must be valid text of limited depth and with a limited number of values. Parsed, ``[],{}`` takes a hundred times
its size, and half a surrogate pair breaks code that writes it later. So the bytes of a body are scanned; the parser
decides whether it is valid JSON.

A tool call holds up to twenty-one photographs in one text. Parsing it as a whole would take half a gigabyte, so each
long ``data:...;base64,`` string becomes a file as it arrives, and the URL of the file replaces it in the text.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import errno
import logging
import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, BinaryIO

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse

from demo.gradio_parts import GRADIO_PREFIX
from demo.i18n import Text, asked_language, text
from demo.serving.connections import address_of
from demo.serving.uploads import GIVER, MAX_FILES, UploadFolder, upload_url
from fmp_models.common import MAX_BYTES, MAX_CANDIDATES

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


MAX_JSON_BYTES = 1_000_000  # bytes
MAX_PHOTOGRAPHS = MAX_CANDIDATES + 1  # in a tool call: the candidates and the current one
MAX_CALL_BYTES = MAX_PHOTOGRAPHS * (MAX_BYTES // 3 * 4 + 1000) + MAX_JSON_BYTES
MAX_UPLOAD_BYTES = MAX_PHOTOGRAPHS * (MAX_BYTES + 1000) + MAX_JSON_BYTES
LIVE_PREFIX = "/live/"  # prefix of the routes of demo.live.routes
MAX_FRAME_BYTES = 400_000  # bytes; enough for 480 pixels at any quality
MAX_LANDMARKS_BYTES = 16_000  # bytes; four times what the page sends
LOOK_PATH = f"{LIVE_PREFIX}look"  # route of demo.live.routes
LOOP_PATH = "/share/loop"  # route of demo.serving.routes
MAX_LOOP_BYTES = 6_000_000  # bytes
STALL_SECONDS = 30.0  # seconds without a byte
GRACE_SECONDS = 15.0  # extra seconds for a body on top of its time at the minimum speed
MIN_BYTES_PER_SECOND = 1000.0  # bytes per second
MAX_BODY_SECONDS = 600.0  # seconds for a body
MAX_PICTURE_SECONDS = 60.0  # seconds for a picture kept in memory
MAX_LOOK_SECONDS = 10.0  # seconds for a frame of a photo slot's camera, which occupies one of few places
_TOO_SLOW = 408  # status of a body that is too slow
_PIECE = 1 << 18  # bytes processed at once
_BETWEEN = 4_000_000  # bytes of an upload between checks of the folder

_MB = MAX_BYTES // 1_000_000
_TOO_LARGE = text("sent.too_large", limit_mb=MAX_JSON_BYTES // 1_000_000, route=f"{GRADIO_PREFIX}upload")
_CALL_TOO_LARGE = text("sent.call_too_large", most=MAX_PHOTOGRAPHS, limit_mb=_MB)
_UPLOAD_TOO_LARGE = text("sent.upload_too_large", most=MAX_PHOTOGRAPHS, limit_mb=_MB)
_PICTURE_TOO_LARGE = text("sent.picture_too_large", limit_mb=_MB)
_FRAME_TOO_LARGE = text("sent.frame_too_large", limit_kb=MAX_FRAME_BYTES // 1000)
_LANDMARKS_TOO_LARGE = text("sent.frame_too_large", limit_kb=MAX_LANDMARKS_BYTES // 1000)
_LOOP_TOO_LARGE = text("sent.loop_too_large", limit_mb=MAX_LOOP_BYTES // 1_000_000)
_IN_MEMORY = {
    f"{LIVE_PREFIX}goal": (MAX_BYTES, _PICTURE_TOO_LARGE),
    f"{LIVE_PREFIX}frame": (MAX_FRAME_BYTES, _FRAME_TOO_LARGE),
    f"{LIVE_PREFIX}landmarks": (MAX_LANDMARKS_BYTES, _LANDMARKS_TOO_LARGE),
    LOOK_PATH: (MAX_FRAME_BYTES, _FRAME_TOO_LARGE),
    LOOP_PATH: (MAX_LOOP_BYTES, _LOOP_TOO_LARGE),
}  # maximum bytes of routes that read their body themselves, and the error beyond it
_FULL, _SLOW, _UNTAKEN = map(text, ("sent.full", "sent.slow", "sent.untaken"))

_log = logging.getLogger(__name__)


class RefusedBodyError(Exception):
    """A body that is not read further; ``sentence`` says why."""

    def __init__(self, status: int, sentence: Text) -> None:
        self.status = status
        self.sentence = sentence
        super().__init__(sentence.default)


class BoundBodies:
    """ASGI middleware that passes on only bodies within their limits."""

    def __init__(self, app: ASGIApp, folder: UploadFolder) -> None:
        self._app = app
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests without a body."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        declared = headers.get("content-length", "")
        length = int(declared) if declared.isdecimal() else 0
        if not length and "transfer-encoding" not in headers:
            await self._app(scope, receive, send)
            return
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        _, _, route = str(scope["path"]).partition(GRADIO_PREFIX)
        try:
            if route == "upload":
                await self._take_upload(scope, receive, note, length)
            elif scope["path"] in _IN_MEMORY:
                await self._take_pictures(scope, receive, note, length)
            elif route == "mcp" or route.startswith("mcp/"):
                await self._hand_on(scope, receive, note, await self._tool_call(scope, receive, length))
            else:
                await self._hand_on(scope, receive, note, await _short(receive, length))
        except ClientDisconnect:
            return
        except RefusedBodyError as refused:
            if begun:
                raise
            language = asked_language(accepted=headers.get("accept-language", ""))
            sentence = refused.sentence.by_language[language]
            # The rest of a slow body is not read.
            more = {"connection": "close"} if refused.status == _TOO_SLOW else None
            await JSONResponse({"detail": sentence}, refused.status, more)(scope, receive, send)

    async def _take_pictures(self, scope: Scope, receive: Receive, send: Send, length: int) -> None:
        """Let a route read pictures itself, up to its own limit."""
        most, sentence = _IN_MEMORY[scope["path"]]
        too_large = RefusedBodyError(413, sentence)
        if length > most:
            raise too_large
        received = 0
        in_time = _in_time(receive, MAX_LOOK_SECONDS if scope["path"] == LOOK_PATH else MAX_PICTURE_SECONDS)

        async def bounded() -> Message:
            nonlocal received
            message = await in_time()
            received += len(message.get("body", b""))
            if received > most:
                raise too_large
            return message

        await self._app(scope, bounded, send)

    async def _hand_on(self, scope: Scope, receive: Receive, send: Send, body: bytes) -> None:
        """Pass a complete body on to the app if it may be parsed."""
        headers = Headers(scope=scope)
        if not headers.get("content-type", "").startswith(("multipart/", "application/x-www-form-urlencoded")):
            sentence = await anyio.to_thread.run_sync(fault, body)
            if sentence is not None:
                raise RefusedBodyError(400, sentence)
        other_headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
        scope = {**scope, "headers": [*other_headers, (b"content-length", str(len(body)).encode())]}
        await self._app(scope, _replay(receive, body), send)

    async def _tool_call(self, scope: Scope, receive: Receive, length: int) -> bytes:
        """Return the text of a tool call with each long photograph replaced by the URL of an upload."""
        if length > MAX_CALL_BYTES:
            raise RefusedBodyError(413, _CALL_TOO_LARGE)
        giver = address_of(Request(scope))
        short = 0 < length <= MAX_JSON_BYTES  # room is requested for each photograph by itself
        decoded = length * 3 // 4  # size after base64 decoding
        room = None if short else await anyio.to_thread.run_sync(_Room, self._folder, decoded, giver)
        call = _Call(self._folder, room, giver)
        try:
            with self._folder.arriving():
                async with aclosing(_pieces(receive)) as pieces:
                    async for piece in pieces:
                        await anyio.to_thread.run_sync(call.take, piece)
        except BaseException as error:
            call.give_up()
            if isinstance(error, OSError):
                raise RefusedBodyError(507, _FULL) from error
            raise
        return call.text()

    async def _take_upload(self, scope: Scope, receive: Receive, send: Send, length: int) -> None:
        """Let Gradio read files while there is room for them."""
        if length > MAX_UPLOAD_BYTES:
            raise RefusedBodyError(413, _UPLOAD_TOO_LARGE)
        giver = address_of(Request(scope))
        room = await anyio.to_thread.run_sync(_Room, self._folder, length, giver)
        scope = {**scope, GIVER: giver}
        received = 0
        in_time = _in_time(receive)

        async def counted() -> Message:
            nonlocal received
            message = await in_time()
            received += len(message.get("body", b""))
            if received > MAX_UPLOAD_BYTES:
                raise RefusedBodyError(413, _UPLOAD_TOO_LARGE)
            if room.is_due(received):
                await anyio.to_thread.run_sync(room.demand, received)
            return message

        try:
            with self._folder.arriving(giver, MAX_FILES, length):
                await self._app(scope, counted, send)
        except (RefusedBodyError, ClientDisconnect):
            raise
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            _log.warning("An upload was rejected: %r", error)
            raise RefusedBodyError(*((507, _FULL) if full else (400, _UNTAKEN))) from error
        except Exception as error:  # Gradio does not validate the type or name of a part
            _log.warning("An upload was rejected: %r", error)
            raise RefusedBodyError(400, _UNTAKEN) from error


class _Room:
    """Room in the folder for one body, requested by its declared length before it arrives, and again meanwhile."""

    def __init__(self, folder: UploadFolder, length: int, giver: str) -> None:
        self._folder = folder
        self._giver = giver
        self._let_in = self._looked = 0
        self._ask(length)

    def is_due(self, received: int) -> bool:
        """Return whether to :meth:`demand` room again."""
        return received - self._looked > _BETWEEN

    def demand(self, received: int) -> None:
        """Check the room again: other bodies may have arrived, or this one may exceed its declared length."""
        self._looked = received
        self._ask(max(0, received - self._let_in))

    def _ask(self, coming: int) -> None:
        if not self._folder.let_in(coming, self._giver):
            raise RefusedBodyError(507, _FULL)
        self._let_in += coming


class _Call:
    """A tool call while it arrives."""

    def __init__(self, folder: UploadFolder, room: _Room | None, giver: str) -> None:
        self._folder = folder
        self._giver = giver
        self._room = room
        self._photographs = DataUriReader(self._new_file, MAX_BYTES)
        self._files: list[Path] = []
        self._received = 0

    def take(self, piece: bytes) -> None:
        """Process the next piece, if the call stays within its limits."""
        self._received += len(piece)
        if self._received > MAX_CALL_BYTES:
            raise RefusedBodyError(413, _CALL_TOO_LARGE)
        if self._room is not None and self._room.is_due(self._received * 3 // 4):
            self._room.demand(self._received * 3 // 4)
        self._photographs.feed(piece)
        if self._photographs.size > MAX_JSON_BYTES:
            raise RefusedBodyError(413, _TOO_LARGE)

    def text(self) -> bytes:
        """Return the complete call without its photographs."""
        self._photographs.close()
        return bytes(self._photographs.rest)

    def give_up(self) -> None:
        """Delete all files of the call."""
        self._photographs.close()
        for path in self._files:
            self._folder.ledger.used(str(path))

    def _new_file(self) -> tuple[BinaryIO, str]:
        if len(self._files) == MAX_PHOTOGRAPHS:
            raise RefusedBodyError(413, _CALL_TOO_LARGE)
        if not self._folder.let_in(giver=self._giver):
            raise RefusedBodyError(507, _FULL)
        file, path = self._folder.new_file(self._giver)
        self._files.append(path)
        return file, upload_url(path)


async def _short(receive: Receive, length: int, most: int = MAX_JSON_BYTES, sentence: Text = _TOO_LARGE) -> bytes:
    """Return a body of at most ``most`` bytes; reject a larger one with ``sentence``."""
    if length > most:
        raise RefusedBodyError(413, sentence)
    body = bytearray()
    async with aclosing(_pieces(receive)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > most:
                raise RefusedBodyError(413, sentence)
    return bytes(body)


def _replay(receive: Receive, body: bytes) -> Receive:
    """Return a receiver that yields ``body`` first and then the remaining messages."""
    waiting = [body]

    async def replay() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replay


async def _pieces(receive: Receive) -> AsyncGenerator[bytes]:
    """Yield the body in large pieces; raise :class:`ClientDisconnect` if it does not arrive completely."""
    piece = bytearray()
    in_time = _in_time(receive)
    while True:
        message = await in_time()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        piece += message.get("body", b"")
        ended = not message.get("more_body", False)
        if piece and (ended or len(piece) >= _PIECE):
            yield bytes(piece)
            piece.clear()
        if ended:
            return


def _in_time(receive: Receive, longest: float = MAX_BODY_SECONDS) -> Receive:
    """Return a receiver that rejects the request if the next bytes, or all of them together, take too long."""
    waited, received = 0.0, 0  # seconds waited for the client only: a busy server makes no request late

    async def within() -> Message:
        nonlocal waited, received
        begun, longest_until_now = time.monotonic(), min(longest, GRACE_SECONDS + received / MIN_BYTES_PER_SECOND)
        try:
            message = await asyncio.wait_for(receive(), min(STALL_SECONDS, longest_until_now - waited))
        except TimeoutError:
            raise RefusedBodyError(_TOO_SLOW, _SLOW) from None
        waited += time.monotonic() - begun
        received += len(message.get("body", b""))
        return message

    return within


MAX_DEPTH = 32  # nesting of lists and objects
MAX_VALUES = 20_000

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{},]', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)  # group 1 is set only for the escapes of surrogates
_SECOND_HALF = 0xDC00


def fault(data: bytes | bytearray) -> Text | None:
    """Return what is wrong with the bytes of a JSON text, as one sentence; ``None`` if it may be parsed."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return text("sent.no_utf8")
    if b"\0" in data:  # Python would decode it as UTF-16
        return text("sent.no_utf8")
    depth = values = 0
    for token in _TOKEN.finditer(data):
        sign = token[0]
        if sign in b"[{":
            depth += 1
            values += 1
        elif sign in b"]}":
            depth -= 1
        elif sign == b",":
            values += 1
        elif b"\\u" in sign and _has_half_a_character(sign):
            return text("sent.half_character")
        if depth > MAX_DEPTH:
            return text("sent.too_deep", most=MAX_DEPTH)
        if values > MAX_VALUES:
            return text("sent.many_values", most=MAX_VALUES)
    return None


def _has_half_a_character(string: bytes) -> bool:
    """Return whether a JSON string has an escaped surrogate without its other half."""
    open_at = None  # where the second half must begin
    for escape in _ESCAPE.finditer(string):
        if open_at is not None and (escape[1] is None or escape.start() != open_at):
            return True
        if escape[1] is not None:
            second = int(escape[1], 16) >= _SECOND_HALF
            if second != (open_at is not None):
                return True
            open_at = None if second else escape.end()
    return open_at is not None


MIN_URI_CHARS = 16_000  # characters; shorter strings stay in the text: twenty-one of them fit into one megabyte
BROKEN = b'"data:,x"'  # replaces a photograph that cannot be decoded; the endpoint reports it as damaged

_START = re.compile(rb'"data:[a-zA-Z0-9.+/;=\\_-]{0,100};base64,', re.DOTALL)
_END = re.compile(rb'["\\]')
_SPACE = bytes(range(33))


class DataUriReader:
    """Incremental reader of a JSON text; it stores at most ``most`` + 1 bytes of each photograph, and the other text.

    ``new_file`` returns an open file and the URL that replaces the photograph.
    """

    def __init__(self, new_file: Callable[[], tuple[BinaryIO, str]], most: int) -> None:
        self.rest = bytearray()  # the text without its photographs
        self._new_file = new_file
        self._most = most
        self._in_string = False
        self._photograph: _Photograph | None = None
        self._waiting = b""  # start of a string that may be a photograph

    @property
    def size(self) -> int:
        """The number of bytes held of the text, without its photographs."""
        return len(self.rest) + len(self._waiting)

    def feed(self, data: bytes) -> None:
        """Read the next piece."""
        while data:
            data = self._feed_text(data) if self._photograph is None else self._feed_photograph(data)

    def close(self) -> None:
        """End the text, complete or not, and close any open file."""
        if self._photograph is not None:
            self._photograph.file.close()
            self._photograph = None
        self.rest += self._waiting
        self._waiting = b""

    def _feed_text(self, data: bytes) -> bytes:
        data = self._waiting + data
        self._waiting = b""
        at = 0
        while True:
            if self._in_string:
                end = _END.search(data, at)
                if end is None or (end[0] == b"\\" and end.end() == len(data)):
                    at = len(data) if end is None else end.start()
                    break
                self._in_string = end[0] == b"\\"
                at = end.end() + (end[0] == b"\\")
                continue
            begin = data.find(b'"', at)
            if begin < 0:
                at = len(data)
                break
            ends = data.find(b'"', begin + 1, begin + MIN_URI_CHARS) >= 0
            if not ends and len(data) - begin < MIN_URI_CHARS:
                at = begin  # it may still become long
                break
            start = None if ends else _START.match(data, begin)
            if start is None:
                self._in_string = True
                at = begin + 1
                continue
            self.rest += data[:begin]
            file, address = self._new_file()
            self._photograph = _Photograph(file, address, self._most)
            return data[start.end() :]
        self.rest += data[:at]
        self._waiting = data[at:]
        return b""

    def _feed_photograph(self, data: bytes) -> bytes:
        photograph = self._photograph
        assert photograph is not None  # noqa: S101  asked by the caller
        end = data.find(b'"')
        photograph.feed(data if end < 0 else data[:end])
        if end < 0:
            return b""
        self.rest += photograph.ended()
        self._photograph = None
        return data[end + 1 :]


class _Photograph:
    """One base64 string that is being decoded into a file."""

    def __init__(self, file: BinaryIO, address: str, most: int) -> None:
        self.file = file
        self._address = address
        self._left = most + 1
        self._undecoded = b""
        self._sound = True

    def feed(self, text: bytes) -> None:
        text = self._undecoded + text.replace(b"\\", b"").translate(None, _SPACE)  # some encoders escape each slash
        decodable = len(text) - len(text) % 4
        self._undecoded = text[decodable:]
        self._write(text[:decodable])

    def ended(self) -> bytes:
        """Close the file and return the replacement of the photograph in the text."""
        self._write(self._undecoded + b"=" * (-len(self._undecoded) % 4))
        self.file.close()
        return b'"' + self._address.encode() + b'"' if self._sound else BROKEN

    def _write(self, text: bytes) -> None:
        if not self._sound or self._left <= 0:
            return
        try:
            data = base64.b64decode(text)[: self._left]
        except binascii.Error:
            self._sound = False
            return
        self.file.write(data)
        self._left -= len(data)
