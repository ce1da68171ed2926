"""The page "For programs": parameters and results of the endpoints, and how a program or an MCP client calls them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from demo.gradio_parts import route_utils
from demo.i18n import page_file, render, script
from fmp_models.common import MAX_BYTES

PATH = "/programs"
_PHOTOGRAPHS = {"current": "photograph_current", "target": "photograph_target"}
_PEOPLE = {
    "current_person": "person",
    "target_person": "person",
    "leave_out": "leave_out",
    "current_orientation": "orientation",
    "target_orientation": "orientation",
}
# Parameters of each endpoint: the name, and the key of its description.
ENDPOINTS = {
    "correct": {
        **_PHOTOGRAPHS,
        "language": "language_out",
        "model": "model",
        **_PEOPLE,
        "current_joints": "body",
        "target_joints": "body",
    },
    "edit": {**_PHOTOGRAPHS, "text": "edited_text", "language": "language_in", **_PEOPLE},
    "ask": {
        **_PHOTOGRAPHS,
        "question": "question",
        "history": "history",
        "language": "language_of_answer",
        **_PEOPLE,
    },
    "imagine": {**_PHOTOGRAPHS, "changes": "changes", "language": "language_of_change", **_PEOPLE},
    "difference": {"current": "picture_first", "target": "picture_second", "language": "language_of_difference"},
    "retrieve": {
        "current": "photograph_current",
        "description": "description",
        "candidates": "candidates",
        "language": "language_in",
        "current_person": "person",
        "page": "page",
    },
    "demonstrate": {
        "text": "text",
        "current": "joints_current",
        "target": "joints_target",
        "language": "language_in",
    },
}
REQUIRED = frozenset(
    {
        *("photograph_current", "photograph_target", "picture_first", "picture_second"),
        *("edited_text", "question", "changes"),
        *("description", "candidates", "text", "joints_current"),
    }
)
_MAX_ADDRESSES = 16  # cached pages, one for each base URL of this app


@dataclass(frozen=True)
class ProgramsPage:
    """The page; if models are ``closed`` it says only that. ``differences`` tells whether ``/difference`` is served."""

    closed: bool
    differences: bool = False

    def routes(self) -> list[Route]:
        """Return the routes to serve."""
        return [Route(PATH, self._page, methods=["GET"])]

    async def _page(self, request: Request) -> Response:
        address = route_utils.get_root_url(request, PATH, None)
        return HTMLResponse(page_html(address, closed=self.closed, differences=self.differences))


@lru_cache(maxsize=_MAX_ADDRESSES)
def page_html(address: str, *, closed: bool = False, differences: bool = False) -> str:
    """Return the page for an app at this base URL, in every language."""
    return render(
        "programs.html",
        address=address,
        closed=closed,
        endpoints={name: takes for name, takes in ENDPOINTS.items() if differences or name != "difference"},
        required=REQUIRED,
        limit_mb=MAX_BYTES // 1_000_000,
        style="\n".join(page_file(name).read_text(encoding="utf-8") for name in ("page.css", "programs.css")),
        script=script("programs.js"),
    )
