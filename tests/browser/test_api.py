"""Programs: one public endpoint, one tool, the same answer as the command line, and nothing left behind."""

from __future__ import annotations

import ast
import asyncio
import base64
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Page

from demo.uploads import PASSING_SECONDS
from tests.browser.visits import App, Pictures, ask
from tests.commands import ROOT, run_here

KEYS = {"text", "language", "words", "clauses", "model", "estimator", "people", "milliseconds"}


@pytest.fixture
def nothing_more_is_stored(app: App) -> Iterator[None]:
    """Check that a test leaves no upload behind; what a test that cut the connection left is swept later."""
    before = app.stored_uploads()
    yield
    assert app.stored_uploads() <= before


def passing_copies(app: App) -> list[Path]:
    return [path for path in app.stored_uploads() if "passing" in path.parts]


@pytest.fixture(scope="module")
def client(app: App) -> Client:
    return Client(app.url, verbose=False)


def predict(client: Client, current: Path, target: Path, language: str = "en") -> dict[str, Any]:
    return client.predict(handle_file(str(current)), handle_file(str(target)), language, api_name="/correct")


@pytest.mark.parametrize("language", ["en", "hi"])
def test_correct_answers_as_the_command_line_does(
    client: Client, pose_model: Path, pictures: Pictures, language: str
) -> None:
    answer = predict(client, pictures.standing, pictures.warrior, language)

    asked = ("correct", pictures.standing, pictures.warrior, "--language", language, "--json")
    told = run_here(*asked, FMP_POSE_MODEL=pose_model)
    assert told.returncode == 0, told.stderr
    printed = json.loads(told.stdout)
    assert set(answer) == set(printed) == KEYS
    for key in KEYS - {"milliseconds"}:
        assert answer[key] == printed[key], key


def test_only_correct_and_retrieve_are_public(client: Client, app: App) -> None:
    described = client.view_api(return_format="dict", print_info=False)
    assert list(described["named_endpoints"]) == ["/correct", "/retrieve"]
    assert described["unnamed_endpoints"] == {}
    parameters = described["named_endpoints"]["/correct"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == ["current", "target", "language", "model"]
    parameters = described["named_endpoints"]["/retrieve"]["parameters"]
    assert [one["parameter_name"] for one in parameters] == ["current", "description", "candidates", "language"]

    tools = httpx.get(f"{app.url}/gradio_api/mcp/schema").json()
    assert [tool["name"] for tool in tools] == ["correct", "retrieve"]
    for tool in tools:
        properties = tool["inputSchema"]["properties"]
        assert properties["language"]["enum"] == ["en", "hi"]
        assert all(one["description"] for one in properties.values())


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_the_tool_answers_over_mcp(app: App, pictures: Pictures) -> None:
    with pictures.warrior.open("rb") as file:
        uploaded = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}).json()[0]

    async def call() -> tuple[list[str], Any]:
        async with (
            streamable_http_client(f"{app.url}/gradio_api/mcp/") as (receive, send, _),
            ClientSession(receive, send) as session,
        ):
            await session.initialize()
            tools = await session.list_tools()
            given = {  # both ways a tool can hand a picture over; the second is that of `gradio upload-mcp`
                "current": f"data:image/jpeg;base64,{base64.b64encode(pictures.standing.read_bytes()).decode()}",
                "target": f"{app.url}/gradio_api/file={quote(uploaded)}",
            }
            answer = await session.call_tool("correct", given | {"language": "en"})
            return [tool.name for tool in tools.tools], answer

    with ThreadPoolExecutor(1) as pool:  # the browser owns this thread's loop
        names, answer = pool.submit(asyncio.run, call()).result()

    assert names == ["correct", "retrieve"]
    assert not answer.isError, answer.content
    told = predict(Client(app.url, verbose=False), pictures.standing, pictures.warrior)["text"]
    assert ast.literal_eval(answer.content[0].text)["text"] == told
    deadline = time.monotonic() + 3 * PASSING_SECONDS
    while (passing := passing_copies(app)) and time.monotonic() < deadline:
        threading.Event().wait(0.2)
    assert passing == []


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("language", "sentence"), [("fr", "The language must be one of"), ("", "The language must be")]
)
def test_an_unknown_language_is_one_sentence(client: Client, pictures: Pictures, language: str, sentence: str) -> None:
    with pytest.raises(AppError, match=sentence):
        predict(client, pictures.standing, pictures.warrior, language)


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize("which", ["current", "target"])
def test_bad_input_is_one_sentence_that_says_which_and_no_fault_in_the_log(
    client: Client, app: App, pictures: Pictures, tmp_path: Path, which: str
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    given = {"current": pictures.standing, "target": pictures.warrior} | {which: text}
    printed = len(app.output)

    with pytest.raises(AppError) as refusal:
        predict(client, **given)

    opening = f"{which.capitalize()} photograph: This file is not a JPEG, PNG, WebP or HEIC picture"
    assert str(refusal.value).startswith(opening)
    assert "\n" not in str(refusal.value)
    assert not [line for line in app.output[printed:] if "Traceback" in line]


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_a_file_over_the_limit_is_not_stored(app: App, tmp_path: Path) -> None:
    big = tmp_path / "big.jpg"
    big.write_bytes(bytes(25_000_000))

    with big.open("rb") as file:
        answer = httpx.post(f"{app.url}/gradio_api/upload", files={"files": file}, timeout=60)

    assert answer.status_code == 413


def test_the_server_cannot_be_made_to_read_its_own_files(app: App) -> None:
    meta = {"_type": "gradio.FileData"}
    stolen = {"path": "/etc/hostname", "meta": meta}

    started = httpx.post(f"{app.url}/gradio_api/call/correct", json={"data": [stolen, stolen, "en", None]})
    told = httpx.get(f"{app.url}/gradio_api/call/correct/{started.json()['event_id']}", timeout=30).text

    assert "event: error" in told
    assert httpx.get(f"{app.url}/gradio_api/file={ROOT / 'app.py'}").status_code == 404


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_an_address_of_the_web_is_refused_and_the_other_photograph_forgotten(
    client: Client, pictures: Pictures
) -> None:
    with pytest.raises(AppError, match=r"^Target photograph: An address of the web is not fetched"):
        client.predict(
            handle_file(str(pictures.standing)), handle_file("https://example.com/pose.jpg"), "en", api_name="/correct"
        )


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    ("method", "route"),
    [
        ("GET", "file=https://example.com/"),
        ("GET", "file=/etc/hostname"),
        ("GET", "file//etc/hostname"),
        ("GET", "proxy=https://example.com/"),
        ("GET", "deep_link?session_hash=x"),
        ("POST", "process_recording"),
        ("POST", "component_server"),
        ("POST", "vibe-edit"),
    ],
)
def test_a_route_without_use_here_is_closed_and_keeps_nothing(app: App, method: str, route: str) -> None:
    files = {"video": ("a.mp4", b"film")} if method == "POST" else None

    answer = httpx.request(method, f"{app.url}/gradio_api/{route}", files=files)

    assert (answer.status_code, answer.text) == (404, "Not found")


