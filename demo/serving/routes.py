"""Routes beside those of Gradio's forms: the page's own, which receive pictures, and the tool server.

The page's own routes share their responses, their errors and the pictures they accept.

One of them makes animated loops: the page sends pictures, the server returns one animated WebP file. The request body
is a sequence of pictures. Each is its duration in milliseconds (2 bytes, big-endian), its length (4 bytes, big-endian)
and a JPEG file. The body is limited in size, kept in memory and dropped after the response. Each network may have one
loop in progress.

The MCP tool server returns results as JSON, and accepts photographs in the forms that the endpoints of programs accept.
Gradio's own server prints results as Python literals, writes photographs from data URIs to a folder, and offers to
fetch URLs.
"""

from __future__ import annotations

import io
import json
import logging
import struct
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.types import TextContent
from PIL import JpegImagePlugin
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from demo.gradio_parts import BlockFunction, GradioMCPServer, replace
from demo.i18n import error_text, text
from demo.serving.connections import address_of, on_behalf_of
from demo.serving.request_bodies import LOOP_PATH, RefusedBodyError
from fmp_models.common import MAX_BYTES, DecodingBudget
from fmp_models.errors import BadInputError
from fmp_models.preprocessing import read_photograph

_STATUS = {
    "live_busy": 429,
    "live_full": 503,
    "live_full_network": 503,
    "live_gone": 410,
    "loop_busy": 429,
    "loop_full": 503,
}
_log = logging.getLogger(__name__)

Handler = Callable[[Request], Awaitable[dict[str, Any] | Response]]


def answering(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a handler that returns a JSON object or a response.

    An error becomes a code and a sentence in every language of the page.
    """

    async def answer(request: Request) -> Response:
        try:
            reply = await handler(request)
        except ClientDisconnect:
            return Response(status_code=400)
        except RefusedBodyError:  # answered by the middleware that limits the body
            raise
        except BadInputError as error:
            refusal = {"code": error.code, "text": error_text(error).by_language}
            return JSONResponse(refusal, _STATUS.get(error.code, 422))
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("%s failed", request.url.path)
            return JSONResponse({"code": "fault", "text": text("faults.ours").by_language}, 500)
        return reply if isinstance(reply, Response) else JSONResponse(reply, headers={"cache-control": "no-store"})

    return answer


def pixels_of_jpeg(picture: bytes) -> int | None:
    """Return the number of pixels that a JPEG header states, without decoding; None for any other file."""
    try:
        # Image.open would warn about large sizes, and warnings cannot be muted for a single thread.
        with JpegImagePlugin.JpegImageFile(io.BytesIO(picture)) as opened:
            return opened.width * opened.height
    except Exception:  # noqa: BLE001 - on hostile bytes Pillow raises anything at all
        return None


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


# Clients that upload files recognise a file parameter by the first words.
_PHOTOGRAPH = "Gradio File Input - a data URI, or the address that this app gave an uploaded file"


class ToolServer(GradioMCPServer):
    """Gradio's tool server with the texts and results of this app."""

    def convert_strings_to_filedata(self, value: object, filedata_positions: object) -> object:  # noqa: ARG002  Gradio's signature
        """Return the arguments unchanged: the endpoints read data URIs and URLs of uploads, and keep no file."""
        return value

    def _prepare_tool_call_args(
        self, name: str, arguments: dict[str, Any]
    ) -> tuple[str, list[Any], dict[str, str], BlockFunction]:
        """Add a header with the caller to Gradio's result; otherwise the queue would see one visitor only."""
        endpoint, values, headers, function = super()._prepare_tool_call_args(name, arguments)
        request: Request | None = self.mcp_server.request_context.request
        return endpoint, values, {**headers, **on_behalf_of(request)}, function

    def simplify_filedata_schema(self, schema: dict[str, Any]) -> tuple[dict[str, Any], list[list[str | int]]]:
        """Return Gradio's schema with each photograph as a string of the supported formats only."""
        simplified, positions = super().simplify_filedata_schema(schema)
        for position in positions:
            photograph = _at(simplified, position)
            described = {"description": photograph["description"]} if "description" in photograph else {}
            photograph.clear()
            photograph.update(type="string", format=_PHOTOGRAPH, **described)
        return simplified, positions

    @property
    def _file_data_tool_description(self) -> str:
        return (
            " Give each photograph as a data URI such as data:image/jpeg;base64,..., or as the address that the tool"
            " upload_file_to_gradio returned for it, where there is that tool. Any other address is refused."
            f" A photograph may have up to {MAX_BYTES // 1_000_000} MB, either way."
        )

    def postprocess_output_data(self, data: Iterable[Any], root_url: str) -> list[TextContent]:  # type: ignore[override]  # noqa: ARG002
        """Return each result of an endpoint as JSON."""
        return [TextContent(type="text", text=json.dumps(result, ensure_ascii=False)) for result in data]


def install_tool_server() -> None:
    """Make every page launched from now on use this tool server."""
    replace("tool server", ToolServer)


def _at(schema: dict[str, Any], position: list[str | int]) -> dict[str, Any]:
    """Return the part of the schema at Gradio's ``position``, which omits the "properties" of objects."""
    part: Any = schema
    for step in position:
        part = part["properties"][step] if isinstance(part, dict) and "properties" in part else part[step]
    leaf: dict[str, Any] = part
    return leaf
