"""The camera of a place for a photograph: by itself or after a delay, front or back, the other pose as a ghost."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from demo.examples.catalogue import EXAMPLES
from demo.i18n import interface_texts
from tests.browser.conftest import CHROMIUM_ARGUMENTS, visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of, thorough

SAID = "window.said = []; document.addEventListener('fmp:spoken', ({ detail }) => window.said.push(detail))"
# A telephone: its two cameras show red on the left and blue on the right, and one can be open at a time.
TELEPHONE = """(broken) => {
    const open = new Set();
    const devices = ['user', 'environment'].map((id) => ({ kind: 'videoinput', deviceId: id }));
    navigator.mediaDevices.enumerateDevices = async () => devices;
    navigator.mediaDevices.getUserMedia = async ({ video }) => {
        const { facingMode, deviceId } = video, wanted = facingMode?.exact || facingMode?.ideal || deviceId.exact;
        if (wanted === broken || [...open].some((track) => track.readyState === 'live')) {
            throw new DOMException('', 'NotReadableError');
        }
        const canvas = Object.assign(document.createElement('canvas'), { width: 400, height: 300 });
        const draw = canvas.getContext('2d');
        const paint = () => { ['#f00', '#00f'].forEach((colour, half) => {
            draw.fillStyle = colour; draw.fillRect(200 * half, 0, 200, 300); }); };
        paint();
        setInterval(paint, 100);
        const stream = canvas.captureStream(10), [track] = stream.getVideoTracks();
        track.getSettings = () => ({ facingMode: wanted, deviceId: wanted });
        open.add(track);
        window.track = track;
        return stream;
    };
}"""


def slot_of(page: Page, which: str = "current") -> Locator:
    return page.locator(f"#panel-correct [data-which={which}]")


def open_camera(page: Page, which: str = "current") -> Locator:
    """Open the camera of a place, and note what is said aloud."""
    slot = slot_of(page, which)
    page.evaluate(SAID)
    slot.locator("[data-action=camera]").click()
    slot.locator(".fmp-camera").wait_for()
    return slot


@contextmanager
def before_a_camera(browser: Browser, folder: Path, shown: Image.Image) -> Iterator[Browser]:
    """Yield a browser whose camera shows a person standing still."""
    frame, film = io.BytesIO(), folder / "still.mjpeg"
    shown.resize((shown.width // 2 * 2, shown.height // 2 * 2)).save(frame, "JPEG")
    film.write_bytes(frame.getvalue() * 30)
    arguments = [*CHROMIUM_ARGUMENTS, f"--use-file-for-fake-video-capture={film}"]
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    launched = browser.browser_type.launch(executable_path=executable, args=arguments)
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def standing() -> Image.Image:
    return Image.open(io.BytesIO(EXAMPLES[0].current)).convert("RGB")


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_a_photograph_takes_itself_once_the_whole_body_is_seen_and_still(  # noqa: PLR0913, PLR0917  cases are two
    app: App, browser: Browser, standing: Image.Image, tmp_path: Path, width: int, language: str
) -> None:
    words = interface_texts()[language]
    with before_a_camera(browser, tmp_path, standing) as camera, visitors(app, camera) as open_page:
        page = open_page(width=width, language=language)
        slot = open_camera(page)
        page.evaluate("window.track = document.querySelector('[data-which=current] video').srcObject.getTracks()[0]")

        slot.locator("[data-action=watch]").click()

        expect(slot.locator(".fmp-filled img")).to_have_attribute("alt", re.compile(words["camera.name"]))
        assert page.evaluate("window.said.slice(-2)") == [words["camera.watch_still"], words["camera.watch_taken"]]
        assert page.evaluate("window.track.readyState") == "ended"


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_what_the_camera_does_not_show_is_said_and_no_photograph_is_taken(
    app: App, browser: Browser, standing: Image.Image, tmp_path: Path, language: str
) -> None:
    words = interface_texts()[language]
    without_feet = standing.crop((0, 0, standing.width, standing.height * 7 // 10))
    with before_a_camera(browser, tmp_path, without_feet) as camera, visitors(app, camera) as open_page:
        slot = open_camera(open_page(language=language))
        watch = slot.locator("[data-action=watch]")

        watch.click()

        expect(slot.locator(".fmp-watching")).to_have_text(words["live.outside_feet"])
        expect(watch).to_have_attribute("aria-pressed", "true")
        watch.click()
        expect(slot.locator(".fmp-watching")).to_be_empty()
        expect(watch).to_have_attribute("aria-pressed", "false")
        expect(slot.locator("video")).to_be_visible()


@thorough
def test_an_empty_room_is_told_so(open_page: Callable[..., Page]) -> None:
    slot = open_camera(open_page(language="en"))

    slot.locator("[data-action=watch]").click()

    expect(slot.locator(".fmp-watching")).to_have_text(interface_texts()["en"]["camera.watch_nobody"])


@thorough
@pytest.mark.parametrize("seconds", one_of([3, 10], 1))
def test_the_delay_is_chosen_counted_aloud_and_remembered(open_page: Callable[..., Page], seconds: int) -> None:
    page = open_page(language="en")
    slot = open_camera(page)
    slot.get_by_label("Timer").select_option(str(seconds))
    expect(slot.locator("[data-action=take-delayed]")).to_have_text(f"Take it in {seconds} seconds")

    slot.locator("[data-action=take-delayed]").click()

    expect(slot.locator(".fmp-filled img")).to_have_attribute("alt", re.compile("camera photograph"))
    assert page.evaluate("window.said") == [str(left) for left in range(seconds, 0, -1)]
    expect(open_camera(page, "target").locator("[data-action=take-delayed]")).to_have_text(
        f"Take it in {seconds} seconds"
    )
    page.reload()
    page.locator("[data-action=submit]").wait_for()
    slot_of(page).locator("[data-action=remove]").click()
    slot = open_camera(page)
    expect(slot.locator("[data-action=take-delayed]")).to_have_text(f"Take it in {seconds} seconds")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(390, "en"), (1280, "hi")]))
def test_the_front_camera_is_a_mirror_the_back_one_is_not_and_the_photograph_never(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    page = open_page(width=width, language=language)
    page.evaluate(TELEPHONE, None)
    slot = open_camera(page)
    video, turn = slot.locator("video"), slot.locator("[data-action=turn-camera]")
    expect(turn).to_have_text(words["camera.to_back"])
    expect(video).to_have_css("transform", "matrix(-1, 0, 0, 1, 0, 0)")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    turn.click()

    expect(turn).to_have_text(words["camera.to_front"])
    expect(video).to_have_css("transform", "none")
    expect(video).to_have_attribute("aria-label", words["camera.live_back"])
    turn.click()
    expect(turn).to_have_text(words["camera.to_back"])
    slot.locator("[data-action=take]").click()
    image = slot.locator(".fmp-filled img")
    image.wait_for()
    left = image.evaluate(
        """async (image) => {
            await image.decode();
            const draw = document.createElement('canvas').getContext('2d');
            draw.drawImage(image, 0, 0);
            return [...draw.getImageData(20, 20, 1, 1).data];
        }"""
    )
    assert left[0] > 200
    assert left[2] < 60


@thorough
def test_where_the_other_camera_cannot_be_had_the_first_one_stays(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    page.evaluate(TELEPHONE, "environment")
    slot = open_camera(page)

    with page.expect_event("console", lambda message: message.text == "open again"):
        page.evaluate(
            """() => document.querySelector('[data-which=current] video')
                .addEventListener('playing', () => console.log('open again'))"""
        )
        slot.locator("[data-action=turn-camera]").click()

    assert page.evaluate("window.track.readyState") == "live"
    expect(slot.locator("[data-action=turn-camera]")).to_have_text("Back camera")
    expect(slot.locator(".fmp-alert")).to_be_empty()


ENDS: dict[str, Callable[[Page], object]] = {
    "escape": lambda page: page.keyboard.press("Escape"),
    "cancel": lambda page: slot_of(page).locator("[data-action=cancel]").click(),
    "tab": lambda page: page.locator("#tab-retrieve").click(),
    "other place": lambda page: slot_of(page, "target").locator("[data-action=camera]").click(),
    "hidden": lambda page: page.evaluate(
        """() => {
            Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }"""
    ),
}


@thorough
@pytest.mark.parametrize("end", one_of(list(ENDS)))
def test_no_camera_goes_on_after_its_user_is_done_with_it(open_page: Callable[..., Page], end: str) -> None:
    page = open_page(language="en")
    slot = open_camera(page)
    slot.locator("[data-action=take-delayed]").click()
    expect(slot.locator(".fmp-count")).not_to_be_empty()
    track = slot.locator("video").evaluate_handle("(video) => video.srcObject.getTracks()[0]")

    ENDS[end](page)

    page.wait_for_function("(track) => track.readyState === 'ended'", arg=track)
    expect(slot.locator(".fmp-camera")).to_be_hidden()
    expect(slot.locator(".fmp-count")).to_be_empty()
    expect(slot.locator(".fmp-empty")).to_have_js_property("hidden", value=False)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")]))
def test_the_other_pose_is_a_ghost_before_the_camera_until_it_is_switched_off(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    slot = open_camera(page)
    switch = slot.get_by_label(interface_texts()[language]["camera.ghost_target"])
    expect(switch).to_be_hidden()
    page.keyboard.press("Escape")
    slot_of(page, "target").locator("input[type=file]").set_input_files(pictures.warrior)
    expect(slot_of(page, "target").locator(".fmp-filled img")).to_be_visible()

    open_camera(page)

    ghost, video = slot.locator(".fmp-ghost"), slot.locator("video")
    expect(ghost).to_have_attribute(
        "src", slot_of(page, "target").locator(".fmp-filled img").get_attribute("src") or ""
    )
    expect(ghost).to_have_css("transform", "matrix(-1, 0, 0, 1, 0, 0)")  # as the live picture
    assert ghost.bounding_box() == video.bounding_box()
    assert findings(page) == []
    switch.uncheck()
    expect(ghost).to_be_hidden()
    page.keyboard.press("Escape")
    open_camera(page)
    expect(ghost).to_be_hidden()
    expect(switch).not_to_be_checked()


@thorough
def test_a_camera_that_is_unplugged_is_told(open_page: Callable[..., Page]) -> None:
    slot = open_camera(open_page(language="en"))

    slot.locator("video").evaluate("(video) => video.srcObject.getTracks()[0].dispatchEvent(new Event('ended'))")

    expect(slot.locator(".fmp-alert")).to_have_text(interface_texts()["en"]["camera.none"])
    expect(slot.locator(".fmp-camera")).to_be_hidden()
