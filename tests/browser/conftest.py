"""One running app and one browser for all tests of a process, and pages that prove what no page may ever do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

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
    "--use-fake-device-for-media-stream",
    "--use-fake-ui-for-media-stream",
)


@pytest.fixture(scope="session")
def app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One app for all tests of a process."""
    retriever = save_retriever(tmp_path_factory.mktemp("retriever") / "tiny", "en", "hi", missing=True)
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_RETRIEVER=str(retriever)) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_ARGUMENTS))
        yield launched
        launched.close()


@pytest.fixture
def open_page(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the page in a visitor's own context; at the end no traceback, no script error, no foreign host was met."""
    with visitors(app, browser) as open_one:
        yield open_one


@contextmanager
def visitors(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """What opens the page of any app, with the same checks at the end."""
    faults: list[str] = []
    contexts = []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("request", lambda request: check_host(request.url))

    def check_host(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname != "127.0.0.1":
            faults.append(f"request to another machine: {url}")

    def open_one(*, width: int = 1280, language: str | None = None, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        watch(page)
        page.goto(app.url)
        page.locator("[data-action=submit]").wait_for()
        if language is not None:
            page.locator(f".fmp-language[data-language={language}]").click()
        return page

    yield open_one
    for context in contexts:
        faults += ["a traceback on the page" for page in context.pages if "Traceback" in page.content()]
        context.close()
    assert not faults, faults


@pytest.fixture(scope="session")
def pictures(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Pictures:
    """Real photographs, and one with two people of different size beside each other."""
    photographs = shared / "data" / "real" / "photos"
    standing = photographs / "standing.jpg"
    with Image.open(standing) as opened:
        person = opened.convert("RGB")
    both = Image.new("RGB", (person.width * 2, person.height), "white")
    both.paste(person, (0, 0))
    both.paste(person.resize((person.width * 3 // 4, person.height * 3 // 4)), (person.width, person.height // 4))
    two_people = tmp_path_factory.mktemp("pictures") / "two.png"
    both.save(two_people)
    return Pictures(standing, photographs / "warrior2.jpg", two_people)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a browser test that failed once more: Chromium on two shared cores drops a key or a paint now and then.

    A fault of ours fails twice; what passed on the second try is listed as a rerun in the summary (``-rR``).
    """
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.flaky(reruns=1))
