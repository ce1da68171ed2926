"""The live coach with joints that the visitor's own browser finds: MediaPipe's web build in Chromium, on a film."""

from __future__ import annotations

import base64
import io
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import requests
from PIL import Image
from playwright.sync_api import Browser, Page, Request, Route, expect

from demo.live.routes import read_landmarks
from demo.live.web_build import WEB_BUILD, WEB_BUILD_NAME, fetch_web_build, is_whole_build
from fmp_models.errors import BadInputError
from fmp_models.estimators.mediapipe import MediaPipeEstimator
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.test_accessibility import findings
from tests.browser.test_live import choose_own, live_visitors, start
from tests.browser.visits import App, running_app
from tests.films import HELD, camera_arguments, film
from tests.thoroughness import one_of, thorough

# Has the page's worker look at pictures, one after the other, and gives what it would send of each.
_LOOK_AT = """async ([address, pictures]) => {
    const worker = new Worker(new URL(address + 'landmark_worker.js', document.baseURI), { type: 'module' });
    const asked = (message) => new Promise((done, fail) => {
        worker.onmessage = ({ data }) => data.failed ? fail(new Error(data.failed)) : done(data);
        worker.onerror = () => fail(new Error('not loaded'));
        worker.postMessage(message);
    });
    await asked({});
    const bodies = [];
    for (const [number, picture] of pictures.entries()) {
        const image = await (await fetch('data:image/png;base64,' + picture)).blob();
        const { body } = await asked({ frame: await createImageBitmap(image), at: 100 * number });
        bodies.push(btoa(String.fromCharCode(...new Uint8Array(body))));
    }
    worker.terminate();
    return bodies;
}"""
# Time as the page measures it goes by slowly, and it waits long: a machine that does other work too is not too slow.
_PATIENT = """() => {
    const now = performance.now.bind(performance), later = window.setTimeout;
    performance.now = () => now() / 5;
    window.setTimeout = (act, after, ...more) => later(act, after >= 5000 ? 5 * after : after, ...more);
}"""
_SEATS = 4  # more than have frames looked at
_APART, _TILTED = 0.005, 0.5  # metres on average, and degrees: from what the server's own pose model finds


@pytest.fixture(scope="module")
def looking(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app that lets browsers estimate joints, and estimates one visitor's frames itself."""
    data, temporary = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("temporary")
    if not is_whole_build(WEB_BUILD):
        try:
            fetch_web_build(data / "models" / WEB_BUILD_NAME)
        except BadInputError as error:
            pytest.skip(str(error))
    with running_app(
        pose_model, data, temporary, FMP_LIVE_VISITORS="1", FMP_LIVE_BROWSER_VISITORS=str(_SEATS)
    ) as running:
        yield running


@pytest.fixture(scope="module")
def before_a_camera(browser: Browser) -> Iterator[Browser]:
    arguments = [*CHROMIUM_ARGUMENTS, *camera_arguments(film("arms"))]
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    launched = browser.browser_type.launch(executable_path=executable, args=arguments)
    yield launched
    launched.close()


@pytest.fixture
def open_live(looking: App, before_a_camera: Browser) -> Iterator[Callable[..., Page]]:
    with live_visitors(looking, before_a_camera) as open_one:
        yield open_one


def posted(page: Page) -> list[Request]:
    """Return the messages that are sent to the live coach from now on."""
    sent: list[Request] = []
    page.on("request", lambda one: sent.append(one) if one.method == "POST" and "/live/" in one.url else None)
    return sent


def address_of(page: Page) -> str:
    found = page.evaluate("JSON.parse(document.querySelector('.fmp-live').dataset.settings).here.address")
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 0))
def test_an_exercise_goes_to_its_summary_and_no_picture_of_the_camera_is_sent(
    open_live: Callable[..., Page], width: int, language: str
) -> None:
    page = open_live(width=width, language=language)
    stays = {"en": "stay on this device", "hi": "इसी डिवाइस पर रहती हैं"}[language]
    expect(page.locator(".fmp-live-privacy")).to_contain_text(stays)
    page.evaluate(_PATIENT)
    choose_own(page, film("arms"))
    sent = posted(page)
    start(page)
    expect(page.locator(".fmp-live-way")).to_contain_text(stays)
    assert findings(page) == []
    page.locator(".fmp-live-summary").wait_for()
    assert page.locator(".fmp-live-bests canvas").count() == 1
    routes = [request.url.partition("/live/")[2].partition("?")[0] for request in sent]
    assert set(routes) - {"stay"} == {"begin", "goal", "landmarks", "end"}
    assert routes.count("goal") == 1
    bodies = [one.post_data_buffer or b"" for one, route in zip(sent, routes, strict=True) if route == "landmarks"]
    assert max(map(len, bodies)) < 4000
    assert read_landmarks(bodies[-1]) is not None


