"""Route for animated loops, used only by the page: the page sends pictures, the server returns one animated WebP file.

The request body is a sequence of pictures. Each is its duration in milliseconds (2 bytes, big-endian), its length
(4 bytes, big-endian) and a JPEG file. The body is limited in size, kept in memory and dropped after the response. Each
network may have one loop in progress.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from demo.serving.uploads.own_routes import answering, pixels_of_jpeg
from demo.serving.uploads.request_bodies import LOOP_PATH
from demo.serving.visitors import address_of
from fmp_models.common.decoding_budget import DecodingBudget
from fmp_models.errors import BadInputError
from fmp_models.preprocessing.photograph import read_photograph

MIN_PICTURES, MAX_PICTURES = 2, 64
MAX_PIXELS = 640 * 800  # per picture
MAX_MILLISECONDS = 2000  # per picture
MAX_LOOPS = 4  # concurrent requests that arrive or wait
_MAX_SECONDS = 5.0  # of processor time to decode the pictures
_QUALITY, _EFFORT = 78, 2  # libwebp's quality (up to 100) and method (up to 6)
_PICTURE = struct.Struct(">HI")


class LoopRoute:
    """The route of loops, with the networks that have a loop in progress."""

    def __init__(self) -> None:
        self._addresses: list[str] = []  # empty strings for visitors of unknown networks
        self._making = CapacityLimiter(1)

    def routes(self) -> list[Route]:
        """Return the routes to serve."""
        return [Route(LOOP_PATH, answering(self._answer), methods=["POST"])]

    async def _answer(self, request: Request) -> Response:
        with self._place(address_of(request)):
            loop = await anyio.to_thread.run_sync(animated, await request.body(), limiter=self._making)
        return Response(loop, media_type="image/webp", headers={"cache-control": "no-store"})

    @contextmanager
    def _place(self, address: str) -> Iterator[None]:
        """Reserve a slot for a loop before its body is read; raise ``loop_busy`` or ``loop_full`` if there is none."""
        if address and address in self._addresses:
            raise BadInputError("loop_busy")
        if len(self._addresses) >= MAX_LOOPS:
            raise BadInputError("loop_full")
        self._addresses.append(address)
        try:
            yield
        finally:
            self._addresses.remove(address)


def animated(body: bytes) -> bytes:
    """Return the pictures of a body as one WebP file that loops forever; raise BadInputError ``loop_pictures``."""
    pieces = list(islice(_pieces(body), MAX_PICTURES + 1))  # a body may hold a million empty pictures
    if not MIN_PICTURES <= len(pieces) <= MAX_PICTURES:
        raise _unusable()
    if not all(0 < milliseconds <= MAX_MILLISECONDS for milliseconds, _ in pieces):
        raise _unusable()
    if not all(0 < (pixels_of_jpeg(picture) or 0) <= MAX_PIXELS for _, picture in pieces):
        raise _unusable()
    budget = DecodingBudget(seconds=_MAX_SECONDS)
    try:
        first, *others = [read_photograph(picture, budget).image for _, picture in pieces]
    except BadInputError:
        raise _unusable() from None
    if any(other.size != first.size for other in others):
        raise _unusable()
    written = io.BytesIO()
    durations = [milliseconds for milliseconds, _ in pieces]
    options = {"duration": durations, "loop": 0, "quality": _QUALITY, "method": _EFFORT}
    first.save(written, "WEBP", save_all=True, append_images=others, **options)
    return written.getvalue()


def _pieces(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the milliseconds and the file of each picture."""
    at = 0
    while at < len(body):
        if at + _PICTURE.size > len(body):
            raise _unusable()
        milliseconds, length = _PICTURE.unpack_from(body, at)
        at += _PICTURE.size + length
        if at > len(body):
            raise _unusable()
        yield milliseconds, body[at - length : at]


def _unusable() -> BadInputError:
    return BadInputError("loop_pictures", least=MIN_PICTURES, most=MAX_PICTURES)
