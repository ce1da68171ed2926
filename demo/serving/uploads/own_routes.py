"""The page's own routes that receive pictures: their responses, their errors and the pictures they accept."""

from __future__ import annotations

import io
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from PIL import JpegImagePlugin
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from demo.i18n import error_text, text
from demo.serving.uploads.request_bodies import RefusedBodyError
from fmp_models.errors import BadInputError

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
