"""A served page whose model answers when it is let, in this process, with everything that guards the app's own."""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest

from demo.gradio_parts.app_blocks import AppBlocks
from demo.gradio_parts.components import (
    MODEL_QUEUE,
    WORKERS,
    AnswerLanguage,
    Form,
    Request,
    Sent,
    UploadedPhotograph,
    add_endpoint,
)
from demo.gradio_parts.gradio_internals import REPLACEABLE
from demo.serving.uploads import UploadLedger
from demo.settings import Settings
from demo.shell import Page
from tests.browser.visits import free_port

FORM, SLOW = 0, 1  # functions of the page, by index


@dataclass
class ServedPage:
    """A page at ``url``; its form and ``/correct`` answer with ``answer``, and its slow form once it is ``let``."""

    url: str
    blocks: AppBlocks
    uploads: Path
    answer: str = "data:image/jpeg;base64," + "A" * 200_000
    let: threading.Event = field(default_factory=threading.Event)

    @property
    def queue(self) -> Any:  # noqa: ANN401  ours, where it is installed
        return self.blocks._queue

    def post(self, route: str, **body: Any) -> httpx.Response:  # noqa: ANN401  as JSON has them
        return httpx.post(f"{self.url}/gradio_api/{route}", json=body, timeout=30)

    def upload(self) -> dict[str, Any]:
        """Send a photograph, and return how a question names it."""
        files = {"files": ("a.jpg", b"a photograph")}
        path = httpx.post(f"{self.url}/gradio_api/upload", files=files, timeout=30).json()[0]
        return {"path": path, "meta": {"_type": "gradio.FileData"}}

    def ask(self, session: str, function: int = FORM, **headers: str) -> httpx.Response:
        """Ask the form about two photographs, as the page does."""
        value = {"current": self.upload(), "target": self.upload(), "language": "hi"}
        body = {"data": [value], "fn_index": function, "session_hash": session}
        return httpx.post(f"{self.url}/gradio_api/queue/join", json=body, headers=headers, timeout=30)

    def hear(self, session: str) -> httpx.Response:
        """Listen until the answers to a session are there."""
        return httpx.get(f"{self.url}/gradio_api/queue/data", params={"session_hash": session}, timeout=30)

    def held(self) -> str:
        """Return all that Gradio holds of questions and answers, written out."""
        queue, app = self.queue, self.blocks.app
        states = app.state_holder.session_data.values()
        messages = queue.pending_messages_per_session
        return repr(
            [
                {session: list(one._queue) for session, one in messages.items()},
                dict(queue.pending_event_ids_session),
                [event.data for event in queue.event_ids_to_events.values()],
                [event.data for one in queue.event_queue_per_concurrency_id.values() for event in one.queue],
                queue.event_analytics,
                app.iterators,
                [dict(self.blocks.pending_streams), dict(self.blocks.pending_diff_streams)],
                [(state.state_data, state.config_values) for state in states],
            ]
        )

    def stored(self) -> list[Path]:
        return [path for path in self.uploads.rglob("*") if path.is_file()]


@contextmanager
def served_page() -> Iterator[ServedPage]:
    """Serve the page at a free port of 127.0.0.1; afterwards Gradio is as it was."""
    with pytest.MonkeyPatch.context() as patch:
        for place, name in REPLACEABLE.values():
            patch.setattr(place, name, getattr(place, name))
        factory = logging.getLogRecordFactory()
        uploads = tempfile.TemporaryDirectory(prefix="fixmypose-", ignore_cleanup_errors=True)
        patch.setenv("GRADIO_TEMP_DIR", uploads.name)
        ledger = UploadLedger()
        page, served = _built(ledger, uploads)
        port = free_port()
        page.launch(Settings(host="127.0.0.1", port=port))
        served.url = f"http://127.0.0.1:{port}"
        yield served
        served.let.set()
        page.close()
        logging.setLogRecordFactory(factory)


def _built(ledger: UploadLedger, uploads: tempfile.TemporaryDirectory[str]) -> tuple[Page, ServedPage]:
    with AppBlocks(analytics_enabled=False) as blocks:
        served = ServedPage("", blocks, Path(uploads.name))

        def answer(request: Request) -> str:
            ledger.forget([request.current.path, request.target.path])
            return served.answer

        def slow(request: Request) -> str:
            assert served.let.wait(60)
            return answer(request)

        def correct(current: Sent, language: str = "en") -> dict[str, str]:
            ledger.forget([current])
            return {"picture": served.answer, "language": language}

        shown = gr.HTML()
        for handler in (answer, slow):
            form = Form(html_template="")
            form.submit(
                handler,
                form,
                shown,
                api_visibility="private",
                concurrency_id=MODEL_QUEUE,
                concurrency_limit=WORKERS,
            )
        add_endpoint(
            correct,
            [UploadedPhotograph(label="current"), AnswerLanguage(["en", "hi"], value="en", label="language")],
            "correct",
            "correction",
        )
    return Page(blocks, ledger, uploads, []), served


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Wait for a condition; AssertionError where it is not met in time."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "the condition was not met in time"
        time.sleep(0.02)
