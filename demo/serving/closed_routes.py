"""Closed routes: routes that Gradio adds and this app does not use.

``/process_recording`` would keep the files it receives, ``/upload_progress`` every name it is asked about; ``/file=``
would fetch any URL for any client, and the rest would only add attack surface. Responses contain their pictures, so no
file is served by path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

PREFIX = "/gradio_api/"
CLOSED = (
    "component_server",
    "deep_link",
    "file/",
    "file=",
    "process_recording",
    "proxy=",
    "stream/",
    "undo-vibe-edit",
    "upload_progress",
    "vibe-",
)
_SIZED_ICON = "/pwa_icon/"  # Gradio would scale the SVG as if it were a photograph
OF_MODELS = ("call/", "api/")  # routes by which programs call models; the page itself uses others


class CloseRoutes:
    """ASGI middleware that answers 404 for :data:`CLOSED` routes, for those in ``more``, and for sized icons."""

    def __init__(self, app: ASGIApp, more: tuple[str, ...] = ()) -> None:
        self._app = app
        self._closed = (*CLOSED, *more)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        path = str(scope.get("path", ""))
        _, _, route = path.partition(PREFIX)
        closed = scope["type"] == "http" and (route.startswith(self._closed) or path.startswith(_SIZED_ICON))
        await (PlainTextResponse("Not found", 404) if closed else self._app)(scope, receive, send)
