"""The live coach before Chromium's fake camera: frames a second, and the time from a frame to what is drawn over it.

Joints are found by the server in frames that are sent, or by the browser. What visitors of the second kind cost the
server shows where only their landmarks are sent, since their browsers run elsewhere.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import requests
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from demo.live.web_build import WEB_BUILD, WEB_BUILD_NAME, fetch_web_build, is_whole_build
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from fmp_models.preprocessing import read_photograph
from tests.browser.visits import App, running_app

SECONDS = 20
_SIDE = (480, 640)
_STILL = 60  # frames of the film for each picture; Chromium plays it at 30 a second
_ARGUMENTS = ("--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


@dataclass(frozen=True)
class Seen:
    """What one visitor saw: frames a second, and milliseconds from each frame to its overlay; and who found joints."""

    rate: float
    waits: list[float]
    in_browser: bool = True


@dataclass(frozen=True)
class Visitors:
    """How many exercise at once, in what browsers, and whether these find joints themselves."""

    count: int = 1
    in_browser: bool = False
    phone: bool = False  # 390 pixels wide, its main thread four times as slow

    @property
    def words(self) -> str:
        """What they are, for a table."""
        return f"{'browser' if self.in_browser else 'server'} finds joints{', phone' if self.phone else ''}"


def exercising(pose_model: Path, pictures: Sequence[Path], visitors: Visitors) -> list[Seen]:
    """So many visitors at once, each before a camera that shows the pictures in turn."""
    with contextlib.ExitStack() as stack:
        film = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "camera.mjpeg"
        film.write_bytes(b"".join(_fitted(picture) * _STILL for picture in pictures))
        app = stack.enter_context(_app(pose_model, visitors.count, visitors.count * visitors.in_browser))
        playwright = stack.enter_context(sync_playwright())
        arguments = [*_ARGUMENTS, f"--use-file-for-fake-video-capture={film}"]
        executable = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=executable, args=arguments)
        stack.callback(browser.close)
        pages = [_started(browser.new_page(), app.url, phone=visitors.phone) for _ in range(visitors.count)]
        for page in pages:
            page.evaluate("window.frames_seen.length = 0")
        pages[0].wait_for_timeout(1000 * SECONDS)
        waits = [page.evaluate("window.frames_seen") for page in pages]
        stays = [page.locator(".fmp-live-way", has_text="stay").count() > 0 for page in pages]
        return [Seen(len(one) / SECONDS, one, here) for one, here in zip(waits, stays, strict=True)]


def posting(pose_model: Path, pictures: Sequence[Path], visitors: int) -> list[Seen]:
    """So many visitors at once on other machines, whose browsers send what they find ten times a second."""
    body = _landmarks(pose_model, pictures[0])
    with _app(pose_model, 1, visitors + 1) as app, ThreadPoolExecutor(visitors) as pool:
        end = threading.Event()

        def exercise(_: int) -> Seen:
            session, waits = requests.Session(), []
            seat = session.post(f"{app.url}/live/begin", params={"landmarks": "true"}).json()["seat"]
            session.post(f"{app.url}/live/goal", params={"seat": seat, "picture": "warrior"}).raise_for_status()
            begun = time.perf_counter()
            while not end.is_set():
                asked = time.perf_counter()
                session.post(f"{app.url}/live/landmarks", params={"seat": seat}, data=body).raise_for_status()
                waits.append(1000 * (time.perf_counter() - asked))
                end.wait(max(0.0, asked + 0.1 - time.perf_counter()))
            return Seen(len(waits) / (time.perf_counter() - begun), waits)

        threading.Timer(SECONDS, end.set).start()
        return list(pool.map(exercise, range(visitors)))


@contextlib.contextmanager
def _app(pose_model: Path, frames: int, landmarks: int) -> Iterator[App]:
    """Yield an app with room for both kinds of live sessions."""
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as temporary:
        if landmarks and not is_whole_build(WEB_BUILD):
            fetch_web_build(Path(data) / "models" / WEB_BUILD_NAME)
        with running_app(
            pose_model,
            Path(data),
            Path(temporary),
            FMP_LIVE_VISITORS=str(frames),
            FMP_LIVE_BROWSER_VISITORS=str(landmarks),
        ) as app:
            yield app


def _landmarks(pose_model: Path, picture: Path) -> bytes:
    """Return what a browser sends of a picture of one person."""
    estimator, photograph = MediaPipeEstimator(pose_model), read_photograph(picture.read_bytes())
    (found,) = estimator.looks_at(photograph.image, estimator.estimate(photograph).box, [(2.0, False)])
    assert found.landmarks is not None
    return np.array([*photograph.image.size, *found.landmarks.ravel()], "<f4").tobytes()


def _started(page: Page, url: str, *, phone: bool) -> Page:
    if phone:
        page.set_viewport_size({"width": 390, "height": 844})
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(f"{url}/#live")
    page.locator(".fmp-live .fmp-primary").wait_for()
    page.evaluate(
        "window.frames_seen = []; document.addEventListener('fmp:frame', ({ detail }) => frames_seen.push(detail))"
    )
    page.locator(".fmp-live [data-action=start]").click()
    page.wait_for_function("window.frames_seen.length > 30", timeout=120_000)
    return page


def _fitted(path: Path) -> bytes:
    """Return the picture in the middle of a portrait frame, as JPEG."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    picture.thumbnail(_SIDE)
    whole, written = Image.new("RGB", _SIDE, (120, 120, 120)), io.BytesIO()
    whole.paste(picture, ((_SIDE[0] - picture.width) // 2, (_SIDE[1] - picture.height) // 2))
    whole.save(written, "JPEG", quality=90)
    return written.getvalue()
