"""Chromium's fake camera plays a film from its beginning, as large and as fast as the film is meant."""

from __future__ import annotations

import base64
import io
import shutil
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.films import RATE, camera_arguments, film
from tests.thoroughness import thorough

# Gives the size of the picture, when frames came (ms since the first) and the first of them as a PNG file.
_WATCH = """async (wanted) => {
    const stream = await navigator.mediaDevices.getUserMedia({ video: true });
    const video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true });
    document.body.append(video);
    const canvas = document.createElement("canvas");
    const times = [];
    const done = new Promise((resolve) => {
        const next = (_, { presentedFrames, mediaTime }) => {
            if (!times.length) {
                [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
                canvas.getContext("2d").drawImage(video, 0, 0);
            }
            times.push([presentedFrames, mediaTime]);
            times.length < wanted ? video.requestVideoFrameCallback(next) : resolve();
        };
        video.requestVideoFrameCallback(next);
    });
    await video.play();
    await done;
    stream.getTracks().forEach((track) => track.stop());
    return { size: [canvas.width, canvas.height], times, first: canvas.toDataURL("image/png").split(",")[1] };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """Yield an empty page with a camera that plays the film."""
    launched = browser.browser_type.launch(
        executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
        args=[*CHROMIUM_ARGUMENTS, *camera_arguments(film("arms"))],
    )
    opened = launched.new_page()
    opened.route("**/*", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
    opened.goto("http://localhost/")
    yield opened
    launched.close()


@thorough
def test_the_camera_plays_the_film_from_its_beginning_at_its_own_size_and_rate(page: Page) -> None:
    watched = page.evaluate(_WATCH, 25)

    assert tuple(watched["size"]) == film("arms").frames[0].size
    (first, began), (last, ended) = watched["times"][0], watched["times"][-1]
    assert (last - first) / (ended - began) == pytest.approx(RATE, rel=0.15)
    with Image.open(io.BytesIO(base64.b64decode(watched["first"]))) as first_frame:
        picture = np.asarray(first_frame.convert("RGB"), dtype=np.float64)
    away = [np.abs(picture - np.asarray(frame, dtype=np.float64)).mean() for frame in film("arms").frames]
    assert min(away) < 5
    assert min(away[:20]) == min(away)  # nobody moves yet
