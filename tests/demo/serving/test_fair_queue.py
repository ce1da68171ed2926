"""Turns in the queue, by Gradio's own machinery: events are pushed as its routes push them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
import httpx
import pytest

from demo.gradio_parts import app_blocks
from demo.gradio_parts.components import MODEL_QUEUE, WORKERS
from demo.gradio_parts.gradio_internals import REPLACEABLE
from demo.i18n import text
from demo.serving import fair_queue
from demo.serving.fair_queue import MAX_WAITING_PER_ADDRESS, MAX_WAITING_PER_VISIT
from tests.browser.visits import free_port
from tests.thoroughness import thorough


@dataclass
class Served:
    """A page whose model answers only when it is let."""

    url: str = ""
    blocks: gr.Blocks = field(default_factory=gr.Blocks)
    begun: list[str] = field(default_factory=list)
    doors: dict[str, threading.Event] = field(default_factory=dict)

    def answer(self, name: str) -> str:
        self.begun.append(name)
        assert self.doors.setdefault(name, threading.Event()).wait(60)
        return name

    def let(self, *names: str) -> None:
        for name in names:
            self.doors.setdefault(name, threading.Event()).set()

    def ask(self, name: str, visit: str | None = None, **headers: str) -> httpx.Response:
        route, body = ("queue/join", {"fn_index": 0, "session_hash": visit}) if visit else ("call/answer", {})
        return httpx.post(f"{self.url}/gradio_api/{route}", json={"data": [name], **body}, headers=headers, timeout=60)

    def fill(self, *addresses: str) -> list[httpx.Response]:
        """Let each address ask as much as it may."""
        return [
            self.ask(f"{address} {number}", f"{address} {number % 3}", **{"X-Forwarded-For": address})
            for number in range(MAX_WAITING_PER_ADDRESS + 2)
            for address in addresses
        ]

    def waiting(self, session: str) -> int:
        """Return how many questions of a session wait."""
        queue = self.blocks._queue.event_queue_per_concurrency_id[MODEL_QUEUE].queue
        return sum(event.session_hash == session for event in queue)

    def until_begun(self, *names: str) -> None:
        deadline = time.monotonic() + 60
        while not set(names) <= set(self.begun):
            assert time.monotonic() < deadline, self.begun
            time.sleep(0.01)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for place, name in REPLACEABLE.values():
        monkeypatch.setattr(place, name, getattr(place, name))  # put back afterwards
    fair_queue.install()
    page = Served()
    with gr.Blocks(analytics_enabled=False) as blocks:
        box = gr.Textbox()
        gr.Button().click(
            page.answer, box, box, api_name="answer", concurrency_id=MODEL_QUEUE, concurrency_limit=WORKERS
        )
    page.blocks = blocks
    blocks.queue(max_size=32, api_open=False)
    _, url, _ = blocks.launch(
        prevent_thread_lock=True, quiet=True, server_name="127.0.0.1", server_port=free_port(), ssr_mode=False
    )
    page.url = url.rstrip("/")
    yield page
    page.doors = Doors()
    blocks.close(verbose=False)


class Doors(dict[str, threading.Event]):
    """All open."""

    def setdefault(self, *_: Any) -> threading.Event:  # noqa: ANN401
        open_door = threading.Event()
        open_door.set()
        return open_door


def test_one_visitor_never_holds_all_workers(served: Served) -> None:
    for number in range(4):
        served.ask(f"greedy {number}", "greedy")
    served.until_begun("greedy 0")

    served.ask("modest", "modest")

    served.until_begun("modest")
    assert set(served.begun) == {"greedy 0", "modest"}
    served.let("greedy 0", "modest", *(f"greedy {number}" for number in range(4)))
    served.until_begun("greedy 3")


def test_visitors_take_turns_in_any_order_of_arrival(served: Served) -> None:
    for visit in ("a", "b"):
        served.ask(f"{visit} 0", visit)
    served.until_begun("a 0", "b 0")
    for number in range(1, 4):
        served.ask(f"a {number}", "a")
    served.ask("b 1", "b")
    served.ask("c 0", "c")

    served.let("b 0")
    served.until_begun("c 0")  # who was never served comes before those who were
    served.let("c 0")
    served.until_begun("b 1")
    assert "a 1" not in served.begun
    served.let("b 1", "a 0", "a 1", "a 2", "a 3")
    served.until_begun("a 3")
    assert [name for name in served.begun if name.startswith("a")] == ["a 0", "a 1", "a 2", "a 3"]


def test_programs_of_one_machine_that_open_no_visit_are_one_visitor(served: Served) -> None:
    for number in range(3):
        served.ask(f"program {number}")
    served.until_begun("program 0")

    served.ask("page", "visit")

    served.until_begun("page")
    assert set(served.begun) == {"program 0", "page"}


def test_an_address_is_one_visitor_however_many_visits_it_opens(served: Served) -> None:
    # Who asks over this machine's own proxy, which Gradio's server believes.
    for number in range(3):
        served.ask(f"greedy {number}", f"visit {number}", **{"X-Forwarded-For": "8.8.8.8"})
    served.until_begun("greedy 0")

    served.ask("modest", "modest", **{"X-Forwarded-For": "1.1.1.1"})

    served.until_begun("modest")
    assert set(served.begun) == {"greedy 0", "modest"}


@thorough
def test_nobody_fills_the_queue_for_others(served: Served) -> None:
    of_one = [served.ask(f"one {number}", "one").status_code for number in range(MAX_WAITING_PER_VISIT + 2)]
    assert of_one == [200] * (MAX_WAITING_PER_VISIT + 1) + [503]
    forwarded = {"X-Forwarded-For": "8.8.8.8"}
    of_many = [
        served.ask(f"many {number}", f"visit {number}", **forwarded) for number in range(MAX_WAITING_PER_ADDRESS + 2)
    ]
    assert [one.status_code for one in of_many] == [200] * (MAX_WAITING_PER_ADDRESS + 1) + [503]
    assert "your requests" not in of_many[-1].text  # none of this visit waits
    in_hindi = served.ask("many", "another", **forwarded, **{"Accept-Language": "hi"})
    assert text("faults.queue_full").by_language["hi"] in in_hindi.json()["detail"]

    assert served.ask("somebody else", "else").status_code == 200


@thorough
def test_at_a_full_queue_anybody_who_has_none_waiting_gets_in(served: Served) -> None:
    assert [answer.status_code for answer in served.fill("8.8.8.8", "1.1.1.1")].count(200) >= 32
    others = [
        served.ask(f"other {number}", f"other {number}", **forwarded(f"9.9.9.{number + 1}")) for number in range(20)
    ]

    assert [answer.status_code for answer in others] == [200] * 20
    assert all(served.waiting(f"other {number}") == 1 for number in range(20))
    again = served.ask("other", "other 0", **forwarded("9.9.9.1"))
    assert again.status_code == 503
    assert "try again in a minute" in again.text


def test_a_person_who_makes_room_is_told_in_words(served: Served) -> None:
    served.blocks._queue.max_size = 4
    for number in range(5):
        served.ask(f"greedy {number}", "greedy", **forwarded("8.8.8.8"))
    served.until_begun("greedy 0")

    assert served.ask("modest", "modest", **forwarded("1.1.1.1")).status_code == 200
    served.until_begun("modest")
    assert (served.waiting("greedy"), len(served.blocks._queue)) == (3, 3)  # a worker is for the other
    assert served.ask("second", "second", **forwarded("1.1.1.2")).status_code == 200
    assert served.ask("third", "third", **forwarded("1.1.1.3")).status_code == 200

    with httpx.stream(
        "GET", f"{served.url}/gradio_api/queue/data", params={"session_hash": "greedy"}, timeout=60
    ) as heard:
        refusal = next(line for line in heard.iter_lines() if "process_completed" in line)
    assert "make room" in refusal
    assert served.waiting("greedy") < 4


@pytest.mark.parametrize("function", [999, None])
def test_a_question_for_no_function_makes_no_room(served: Served, function: int | None) -> None:
    app_blocks.install()
    served.blocks._queue.max_size = 3
    for number in range(4):
        served.ask(f"greedy {number}", "greedy", **forwarded("8.8.8.8"))
    served.until_begun("greedy 0")

    body = {"data": ["none"], "session_hash": "none", "fn_index": function}
    answer = httpx.post(f"{served.url}/gradio_api/queue/join", json=body, headers=forwarded("1.1.1.1"), timeout=60)

    assert answer.status_code == (404 if function else 400)
    assert served.waiting("greedy") == 3


def test_a_form_that_is_refused_is_told_so_in_its_language(served: Served) -> None:
    served.blocks._queue.max_size = 1
    body = {"data": [{"language": "hi"}], "fn_index": 0, "session_hash": "full"}

    asked = [httpx.post(f"{served.url}/gradio_api/queue/join", json=body, timeout=60) for _ in range(4)]

    assert text("faults.queue_full").by_language["hi"] in asked[-1].json()["detail"]


def test_visits_without_a_known_address_share_one_bound(served: Served) -> None:
    asked = [served.ask(f"{number}", f"visit {number % 4}") for number in range(MAX_WAITING_PER_ADDRESS + 4)]

    assert [answer.status_code for answer in asked].count(200) == MAX_WAITING_PER_ADDRESS + WORKERS
    assert "your requests" not in asked[-1].text  # most are those of other visits
    assert served.ask("nobody yet", "new").status_code == 200
    assert served.waiting("new") == 1
    assert len(served.blocks._queue) == MAX_WAITING_PER_ADDRESS


def forwarded(address: str) -> dict[str, str]:
    """Return what a proxy says of whom it serves."""
    return {"X-Forwarded-For": address}
