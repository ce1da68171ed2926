"""One running app and one browser for all tests of a process, and pages that prove what no page may ever do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from demo.examples.catalogue import FOLDER as EXAMPLES
from tests.browser.visits import App, Pictures, running_app
from tests.retrievers import save_retriever

CHROMIUM_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",  # the pages of a context share what is compiled
    "--use-fake-device-for-media-stream=device-count=2",
    "--use-fake-ui-for-media-stream",
)


PATIENCE_MS = (
    90_000  # a machine that does other work takes long to load a page; a test that waits in vain fails all the same
)
expect.set_options(timeout=PATIENCE_MS / 3)

_STAYING = "/robots.txt"  # what the first page of a context shows


@pytest.fixture(scope="session")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the app's retriever."""
    return save_retriever(tmp_path_factory.mktemp("retriever") / "tiny", "en", "hi", missing=True)


@pytest.fixture(scope="session")
def app(pose_model: Path, retriever: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield one app for all tests of a process; browsers send its live coach frames, not joints."""
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_RETRIEVER=str(retriever), FMP_LIVE_BROWSER_VISITORS="0") as running:
        yield running


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def open_page(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the page as a new visitor; at the end no traceback, no script error, no foreign host was met."""
    with visitors(app, browser) as open_one:
        yield open_one


@contextmanager
def visitors(app: App, browser: Browser, foreign: frozenset[str] = frozenset()) -> Iterator[Callable[..., Page]]:
    """Yield a function that opens the page of any app, with the same checks at the end; ``foreign`` hosts are blocked.

    A visitor who changes more of a context than its storage, such as its clock or its options, comes ``alone``.
    """
    faults: list[str] = []
    pages: list[Page] = []
    own: list[BrowserContext] = []

    def watch(page: Page) -> None:
        pages.append(page)
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("request", lambda request: check_host(request.url))
        if foreign:
            page.route(lambda url: urlsplit(url).hostname in foreign, lambda route: route.abort())

    def check_host(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname not in {"127.0.0.1", *foreign}:
            faults.append(f"request to another machine: {url}")

    def open_one(
        *,
        width: int = 1280,
        language: str | None = None,
        color_scheme: Literal["light", "dark"] = "light",
        alone: bool = False,
        ready: str = "[data-action=submit]",
        **options: Any,  # noqa: ANN401  of a context, as Playwright has them
    ) -> Page:
        if alone or options:
            own.append(browser.new_context(**options))
        page = (own[-1] if alone or options else _left_clean(browser, app)).new_page()
        watch(page)
        page.set_default_timeout(PATIENCE_MS)
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=color_scheme, reduced_motion="reduce")
        page.goto(app.url)
        page.locator(ready).first.wait_for()
        if language is not None:
            page.locator(f".fmp-language[data-language={language}]").click()
        return page

    yield open_one
    for page in pages:
        faults += ["a traceback on the page"] * ("Traceback" in page.content())
        page.close()
    for context in own:
        context.close()
    assert not faults, faults


def _left_clean(browser: Browser, app: App) -> BrowserContext:
    """Return a context with no open visitor and no data of earlier visitors, who came one after the other.

    Its first page stays, and with it the process in which the scripts of the app are compiled: a page opens there in a
    third of the time.
    """
    for context in browser.contexts:
        if [page.url.endswith(_STAYING) for page in context.pages] == [True]:
            try:
                return _cleaned(context, context.pages[0], app)
            except Error:  # its process ended with a visitor's
                context.close()
    context = browser.new_context()
    return _cleaned(context, context.new_page(), app)


def _cleaned(context: BrowserContext, first: Page, app: App) -> BrowserContext:
    if not first.url.startswith(f"{app.url}/"):
        first.goto(f"{app.url}{_STAYING}")
    first.evaluate("localStorage.clear()")
    for name in ("fixmypose", "fixmypose.sequences"):
        first.evaluate("(name) => { indexedDB.deleteDatabase(name); }", name)
    context.clear_cookies()
    return context


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    """Return real photographs of FMP_SHARED, else drawn ones; one shows two people of different size."""
    real = Path(os.environ["FMP_SHARED"]) / "data" / "real" / "photos"
    standing, warrior = real / "standing.jpg", real / "warrior2.jpg"
    if not (standing.is_file() and warrior.is_file()):
        standing, warrior = (EXAMPLES / f"warrior_{moment}.jpg" for moment in ("current", "target"))
    with Image.open(standing) as opened:
        person = opened.convert("RGB")
    both = Image.new("RGB", (person.width * 2, person.height), "white")
    both.paste(person, (0, 0))
    both.paste(person.resize((person.width * 3 // 4, person.height * 3 // 4)), (person.width, person.height // 4))
    two_people = tmp_path_factory.mktemp("pictures") / "two.png"
    both.save(two_people)
    return Pictures(standing, warrior, two_people)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Rerun a failed browser test at most twice: Chromium on two shared cores sometimes drops a key or a paint.

    A fault of the app fails three times. The last lines of a run name and count the reruns (tests/run_summary.py).
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.flaky(reruns=2))
