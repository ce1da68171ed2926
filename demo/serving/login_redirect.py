"""Failed logins: they lead back to the page, where it can be tried again.

Gradio answers whoever turns round at the Hub's door, and whoever comes while the Hub is away, with an error page.
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


class LeadBack:
    """ASGI middleware: sends a visitor back to :data:`PAGE` where a login ends in an error; the log keeps its cause."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything else on."""
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
            _log.warning("A login did not come about: %r", error)
            await RedirectResponse(PAGE, 303)(scope, receive, send)
