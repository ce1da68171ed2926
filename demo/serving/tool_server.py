"""MCP tool server: results as JSON, and photographs in the forms that the endpoints of programs accept.

Gradio's own server prints results as Python literals, writes photographs from data URIs to a folder, and offers to
fetch URLs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from mcp.types import TextContent
from starlette.requests import Request

from demo.gradio_parts.gradio_internals import BlockFunction, GradioMCPServer, replace
from demo.serving.visitors import on_behalf_of
from fmp_models.common.hostile_photograph import MAX_BYTES

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


def install() -> None:
    """Make every page launched from now on use this tool server."""
    replace("tool server", ToolServer)


def _at(schema: dict[str, Any], position: list[str | int]) -> dict[str, Any]:
    """Return the part of the schema at Gradio's ``position``, which omits the "properties" of objects."""
    part: Any = schema
    for step in position:
        part = part["properties"][step] if isinstance(part, dict) and "properties" in part else part[step]
    leaf: dict[str, Any] = part
    return leaf
