"""The page for programs: snippets that run as they stand, every parameter, both languages, the address of its host."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from demo.examples.catalogue import FOLDER
from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import App
from tests.thoroughness import one_of, thorough

CLIENT_OF_NODE = "@gradio/client@2"
BOTH = [(1280, "en", "light"), (390, "hi", "dark")]
CLIPBOARD = ["clipboard-read", "clipboard-write"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with the two photographs that the snippets name."""
    for name, which in (("you", "current"), ("goal", "target")):
        shutil.copy(FOLDER / f"warrior_{which}.jpg", tmp_path / f"{name}.jpg")
    return tmp_path


def snippet(app: App, name: str) -> str:
    """Give a snippet as it stands on the page."""
    markup = httpx.get(f"{app.url}/programs").text
    (code,) = re.findall(rf'<pre id="{name}"[^>]*><code>(.*?)</code>', markup, re.DOTALL)
    return html.unescape(code)


def run_in(folder: Path, *command: str) -> str:
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_the_python_snippet_answers_as_it_stands(app: App, folder: Path) -> None:
    assert "warrior" in run_in(folder, sys.executable, "-c", snippet(app, "python"))


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_the_curl_snippet_answers_as_it_stands(app: App, folder: Path) -> None:
    said = run_in(folder, "sh", "-c", snippet(app, "curl"))

    assert said.startswith("event: complete\ndata: ")
    (answer,) = json.loads(said.partition("data: ")[2])
    assert "warrior" in answer["text"]


def test_the_javascript_snippet_calls_what_the_python_one_calls(app: App) -> None:
    python, javascript = snippet(app, "python"), snippet(app, "javascript")

    asked = re.findall(r'(\w+)=(handle_file\("[\w.]+"\)|"en")', python)
    assert [name for name, _ in asked] == ["current", "target", "language"]
    assert re.findall(r'(\w+): (handle_file\("[\w.]+"\)|"en")', javascript) == asked
    assert 'client.predict("/correct", {' in javascript
    assert f'Client.connect("{app.url}")' in javascript


@thorough
def test_the_javascript_snippet_answers_as_it_stands(app: App, folder: Path) -> None:
    if shutil.which("npm") is None:
        pytest.skip("there is no npm here")
    install = ("npm", "install", "--no-audit", "--no-fund", "--silent", CLIENT_OF_NODE)
    if subprocess.run(install, cwd=folder, capture_output=True, timeout=120, check=False).returncode:
        pytest.skip("the npm registry cannot be reached")
    (folder / "ask.mjs").write_text(snippet(app, "javascript"), encoding="utf-8")

    assert "warrior" in run_in(folder, "node", "ask.mjs")


def test_the_mcp_server_stands_where_the_settings_say(app: App) -> None:
    address = snippet(app, "mcp-address")

    assert json.loads(snippet(app, "mcp-settings"))["mcpServers"]["fixmypose"]["url"] == address
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"accept": "application/json, text/event-stream"}
    assert '"name":"correct"' in httpx.post(address, json=asked, headers=accepts).text.replace(" ", "")


def test_the_page_tells_every_endpoint_with_its_parameters_in_order_and_which_are_required(app: App) -> None:
    told = httpx.get(f"{app.url}/programs").text
    endpoints = httpx.get(f"{app.url}/gradio_api/info").json()["named_endpoints"]

    sections = re.findall(r'<h3 id="endpoint-(\w+)">.*?</section>', told, re.DOTALL)
    assert {f"/{name}" for name in sections} == set(endpoints)
    of_page = {
        f"/{name}": re.findall(r'<th scope="row"><code>(\w+)</code>( <small)?', body)
        for name, body in re.findall(r'<h3 id="endpoint-(\w+)">(.*?)</section>', told, re.DOTALL)
    }
    assert {
        name: [(one["parameter_name"], not one["parameter_has_default"]) for one in endpoint["parameters"]]
        for name, endpoint in endpoints.items()
    } == {name: [(parameter, bool(small)) for parameter, small in rows] for name, rows in of_page.items()}


def test_the_address_is_that_of_a_request_and_no_header_makes_it_another(app: App) -> None:
    port = app.url.rpartition(":")[2]
    named = httpx.get(f"http://localhost:{port}/programs", headers={"x-forwarded-host": "evil.example"}).text
    assert f"http://localhost:{port}/gradio_api/mcp/" in named
    assert "evil.example" not in named
    refused = httpx.get(f"{app.url}/programs", headers={"host": "evil.example"})
    assert (refused.status_code, "evil.example" in refused.text) == (403, False)
    assert httpx.post(f"{app.url}/programs", content=b"x" * 2_000_000).status_code in {405, 413}


@pytest.mark.parametrize(("width", "language", "scheme"), one_of(BOTH, 1))
def test_the_page_speaks_the_language_of_the_app_and_copies_its_snippets(
    open_page: Callable[..., Page], app: App, width: int, language: str, scheme: str
) -> None:
    words = interface_texts()[language]
    page = open_page(width=width, language=language, color_scheme=scheme, permissions=CLIPBOARD)
    page.goto(f"{app.url}/programs")
    expect(page.locator("h1")).to_have_text(words["programs.heading"])
    expect(page).to_have_title(words["programs.heading"])
    assert page.evaluate("document.documentElement.classList.contains('dark')") is (scheme == "dark")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert findings(page) == []

    page.locator("[data-copy=python]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(words["programs.copied"])
    assert page.evaluate("navigator.clipboard.readText()").strip() == snippet(app, "python").strip()

    other = "en" if language == "hi" else "hi"
    page.locator(f".fmp-language[data-language={other}]").click()
    expect(page.locator("h1")).to_have_text(interface_texts()[other]["programs.heading"])
