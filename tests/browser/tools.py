"""What a client of the tool server sends and gets."""

from __future__ import annotations

import asyncio
import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from tests.browser.visits import App


def call_tool(app: App, name: str, given: dict[str, Any], *, watching: bool = False) -> CallToolResult:
    """Call a tool in a session of its own; ``watching`` asks to be told how the work goes on."""

    async def progress(done: float, total: float | None, message: str | None) -> None: ...

    async def call() -> CallToolResult:
        async with (
            streamable_http_client(f"{app.url}/gradio_api/mcp/") as (receive, send, _),
            ClientSession(receive, send) as session,
        ):
            await session.initialize()
            return await session.call_tool(name, given, progress_callback=progress if watching else None)

    with ThreadPoolExecutor(1) as pool:  # the browser may own this thread's loop
        return pool.submit(asyncio.run, call()).result()


def data_uri(picture: Path) -> str:
    """Return a photograph inline in the call itself."""
    return f"data:image/jpeg;base64,{base64.b64encode(picture.read_bytes()).decode()}"


def uploaded(app: App, picture: Path) -> str:
    """Upload a photograph first, and return the address that `gradio upload-mcp` gives it."""
    with picture.open("rb") as file:
        path = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=60).json()[0]
    return f"{app.url}/gradio_api/file={quote(path)}"