@pytest.mark.usefixtures("nothing_more_is_stored")
@pytest.mark.parametrize(
    "place", ["/etc/hostname", "/etc", "", "nul\0", "{uploads}", "{uploads}/..", "http://[", 7, None]
)
@pytest.mark.parametrize("endpoint", ["answer", "correct", "empty_html"])
def test_a_forged_call_tells_nothing_and_does_no_harm(
    app: App, pictures: Pictures, endpoint: str, place: object
) -> None:
    upload = Path(httpx.post(f"{app.url}/gradio_api/upload", files={"files": ("a.jpg", b"picture")}).json()[0])
    uploads = str(upload.parents[1])
    path = place.replace("{uploads}", uploads) if isinstance(place, str) else place
    forged, honest = ({"path": one, "meta": {"_type": "gradio.FileData"}} for one in (path, str(upload)))
    data = {
        "answer": [{"current": forged, "target": honest, "language": "en"}],
        "correct": [forged, honest, "en", None],
        "empty_html": [],
    }

    started = httpx.post(f"{app.url}/gradio_api/call/{endpoint}", json={"data": data[endpoint]})
    address = f"{app.url}/gradio_api/call/{endpoint}/{started.json()['event_id']}"
    told = httpx.get(address, timeout=30).text

    assert "Traceback" not in told
    assert uploads not in told
    assert 'data-outcome=\\"correction' not in told
    upload.unlink(missing_ok=True)
    assert predict(Client(app.url, verbose=False), pictures.standing, pictures.warrior)["text"]


def test_the_configuration_names_no_place_on_the_server(app: App) -> None:
    told = httpx.get(f"{app.url}/config").text + httpx.get(app.url).text

    assert str(app.temporary) not in told
    assert str(ROOT) not in told


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_many_programs_with_the_same_files_at_once_all_get_their_answer(app: App, pictures: Pictures) -> None:
    def one(number: int) -> str:
        return str(
            predict(Client(app.url, verbose=False), pictures.standing, pictures.warrior, ("en", "hi")[number % 2])[
                "language"
            ]
        )

    with ThreadPoolExecutor(6) as pool:
        spoken = list(pool.map(one, range(12)))

    assert spoken == ["en", "hi"] * 6


@pytest.mark.usefixtures("nothing_more_is_stored")
def test_nothing_a_visitor_gave_is_left_after_the_answer_or_a_refusal(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)

    text = tmp_path / "text.jpg"
    text.write_text("no picture", encoding="utf-8")
    ask(page, pictures.standing, text, outcome="refusal")


def test_an_answer_carries_no_address_of_a_stored_file(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)

    sources = page.locator(".fmp-answer img").evaluate_all("(images) => images.map((image) => image.src.slice(0, 5))")
    assert sources
    assert set(sources) == {"data:"}


def test_the_app_prints_its_address_once_and_no_other(app: App) -> None:
    addresses = re.compile(r"https?://(?!errors\.pydantic\.dev)")  # which pydantic adds to what a forged call gave
    assert [line for line in app.output if addresses.search(line)] == [f"FixMyPose is ready: {app.url}\n"]
