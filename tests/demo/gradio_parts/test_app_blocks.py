"""Invalid requests get one sentence and leave nothing in the log."""

from __future__ import annotations

import io
import logging
import re
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from demo.i18n import interface_texts
from tests.served_pages import FORM, ServedPage, served_page
from tests.thoroughness import some

FORGED = "/etc/x\n2026 ERROR forged\x1b[31m red"
FILE = {"path": FORGED, "meta": {"_type": "gradio.FileData"}}
UNREADABLE = re.compile(r"A request could not be read: [A-Za-z]+\.\n")  # and nothing of what was sent
TOOL_HEADERS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def page() -> Iterator[ServedPage]:
    with served_page() as served:
        yield served


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """All that is logged, or written as errors, meanwhile."""
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    handler = logging.StreamHandler(written)
    loggers = [logging.getLogger(name) for name in ("", "uvicorn")]
    for logger in loggers:
        logger.addHandler(handler)
    yield written
    for logger in loggers:
        logger.removeHandler(handler)


def told(page: ServedPage, value: object) -> str:
    """Ask the form with a value, and return what comes of it."""
    assert page.post("queue/join", data=[value], fn_index=FORM, session_hash="wrong").status_code == 200
    return page.hear("wrong").text


@pytest.mark.parametrize(
    ("value", "language"),
    some(
        [
            ({"current": FILE, "target": FILE, "language": "hi"}, "hi"),
            ({"current": FILE, "target": FILE, "language": "en"}, "en"),
            ({"current": {**FILE, "path": "/" + "a" * 5000}, "target": FILE, "language": "hi"}, "hi"),
            ({"current": {**FILE, "path": "\0"}, "target": FILE, "language": FORGED}, "en"),
            ({"current": FORGED}, "en"),
            (FORGED, "en"),
            (7, "en"),
        ],
        3,
    ),
)
def test_a_form_with_what_nobody_sent_here_is_refused_in_its_language(
    page: ServedPage, log: io.StringIO, value: object, language: str
) -> None:
    assert interface_texts()[language]["faults.unreadable"] in told(page, value)
    assert UNREADABLE.fullmatch(log.getvalue())


def test_a_form_without_a_language_is_refused_in_that_of_the_browser(page: ServedPage) -> None:
    body = {"data": [{"current": FORGED}], "fn_index": FORM, "session_hash": "browser"}
    headers = {"Accept-Language": "hi-IN,en;q=0.5"}
    httpx.post(f"{page.url}/gradio_api/queue/join", json=body, headers=headers, timeout=30)

    assert interface_texts()["hi"]["faults.unreadable"] in page.hear("browser").text


def test_a_call_with_a_path_of_this_machine_is_refused_in_its_language(page: ServedPage, log: io.StringIO) -> None:
    event = page.post("call/correct", data=[FILE, "hi"]).json()["event_id"]

    answer = httpx.get(f"{page.url}/gradio_api/call/correct/{event}", timeout=30).text

    assert interface_texts()["hi"]["faults.unreadable"] in answer.encode().decode("unicode_escape")
    assert UNREADABLE.fullmatch(log.getvalue())


@pytest.mark.parametrize("function", [999, -1])
def test_a_question_for_an_unknown_function_is_not_found(page: ServedPage, log: io.StringIO, function: int) -> None:
    answer = page.post("queue/join", data=[], fn_index=function, session_hash="wrong")

    assert answer.status_code == 404
    assert "no such function" in answer.json()["detail"]
    assert not log.getvalue()


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        (f"call/{quote(FORGED, safe='')}", {"data": []}, 404),
        ("call/nothing", {"data": []}, 404),
        (f"call/v2/{quote('x' + FORGED[6:])}", {}, 404),
        ("call/v2/nothing", {}, 404),
        ("call/v2/correct", {FORGED: 1}, 422),
        ("call/v2/correct", {}, 422),
        ("run/nothing", {"data": []}, 404),
        ("run/nothing", {"data": [], "fn_index": 999}, 404),
    ],
)
def test_a_call_of_nothing_that_is_here_is_refused_in_a_sentence(
    page: ServedPage, log: io.StringIO, route: str, body: dict[str, Any], status: int
) -> None:
    answer = page.post(route, **body)

    assert answer.status_code == status
    assert answer.json()["detail"]
    assert not log.getvalue()


@pytest.mark.parametrize(
    "route",
    ["queue/data?session_hash=nobody", f"queue/data?session_hash={quote(FORGED)}", "call/correct/nothing"],
)
def test_an_unknown_session_or_event_has_no_answer(page: ServedPage, log: io.StringIO, route: str) -> None:
    answer = httpx.get(f"{page.url}/gradio_api/{route}", timeout=30)

    assert answer.status_code == 404
    assert "No answer waits here" in answer.text
    assert not log.getvalue()


@pytest.mark.parametrize(
    ("method", "name"), [("tools/call", f"x{FORGED}"), (f"x{FORGED}", "correct")], ids=["a tool", "a method"]
)
def test_what_a_client_of_tools_sends_is_one_line_of_the_log(
    page: ServedPage, log: io.StringIO, method: str, name: str
) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": name, "arguments": {}}}

    answer = httpx.post(f"{page.url}/gradio_api/mcp/", json=call, headers=TOOL_HEADERS, timeout=30)

    assert "rror" in answer.text
    written = log.getvalue()
    assert "\\n2026 ERROR forged\\x1b" in written
    assert "\x1b" not in written
    assert not [line for line in written.splitlines() if line.startswith("2026")]
    assert len(written) < 2500


def test_a_fault_of_ours_is_a_sentence_and_one_traceback_without_forged_lines(
    page: ServedPage, log: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> str:
        raise ValueError(FORGED)

    monkeypatch.setattr(page.blocks.fns[FORM], "fn", fails)
    file = page.upload()

    answer = told(page, {"current": file, "target": file, "language": "hi"})

    assert interface_texts()["hi"]["faults.ours"] in answer
    written = log.getvalue()
    assert written.count("Traceback") == 1
    assert "\x1b" not in written
    assert not [line for line in written.splitlines() if line.startswith("2026")]
