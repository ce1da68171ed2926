"""The live coach before Chromium's fake camera: frames a second, and the time from a frame to what is drawn over it."""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.visits import running_app

SECONDS = 20
_SIDE = (480, 640)
_STILL = 60  # frames of the film for each picture; Chromium plays it at 30 a second
_ARGUMENTS = ("--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


@dataclass(frozen=True)
class Seen:
    """What one visitor saw: frames a second, and milliseconds from each frame to its overlay."""

    rate: float
    waits: list[float]


def exercising(pose_model: Path, pictures: Sequence[Path], visitors: int) -> list[Seen]:
    """So many visitors at once, each before a camera that shows the pictures in turn."""
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(3)]
        film = folders[2] / "camera.mjpeg"
        film.write_bytes(b"".join(_fitted(picture) * _STILL for picture in pictures))
        app = stack.enter_context(running_app(pose_model, *folders[:2], FMP_LIVE_VISITORS=str(visitors)))
        playwright = stack.enter_context(sync_playwright())
        arguments = [*_ARGUMENTS, f"--use-file-for-fake-video-capture={film}"]
        executable = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        stack.callback(browser.close)
        pages = [_started(browser.new_page(), app.url) for _ in range(visitors)]
        for page in pages:
            page.evaluate("window.frames_seen.length = 0")
        pages[0].wait_for_timeout(1000 * SECONDS)
        waits = [page.evaluate("window.frames_seen") for page in pages]
        return [Seen(len(one) / SECONDS, one) for one in waits]


def _started(page: Page, url: str) -> Page:
    page.goto(f"{url}/#live")
    page.locator(".fmp-live .fmp-primary").wait_for()
    page.evaluate(
        "window.frames_seen = []; document.addEventListener('fmp:frame', ({ detail }) => frames_seen.push(detail))"
    )
    page.locator(".fmp-live [data-action=start]").click()
    page.wait_for_function("window.frames_seen.length > 5")
    return page


def _fitted(path: Path) -> bytes:
    """The picture in the middle of a portrait frame, as JPEG."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail(_SIDE)
    whole, written = Image.new("RGB", _SIDE, (120, 120, 120)), io.BytesIO()
    whole.paste(picture, ((_SIDE[0] - picture.width) // 2, (_SIDE[1] - picture.height) // 2))
    whole.save(written, "JPEG", quality=90)
    return written.getvalue()
