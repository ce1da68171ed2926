"""The first page as a stranger's browser loads it: bytes, requests and times, with an empty cache, over a slow line."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from tests.benchmarks.walks import PHONE, SLOW_LINE, a_browser, on_line
from tests.browser.visits import running_app

DESK = {"viewport": {"width": 1280, "height": 800}}
USABLE = "() => Boolean(window.FMP?.forms?.correct)"  # the form's script runs: a press is heard
ANSWERED = "() => Boolean(document.querySelector('.fmp-answer[data-outcome=example]'))"
_WAIT_MS = 90_000
_OBSERVED = """() => {
    const seen = window.__page = { largest: 0, shift: 0, blocked: 0 };
    const watch = (type, see) =>
        new PerformanceObserver((list) => list.getEntries().forEach(see)).observe({ type, buffered: true });
    watch("largest-contentful-paint", ({ startTime }) => { seen.largest = startTime; });
    watch("layout-shift", ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value; });
    watch("longtask", ({ duration }) => { seen.blocked += Math.max(0, duration - 50); });
}"""
_PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
_READY = f"""() => {{
    const done = () => {{ if (({USABLE})()) performance.mark("usable"); else setTimeout(done, 10); }};
    done();
}}"""


@dataclass(frozen=True)
class Line:
    """A connection and what Chromium is told of it."""

    name: str
    conditions: Mapping[str, object]


SLOW = Line("1.6 Mbit/s, 150 ms", SLOW_LINE)
UNTHROTTLED = Line("unthrottled", SLOW_LINE | {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


@dataclass(frozen=True)
class FirstPage:
    """One visit: what had come when the form could be used, and milliseconds since the address was opened."""

    requests: int
    bytes_by_kind: dict[str, int]
    first_paint: float
    largest_paint: float
    usable: float
    answered: float
    shift: float
    blocked: float

    @property
    def bytes(self) -> int:
        """All bytes that had come over the line."""
        return sum(self.bytes_by_kind.values())


def visit(browser: Browser, url: str, line: Line, **options: Any) -> FirstPage:  # noqa: ANN401  of a context, as Playwright has them
    """Open the page as a stranger and wait until its example is answered."""
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        page.set_default_timeout(_WAIT_MS)
        session = on_line(page, line.conditions)
        kinds: dict[str, str] = {}
        came: Counter[str] = Counter()  # by request

        def asked(event: dict[str, Any]) -> None:
            if urlsplit(event["request"]["url"]).scheme in {"http", "https"}:
                kinds[event["requestId"]] = _kind(event["request"]["url"], event["type"])

        def received(event: dict[str, Any]) -> None:
            came[event["requestId"]] += event["encodedDataLength"]

        def finished(event: dict[str, Any]) -> None:
            came[event["requestId"]] = max(came[event["requestId"]], int(event["encodedDataLength"]))

        session.on("Network.requestWillBeSent", asked)
        session.on("Network.dataReceived", received)
        session.on("Network.loadingFinished", finished)
        page.add_init_script(f"({_OBSERVED})(); ({_READY})();")
        page.goto(url, wait_until="commit")
        page.wait_for_function(USABLE, polling=20)
        weight: Counter[str] = Counter()
        for request, kind in list(kinds.items()):
            weight[kind] += came[request]
        number = len(kinds)
        page.wait_for_function(ANSWERED, polling=20)
        answered = page.evaluate("() => performance.now()")
        page.wait_for_load_state("networkidle")
        seen = page.evaluate("() => window.__page")
        usable = page.evaluate("() => performance.getEntriesByName('usable')[0].startTime")
        return FirstPage(
            number,
            dict(weight),
            page.evaluate(_PAINTED),
            seen["largest"],
            usable,
            answered,
            seen["shift"],
            seen["blocked"],
        )
    finally:
        context.close()


TITLES = (
    "kB",
    "document",
    "Gradio",
    "requests",
    "paint s",
    "largest s",
    "usable s",
    "example s",
    "shift",
    "blocked ms",
)


def row(seen: Sequence[FirstPage]) -> list[str]:
    """Return the medians of some visits, as :data:`TITLES` has them."""
    kilobytes = [[one.bytes, one.bytes_by_kind["document"], one.bytes_by_kind["gradio"]] for one in seen]
    seconds = [[one.first_paint, one.largest_paint, one.usable, one.answered] for one in seen]
    return [
        *(f"{median(values) / 1000:.0f}" for values in zip(*kilobytes, strict=True)),
        f"{median(one.requests for one in seen):.0f}",
        *(f"{median(values) / 1000:.1f}" for values in zip(*seconds, strict=True)),
        f"{median(one.shift for one in seen):.3f}",
        f"{median(one.blocked for one in seen):.0f}",
    ]


def every(model: Path, runs: int = 3) -> Iterator[tuple[str, list[FirstPage]]]:
    """Each kind of visit by its name, made some times."""
    with tempfile.TemporaryDirectory(prefix="fixmypose-first-page-") as name, a_browser() as browser:
        folder = Path(name)
        (folder / "uploads").mkdir()
        with running_app(model, folder / "data", folder / "uploads") as app:
            visit(browser, app.url, UNTHROTTLED)  # what is compressed once is by now
            for device, options in (("phone", PHONE), ("desk", DESK)):
                for line in (SLOW, UNTHROTTLED):
                    yield f"{device}, {line.name}", [visit(browser, app.url, line, **options) for _ in range(runs)]


def _kind(url: str, kind: str) -> str:
    """Return what a request is for: the document, Gradio's scripts and styles, or what is ours."""
    path = urlsplit(url).path
    if kind == "Document":
        return "document"
    if "/assets/" in path or "/static/" in path or path.startswith("/gradio_api/"):
        return "gradio"
    return "pictures" if kind == "Image" else "ours"
