"""What the app relies on of Gradio's inside is as it was: each test that fails names what another Gradio changed."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import gradio as gr
import gradio.queueing
import pytest

from demo.gradio_parts.gradio_internals import (
    REPLACEABLE,
    Event,
    document_environment,
    queue_of,
    replace,
    waiting_events,
)
from tests.imports import imports

ROOT = Path(__file__).resolve().parents[3]
INTERNALS = ROOT / "demo" / "gradio_parts" / "gradio_internals.py"
OURS = f"Gradio {gr.__version__}: see {INTERNALS.relative_to(ROOT)}"
# The parameters of what is overridden or called; those of a class are its constructor's.
PARAMETERS = {
    "gradio.block_function.BlockFunction": "fn inputs outputs",
    "gradio.blocks.Block.async_move_resource_to_block_cache": "self url_or_file_path",
    "gradio.blocks.Blocks.get_api_info": "self all_endpoints page",
    "gradio.blocks.Blocks.preprocess_data": "self block_fn inputs state explicit_call",
    "gradio.blocks.Blocks.process_api": "self block_fn inputs state request",
    "gradio.blocks.Blocks.validate_inputs": "self block_fn inputs",
    "gradio.events.EventData": "target _data",
    "gradio.http_server.Server": "config reloader watchfn",
    "gradio.mcp.GradioMCPServer": "blocks",
    "gradio.mcp.GradioMCPServer._prepare_tool_call_args": "self name arguments",
    "gradio.mcp.GradioMCPServer.convert_strings_to_filedata": "self value filedata_positions",
    "gradio.mcp.GradioMCPServer.postprocess_output_data": "self data root_url",
    "gradio.mcp.GradioMCPServer.simplify_filedata_schema": "self schema",
    "gradio.queueing.Event": "session_hash fn request username",
    "gradio.queueing.EventQueue": "concurrency_id concurrency_limit",
    "gradio.queueing.Queue.broadcast_estimations": "self concurrency_id",
    "gradio.queueing.Queue.get_events": "self",
    "gradio.queueing.Queue.process_events": "self events batch begin_time",
    "gradio.queueing.Queue.push": "self body request username",
    "gradio.queueing.Queue.send_message": "self event event_message",
    "gradio.queueing.Queue.start": "self",
    "gradio.route_utils.GradioMultiPartParser": "headers stream max_files max_fields",
    "gradio.route_utils.GradioMultiPartParser.on_headers_finished": "self",
    "gradio.route_utils.GradioMultiPartParser.on_part_data": "self data start end",
    "gradio.route_utils.GradioMultiPartParser.parse": "self",
    "gradio.route_utils.GradioUploadFile": "file size filename headers",
    "gradio.route_utils.get_fn": "blocks api_name body",
    "gradio.route_utils.get_root_url": "request route_path root_path",
    "gradio.state_holder.SessionState._update_value_in_config": "self key value",
    "gradio.utils.LRUCache": "max_size",
    "gradio.utils.error_payload": "error show_error",
    "gradio.utils.get_function_description": "fn",
    "gradio.utils.is_in_or_equal": "path_1 path_2",
    "gradio.utils.run_coro_in_background": "func",
}
# Where Gradio looks up what is replaced: anything else would pass the replacement by.
LOOKED_UP = {
    "queue": ("gradio.blocks", "queueing.Queue("),
    "message queue": ("gradio.queueing", "= AsyncQueue()"),
    "session values": ("gradio.blocks", "._update_value_in_config("),
    "tool server": ("gradio.routes", "gradio.mcp.GradioMCPServer("),
    "upload parser": ("gradio.route_utils", "= GradioMultiPartParser("),
    "function lookup": ("gradio.routes", "route_utils.get_fn("),
    "server": ("gradio.http_server", "= Server("),
}
OF_A_QUEUE = (
    "ANALYTICS_MAX_EVENTS",
    "active_jobs",
    "blocks",
    "event_ids_to_events",
    "event_queue_per_concurrency_id",
    "max_size",
    "pending_event_ids_session",
    "pending_messages_per_session",
    "server_app",
    "stopped",
)
OF_AN_EVENT = ("_id", "alive", "concurrency_id", "data", "enqueue_time", "request", "session_hash")
OF_THE_STATES = ("session_data", "time_last_used")
OF_A_PARSER = ("_current_part", "_files_to_close_on_error")
# What custom components and forms are made of, which Gradio documents.
DOCUMENTED = frozenset({"gradio.data_classes", "gradio.events"})


def named(name: str) -> object:
    """Return what a dotted name names."""
    module, *rest = name.split(".")
    found: object = importlib.import_module(module)
    for part in rest:
        module = f"{module}.{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(module)
    return found


@pytest.fixture(scope="module")
def blocks() -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as page:
        box = gr.Textbox()
        gr.Button().click(lambda text: text, box, box)
    page.queue()
    return page


@pytest.mark.parametrize(("name", "expected"), PARAMETERS.items())
def test_what_is_overridden_or_called_has_the_parameters_that_it_had(name: str, expected: str) -> None:
    parameters = list(inspect.signature(named(name)).parameters)  # type: ignore[arg-type]
    wanted = expected.split()
    assert parameters[: len(wanted)] == wanted, f"{name} has other parameters in {OURS}"


@pytest.mark.parametrize("name", REPLACEABLE)
def test_gradio_looks_up_what_is_replaced_where_it_is_replaced(name: str) -> None:
    module, written = LOOKED_UP[name]
    assert written in inspect.getsource(importlib.import_module(module)), f"{name}: not in {module} of {OURS}"


@pytest.mark.parametrize("attribute", OF_A_QUEUE)
def test_a_queue_has_what_is_read_of_it(blocks: gr.Blocks, attribute: str) -> None:
    assert hasattr(queue_of(blocks), attribute), f"Queue.{attribute} is gone in {OURS}"


@pytest.mark.parametrize("attribute", OF_AN_EVENT)
def test_an_event_has_what_is_read_of_it(blocks: gr.Blocks, attribute: str) -> None:
    event = Event("a session", blocks.fns[0], None, None)  # type: ignore[arg-type]
    assert hasattr(event, attribute), f"Event.{attribute} is gone in {OURS}"


@pytest.mark.parametrize(
    ("owner", "attribute"),
    [
        *(("gradio.state_holder.StateHolder", attribute) for attribute in OF_THE_STATES),
        *(("gradio.route_utils.GradioMultiPartParser", attribute) for attribute in OF_A_PARSER),
        ("gradio.mcp.GradioMCPServer", "mcp_server"),
        ("gradio.events.EventData", "_data"),
    ],
)
def test_an_object_of_a_served_page_has_what_is_read_of_it(owner: str, attribute: str) -> None:
    assert f"self.{attribute}" in inspect.getsource(named(owner)), f"{owner}.{attribute} is gone in {OURS}"  # type: ignore[arg-type]


def test_the_texts_of_the_tool_server_are_asked_for_as_they_are_replaced() -> None:
    described = named("gradio.mcp.GradioMCPServer._file_data_tool_description")
    assert isinstance(described, property), f"GradioMCPServer._file_data_tool_description is none in {OURS}"


def test_a_page_tells_its_files_and_its_questions(blocks: gr.Blocks) -> None:
    assert {type(files) for files in blocks.temp_file_sets} == {set}
    assert waiting_events(blocks) == []


def test_the_document_is_a_template_whose_source_can_be_replaced() -> None:
    environment = document_environment()
    assert environment.loader is not None
    assert environment.loader.get_source(environment, "frontend/index.html")[0]


def test_replacing_changes_what_gradio_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradio.queueing, "Queue", gradio.queueing.Queue)  # put back afterwards
    replace("queue", dict)
    assert gradio.queueing.Queue is dict


def _modules(node: ast.ImportFrom) -> list[str]:
    """Return the modules that a statement imports from; ``from gradio import name`` may take a module itself."""
    return [f"gradio.{alias.name}" for alias in node.names] if node.module == "gradio" else [str(node.module)]


def test_no_other_module_imports_what_gradio_does_not_document() -> None:
    modules = [path for path in (*ROOT.glob("demo/**/*.py"), *ROOT.glob("annotate/**/*.py")) if path != INTERNALS]
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules
        for node in imports(path.read_text(encoding="utf-8"))
        for name in ([alias.name for alias in node.names] if isinstance(node, ast.Import) else _modules(node))
        if name.startswith("gradio.") and name not in DOCUMENTED
    }
    assert len(modules) > len(REPLACEABLE)
    assert found == set()
