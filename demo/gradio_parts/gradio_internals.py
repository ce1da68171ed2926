"""Everything of Gradio's inside that this app replaces or reads.

Other modules take Gradio's inner names from here and replace nothing themselves. Gradio may change any of them without
notice: tests/demo/gradio_parts/test_gradio_internals.py says which one changed. The room of annotation knows no room of
the page and reads one more itself, what an event carries (annotate.tabs.controller).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio.mcp
import gradio.queueing
import gradio.routes
import gradio.state_holder
from gradio import http_server, oauth, route_utils
from gradio.block_function import BlockFunction
from gradio.mcp import GradioMCPServer
from gradio.queueing import Event, EventQueue, Queue
from gradio.server_messages import EventMessage, ProcessCompletedMessage, UnexpectedErrorMessage
from gradio.utils import (
    LRUCache,
    error_payload,
    get_function_description,
    is_in_or_equal,
    run_coro_in_background,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import gradio as gr
    from jinja2 import Environment

__all__ = [
    "REPLACEABLE",
    "BlockFunction",
    "Event",
    "EventMessage",
    "EventQueue",
    "GradioMCPServer",
    "LRUCache",
    "ProcessCompletedMessage",
    "Queue",
    "UnexpectedErrorMessage",
    "cut_connections",
    "document_environment",
    "error_payload",
    "event_id",
    "forget_files",
    "forget_session",
    "get_function_description",
    "http_server",
    "is_in_or_equal",
    "oauth",
    "queue_of",
    "replace",
    "route_utils",
    "run_coro_in_background",
    "waiting_events",
]

# What is replaced, by its name: where Gradio looks it up when it needs it.
REPLACEABLE: dict[str, tuple[Any, str]] = {
    "queue": (gradio.queueing, "Queue"),
    "message queue": (gradio.queueing, "AsyncQueue"),
    "session values": (gradio.state_holder.SessionState, "_update_value_in_config"),
    "tool server": (gradio.mcp, "GradioMCPServer"),
    "upload parser": (route_utils, "GradioMultiPartParser"),
    "function lookup": (route_utils, "get_fn"),
    "server": (http_server, "Server"),
}


def replace(name: str, replacement: object) -> None:
    """Put a replacement in the place of one of ``REPLACEABLE``, for every page that is launched from now on."""
    place, attribute = REPLACEABLE[name]
    setattr(place, attribute, replacement)


def queue_of(blocks: gr.Blocks) -> Queue:
    """Return the queue of a page."""
    return blocks._queue  # noqa: SLF001


def event_id(event: Event) -> str:
    """Return the id of an event; its session has the same name where the request named none."""
    return event._id  # noqa: SLF001


def waiting_events(blocks: gr.Blocks) -> list[Event]:
    """Return the events of a page that wait for their answers."""
    return list(queue_of(blocks).event_ids_to_events.values())


def forget_session(queue: Queue, session: str) -> None:
    """Drop the state of a session."""
    if queue.server_app is not None:
        queue.server_app.state_holder.session_data.pop(session, None)
        queue.server_app.state_holder.time_last_used.pop(session, None)


def forget_files(blocks: gr.Blocks, is_gone: Callable[[str], bool]) -> None:
    """Drop the uploads that are gone from the sets of files that a page may serve."""
    for known in blocks.temp_file_sets:
        known -= {path for path in list(known) if is_gone(path)}


def cut_connections(blocks: gr.Blocks) -> None:
    """Break off every connection of a page; RuntimeError where its loop has just ended."""
    server = blocks.server
    for connection in list(server.server_state.connections):
        server.servers[0].get_loop().call_soon_threadsafe(connection.transport.abort)


def document_environment() -> Environment:
    """Return the Jinja environment of the document that a page is served in."""
    environment: Environment = gradio.routes.templates.env
    return environment
