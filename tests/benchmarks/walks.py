"""Walks through the app as people take them: the steps of each, and its seconds on this machine.

A step is what somebody does: a press, a key, a picture picked, an address opened, a command or a call. Every walk
begins before the page is open, and ends where its person has what they came for.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gradio_client import Client, handle_file
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from annotate.kinds.vote import Vote
from annotate.storage.store import open_store, store_path
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.tools import call_tool, data_uri
from tests.browser.visits import ROOT, App, running_app

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "locale": "hi-IN"}
SLOW_LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}  # bytes/s
MAX_TABS = 200
_DOCS = ROOT / "docs" / "annotation.md"
_WAIT_MS = 90_000

_AT = "(wanted) => Boolean(document.activeElement?.matches(wanted))"


@dataclass(frozen=True)
class Walked:
    """How many ``steps`` a walk took, and how many ``seconds`` on the clock."""

    steps: int
    seconds: float


@dataclass
class Walker:
    """Somebody at a page, whose steps are counted."""

    page: Page
    steps: int = 0
    began: float = field(default_factory=time.perf_counter)

    def open(self, address: str) -> None:
        """Open an address, until the page has all that it asks for."""
        self.steps += 1
        self.page.goto(address)
        self.page.wait_for_load_state("networkidle")

    def press(self, selector: str) -> None:
        """Tap or click."""
        self.steps += 1
        self.page.locator(selector).first.click()

    def pick(self, which: str, picture: Path, *, by_key: bool = False) -> None:
        """Press what chooses a picture, or Enter on it, and pick one from what the device shows then."""
        choose = f"[data-which={which}] [data-action=choose]"
        if by_key:
            self.tab_to(choose)
            self.key("Enter")
        else:
            self.press(choose)
        self.steps += 1
        self.page.locator(f"[data-which={which}] input[type=file]").set_input_files(picture)
        self.see(f"[data-which={which}] [data-action=change]")

    def key(self, name: str) -> None:
        """Press one key."""
        self.steps += 1
        self.page.keyboard.press(name)

    def tab_to(self, wanted: str) -> None:
        """Press Tab until that has the focus; ValueError where it never has."""
        for _ in range(MAX_TABS):
            if self.page.evaluate(_AT, wanted):
                return
            self.key("Tab")
        message = f"no Tab leads to {wanted}"
        raise ValueError(message)

    def see(self, selector: str) -> None:
        """Wait until it is there."""
        self.page.locator(selector).first.wait_for(timeout=_WAIT_MS)

    def done(self) -> Walked:
        """Return the walk so far."""
        return Walked(self.steps, time.perf_counter() - self.began)


@contextmanager
def walker(browser: Browser, **options: Any) -> Iterator[Walker]:  # noqa: ANN401  of a context, as Playwright has them
    """Somebody who was never here, with a page that is not open yet."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.set_default_timeout(_WAIT_MS)
    try:
        yield Walker(page)
    finally:
        context.close()


def at_home(app: App, browser: Browser, pictures: tuple[Path, Path]) -> Walked:
    """On a phone in Hindi, from the address to a correction of two photographs."""
    with walker(browser, **PHONE) as me:
        me.open(app.url)
        me.see("[data-action=submit]")
        if me.page.locator("html").get_attribute("lang") != "hi":
            me.press(".fmp-language[data-language=hi]")
        for which, picture in zip(("current", "target"), pictures, strict=True):
            me.pick(which, picture)
        me.press("[data-action=submit]")
        me.see(".fmp-answer[data-outcome=correction] .fmp-step[lang=hi]")
        return me.done()


def on_line(page: Page, conditions: Mapping[str, object]) -> CDPSession:
    """Let a page load over a line, with an empty cache."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    session.send("Network.emulateNetworkConditions", dict(conditions))
    return session


def first_visit(app: App, browser: Browser) -> Walked:
    """On a phone with an empty cache and a slow line, from the address to an answer that can be read."""
    with walker(browser, **PHONE) as me:
        on_line(me.page, SLOW_LINE)
        me.steps += 1
        me.page.goto(app.url, wait_until="commit")
        me.see(".fmp-answer[data-outcome=example] .fmp-step[lang=hi]")
        return me.done()


_HANDS_ON = (
    "navigator.canShare = () => true; navigator.share = async () => {}"  # a phone that shares with whom it likes
)


def handed_on(app: App, browser: Browser, pictures: tuple[Path, Path], folder: Path) -> Walked:
    """On a phone, from the address to an answer that is handed on as a picture and saved as a loop."""
    with walker(browser, **{**PHONE, "locale": "en-GB", "accept_downloads": True}) as me:
        me.page.add_init_script(_HANDS_ON)
        me.open(app.url)
        me.see("[data-action=submit]")
        for which, picture in zip(("current", "target"), pictures, strict=True):
            me.pick(which, picture)
        me.press("[data-action=submit]")
        me.see(".fmp-answer[data-outcome=correction] .fmp-step")
        me.press("[data-action=share]")
        me.see(".fmp-answer-status:not(:empty)")
        with me.page.expect_download() as saving:
            me.press("[data-action=loop]")
        saving.value.save_as(folder / "loop.webp")
        return me.done()


def by_ear(app: App, browser: Browser, pictures: tuple[Path, Path]) -> Walked:
    """With a screen reader, by the keys alone, from the address to the heading of the answer."""
    with walker(browser, locale="en-GB") as me:
        me.open(app.url)
        me.see("[data-action=submit]")
        for which, picture in zip(("current", "target"), pictures, strict=True):
            me.pick(which, picture, by_key=True)
        me.tab_to("[data-action=submit]")
        me.key("Enter")
        me.see(".fmp-answer[data-outcome=correction] .fmp-step")
        me.page.wait_for_function(_AT, arg=".fmp-answer h2", timeout=_WAIT_MS)
        return me.done()


def annotator(app: App, browser: Browser) -> Walked:
    """By the keys alone, from the link to the votes to the thanks for the first one."""
    with walker(browser, locale="en-GB") as me:
        me.open(f"{app.url}/#annotate/vote")
        me.see("input[name=fmp-agree]")
        me.tab_to("input[name=fmp-agree]")
        me.key("Space")
        me.tab_to("[data-action=agree]")
        me.key("Enter")
        _vote_by_key(me)
        return me.done()


def _vote_by_key(me: Walker) -> None:
    me.see("form.fmp-task")
    for name in ("relevant", "fluent"):
        shown = me.page.locator(f"input[name={name}][data-key]").first.get_attribute("data-key")
        me.key(str(shown))
    me.key("Enter")
    me.page.wait_for_function(
        "(line) => document.querySelector(line).textContent.trim() && !window.FMP.work.busy", arg=".fmp-said-line"
    )


def owner(app: App, browser: Browser, folder: Path) -> Walked:
    """At the machine itself, from the address to the results, and all answers saved as a file."""
    with walker(browser, locale="en-GB", accept_downloads=True) as me:
        me.open(f"{app.owner_url}#annotate")
        me.press("[data-action=look]")
        me.see(".fmp-results, [data-action=unblind]")
        if me.page.locator("[data-action=unblind]").count():
            me.press("[data-action=unblind]")
        with me.page.expect_download() as saving:
            me.press("[data-action=download][data-form=answers]")
        saving.value.save_as(folder / "answers.zip")
        return me.done()


def by_api(app: App, pictures: tuple[Path, Path]) -> Walked:
    """Time a program's first call, including the connection."""
    began = time.perf_counter()
    client = Client(app.url, verbose=False)
    answer = client.predict(*(handle_file(str(one)) for one in pictures), "en", api_name="/correct")
    return Walked(_one_text(answer["text"]), time.perf_counter() - began)


