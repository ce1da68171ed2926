"""Closed routes: those that Gradio brings along and this app has no use for.

``/process_recording`` would keep what it is sent, ``/upload_progress`` every name that it is asked about; ``/file=``
would fetch any address of the web for whoever asks, and the rest would only be more to watch over. Answers carry their
pictures in themselves, so nothing is served by path.
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
_SIZED_ICON = "/pwa_icon/"  # Gradio would scale a drawing as if it were a photograph
OF_MODELS = ("call/", "api/")  # by which programs ask models; the page itself goes other ways


class CloseRoutes:
    """ASGI middleware: answers 404 where one of :data:`CLOSED`, of ``more``, or an icon of some size, is asked for."""

    def __init__(self, app: ASGIApp, more: tuple[str, ...] = ()) -> None:
        self._app = app
        self._closed = (*CLOSED, *more)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything else on."""
        path = str(scope.get("path", ""))
        _, _, route = path.partition(PREFIX)
        closed = scope["type"] == "http" and (route.startswith(self._closed) or path.startswith(_SIZED_ICON))
        await (PlainTextResponse("Not found", 404) if closed else self._app)(scope, receive, send)
