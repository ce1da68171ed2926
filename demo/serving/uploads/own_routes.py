"""Routes of the page's own that are sent pictures: how they answer and refuse, and which pictures they take."""

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
    """Make a route of what answers a request, with a JSON object or otherwise.

    A refusal is a code and a sentence in every language of the page.
    """

    async def answer(request: Request) -> Response:
        try:
            reply = await handler(request)
        except ClientDisconnect:
            return Response(status_code=400)
        except RefusedBodyError:  # answered by the middleware that bounds the body
            raise
        except BadInputError as error:
            refusal = {"code": error.code, "text": error_text(error).by_language}
            return JSONResponse(refusal, _STATUS.get(error.code, 422))
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("%s was not answered", request.url.path)
            return JSONResponse({"code": "fault", "text": text("faults.ours").by_language}, 500)
        return reply if isinstance(reply, Response) else JSONResponse(reply, headers={"cache-control": "no-store"})

    return answer


def pixels_of_jpeg(picture: bytes) -> int | None:
    """Return how many pixels a JPEG file says that it has, None of anything else; nothing is decoded."""
    try:
        # Image.open would warn of large sizes, and warnings cannot be muted in one thread alone.
        with JpegImagePlugin.JpegImageFile(io.BytesIO(picture)) as opened:
            return opened.width * opened.height
    except Exception:  # noqa: BLE001 - on hostile bytes Pillow raises anything at all
        return None