def test_the_browser_finds_the_joints_and_the_tilt_that_the_server_finds(
    open_live: Callable[..., Page], pose_model: Path
) -> None:
    page, frames = open_live(), film("arms").frames[HELD - 20 : HELD + 20]
    pictures = []
    for frame in frames:
        file = io.BytesIO()
        frame.resize((360, 480)).save(file, "PNG")
        pictures.append(file.getvalue())
    encoded = [base64.b64encode(picture).decode() for picture in pictures]
    bodies = page.evaluate(_LOOK_AT, [address_of(page), encoded])

    estimator = MediaPipeEstimator(pose_model)
    here, there = estimator.new_landmark_tracker(), estimator.new_tracker()
    apart, tilted = [], []
    for number, (picture, body) in enumerate(zip(pictures, bodies, strict=True)):
        mine = here.track(read_landmarks(base64.b64decode(body)), number / 10)
        own = there.track(Image.open(io.BytesIO(picture)).convert("RGB"), number / 10)
        assert mine is not None
        assert own is not None
        assert mine.size == own.size
        apart.append(np.linalg.norm(mine.pose.joints - own.pose.joints, axis=1).mean())
        tilted.append((mine.tilt.pitch - own.tilt.pitch, mine.tilt.roll - own.tilt.roll))
    assert np.abs(tilted).max() < _TILTED
    assert np.mean(apart) < _APART


@thorough
@pytest.mark.parametrize("lacking", ["*.wasm", "landmark_worker.js", "pose_landmarker.task"])
def test_where_what_finds_joints_does_not_load_frames_are_sent(open_live: Callable[..., Page], lacking: str) -> None:
    page = open_live()

    def refuse(route: Route) -> None:
        route.fulfill(status=404)

    page.context.route(f"**/live/looking/**/{lacking}", refuse)
    try:
        page.locator(".fmp-goal", has_text="Warrior").click()
        with page.expect_request("**/live/frame*"):
            start(page)
        expect(page.locator(".fmp-live-way")).to_contain_text("none is stored")
    finally:
        page.context.unroute(f"**/live/looking/**/{lacking}")


@thorough
def test_a_browser_that_is_too_slow_goes_over_to_frames_and_says_and_remembers_it(
    open_live: Callable[..., Page],
) -> None:
    page = open_live()
    page.evaluate("""() => {
        const own = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (...message) { setTimeout(() => own.apply(this, message), 200); };
    }""")
    page.locator(".fmp-goal", has_text="Warrior").click()
    with page.expect_request("**/live/landmarks*"):
        start(page)
    with page.expect_request("**/live/frame*"):
        pass
    expect(page.locator(".fmp-live-slow")).to_contain_text("is too slow to find your joints")
    expect(page.locator(".fmp-live-way")).to_contain_text("none is stored")
    page.keyboard.press("Escape")
    page.locator(".fmp-live-summary").wait_for()
    sent = posted(page)
    with page.expect_request("**/live/frame*"):
        page.locator("[data-action=start]").click()
    assert not [one.url for one in sent if "/live/landmarks" in one.url]
    assert "up to fifteen times a second" in page.locator(".fmp-live-privacy").inner_text()


@thorough
def test_a_worker_that_breaks_goes_over_to_frames_where_the_exercise_stands(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.evaluate(_PATIENT)
    page.evaluate("""() => {
        const own = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function (message, transferred) {
            own.call(this, window.broken && message.frame ? { frame: {} } : message, window.broken ? [] : transferred);
        };
    }""")
    page.locator(".fmp-sequence").click()
    with page.expect_request("**/live/landmarks*"):
        start(page)
    page.evaluate("window.broken = true")
    with page.expect_request("**/live/frame*"):
        pass
    expect(page.locator(".fmp-live-goal figcaption")).to_contain_text("Pose 1 of 8")


def test_more_people_exercise_at_once_than_have_frames_looked_at(looking: App) -> None:
    def begin(**query: str) -> requests.Response:
        return requests.post(f"{looking.url}/live/begin", params=query, timeout=30)

    own, taken = begin(landmarks="true"), begin()
    assert own.json()["landmarks"] is True
    assert taken.json()["landmarks"] is False
    assert begin().json()["code"] == "live_full"
    further = [begin(landmarks="true") for _ in range(_SEATS)]
    for answer in [own, taken, *further]:
        requests.post(f"{looking.url}/live/end", params={"seat": answer.json().get("seat", "")}, timeout=30)
    assert [answer.status_code for answer in further] == [200] * (_SEATS - 1) + [503]


def test_the_files_are_fetched_once_and_packed(looking: App, open_live: Callable[..., Page]) -> None:
    page = open_live()
    address = f"{looking.url}/{address_of(page)}"
    answer = requests.get(f"{address}vision_wasm_module_internal.wasm", timeout=30)
    plain = requests.get(
        f"{address}vision_wasm_module_internal.wasm", headers={"accept-encoding": "identity"}, timeout=30
    )
    assert answer.headers["content-type"] == "application/wasm"
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    assert plain.content == answer.content
    assert plain.content.startswith(b"\0asm")
    assert re.match("text/javascript", requests.get(f"{address}landmark_worker.js", timeout=30).headers["content-type"])
    for name in ("../../../app.py", "other.wasm", "vision_bundle.cjs"):
        assert requests.get(f"{address}{name}", timeout=30).status_code == 404
    other = address.replace(address.split("/")[-2], "0" * 12)
    assert requests.get(f"{other}vision_bundle.mjs", timeout=30).status_code == 404
