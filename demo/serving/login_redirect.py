"""Failed logins: redirect to the page, where the visitor can try again.

Gradio shows an error page if a visitor cancels the login at the Hub, or if the Hub is not available.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIX = "/login/"
PAGE = "/#annotate"

_log = logging.getLogger(__name__)


class LoginErrorRedirect:
    """ASGI middleware that redirects to :data:`PAGE` if a login ends in an error; the cause is logged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        if scope["type"] != "http" or not str(scope.get("path", "")).startswith(PREFIX):
            await self._app(scope, receive, send)
            return
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as error:
            if begun:
                raise
            _log.warning("A login failed: %r", error)
            await RedirectResponse(PAGE, 303)(scope, receive, send)