def by_tool(app: App, pictures: tuple[Path, Path]) -> Walked:
    """Time a tool call over MCP with inline photographs, including the connection."""
    began = time.perf_counter()
    current, target = map(data_uri, pictures)
    result = call_tool(app, "correct", {"current": current, "target": target, "language": "en"})
    return Walked(_one_text("" if result.isError else str(result.content)), time.perf_counter() - began)


def _one_text(answer: str) -> int:
    """Return the one step that a call is; raise ValueError if it returned nothing."""
    if not answer:
        message = "the call brought no text"
        raise ValueError(message)
    return 1


def researcher(model: Path, browser: Browser, folder: Path) -> Walked:
    """Follow docs/annotation.md, from the bundled sample to a campaign, the first vote and the report."""
    block = re.findall(r"^```\n(.*?)^```", _DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
    commands = block.splitlines()
    (folder / "fmp_models" / "data").mkdir(parents=True)
    (folder / "fmp_models" / "data" / "sample").symlink_to(ROOT / "fmp_models" / "data" / "sample")
    began, steps = time.perf_counter(), 0
    for line in commands[: next(at for at, one in enumerate(commands) if " report " in one) + 1]:
        steps += 1
        *settings, _, _ = shlex.split(line)
        if line.endswith("make run"):
            (folder / "uploads").mkdir()
            campaign = str(folder / settings[0].partition("=")[2])
            with running_app(model, folder / "data", folder / "uploads", FMP_CAMPAIGN=campaign) as app:
                steps += annotator(app, browser).steps
        else:
            _run(line, folder)
    return Walked(steps, time.perf_counter() - began)


def _run(line: str, folder: Path) -> None:
    """One command of the docs, in a folder from which the sample is reached as they say."""
    _, *rest = shlex.split(line)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "FMP_DATA_DIR": str(folder / "data")}
    subprocess.run([sys.executable, *rest], cwd=folder, env=environment, check=True, capture_output=True)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """Chromium as the tests start it."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=executable, args=list(CHROMIUM_ARGUMENTS))
        yield launched
        launched.close()


def every(model: Path, pictures: tuple[Path, Path], runs: int = 3) -> Iterator[tuple[str, list[Walked]]]:
    """Each walk by its name, taken some times by somebody new; that of the researcher once."""
    with tempfile.TemporaryDirectory(prefix="fixmypose-walks-", dir=ROOT) as name, a_browser() as browser:
        folder = Path(name)
        (folder / "uploads").mkdir()
        with running_app(model, folder / "data", folder / "uploads") as app:
            walks: dict[str, Callable[[], Walked]] = {
                "first visit: slow phone, an answer to read": lambda: first_visit(app, browser),
                "at home: phone, Hindi, two photographs": lambda: at_home(app, browser, pictures),
                "share a result: picture handed on, loop saved": lambda: handed_on(app, browser, pictures, folder),
                "screen reader: keys to the answer": lambda: by_ear(app, browser, pictures),
                "annotator: keys, consent to first vote": lambda: annotator(app, browser),
                "owner: results, answers saved": lambda: owner(app, browser, folder),
                "developer: one call of /correct": lambda: by_api(app, pictures),
                "developer: one tool call over MCP": lambda: by_tool(app, pictures),
            }
            at_home(app, browser, pictures)  # the first answer of all loads the models
            for walk, take in walks.items():
                yield walk, [take() for _ in range(runs)]
        store = open_store(store_path(folder / "data"))
        given = len(store.live(kind=Vote.kind))
        store.close()
        if given != runs:
            message = f"{given} votes were kept of {runs}"
            raise ValueError(message)
        (folder / "researcher").mkdir()
        yield "researcher: sample to campaign, vote, report", [researcher(model, browser, folder / "researcher")]
