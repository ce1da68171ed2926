"""The live coach in a browser, before a camera that shows a film: from the choice of a pose to the summary."""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Browser, Page, Route, expect

from demo.i18n import interface_texts
from tests.browser.conftest import CHROMIUM_ARGUMENTS, visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import PICTURES_HELD, SOUNDS_NOTED, App
from tests.films import HOLDS, MOVES, STANDS, Film, camera_arguments, film
from tests.thoroughness import one_of, thorough

COUNTED = ["3", "2", "1"]
WORDS = {
    "en": {"hold": "Hold it!", "done": "Well done, you are there.", "nobody": "I cannot see you.", "arms": "arms"},
    "hi": {"hold": "ऐसे ही रहें!", "done": "बहुत बढ़िया! मुद्रा पूरी हुई।", "nobody": "कैमरे में कोई नहीं दिख रहा।", "arms": "हाथ"},
}


@pytest.fixture(scope="module")
def arms() -> Film:
    """Somebody stands, raises both arms to the sides, holds them, and goes away."""
    return film("arms")


@pytest.fixture(scope="module")
def before_a_camera(browser: Browser, arms: Film) -> Iterator[Browser]:
    """Yield a browser with a camera that plays the film."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    arguments = [*CHROMIUM_ARGUMENTS, *camera_arguments(arms)]
    launched = browser.browser_type.launch(executable_path=executable, args=arguments)
    yield launched
    launched.close()


@pytest.fixture
def open_live(app: App, before_a_camera: Browser) -> Iterator[Callable[..., Page]]:
    """Open the tab as a new visitor before whose camera the film plays."""
    with live_visitors(app, before_a_camera) as open_one:
        yield open_one


@pytest.fixture
def open_before_nobody(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the tab as a new visitor whose camera shows Chromium's test picture."""
    with live_visitors(app, browser) as open_one:
        yield open_one


@contextmanager
def live_visitors(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Yield a function that opens the tab and records spoken texts; at the end every session is stopped."""
    opened: list[Page] = []
    with visitors(app, browser) as open_one:

        def open_page(**how: object) -> Page:
            page = open_one(**how)
            opened.append(page)
            page.evaluate("location.hash = 'live'")
            page.locator(".fmp-live .fmp-primary").wait_for()
            page.evaluate(
                "window.said = []; document.addEventListener('fmp:spoken', ({ detail }) => window.said.push(detail))"
            )
            return page

        yield open_page
        for page in opened:
            if page.locator(".fmp-live-stage").is_visible():
                page.keyboard.press("Escape")
                page.locator(".fmp-live-stage").wait_for(state="hidden")


def choose_own(page: Page, picture: Film) -> None:
    """Give the film's end as the pose to take."""
    give_own(page, picture)
    page.locator(".fmp-live-own .fmp-filled").wait_for()


def give_own(page: Page, picture: Film) -> None:
    page.locator(".fmp-own").click()
    page.locator(".fmp-live-own input[type=file]").set_input_files(
        {"name": "arms.jpg", "mimeType": "image/jpeg", "buffer": picture.target}
    )


def start(page: Page) -> None:
    """Begin an exercise, and wait until its camera and its goals are there."""
    page.locator("[data-action=start]").click()
    page.locator(".fmp-live-starting[data-now=you]").wait_for(state="attached")


def instruction(page: Page, words: str | re.Pattern[str]) -> None:
    expect(page.locator(".fmp-live-now")).to_have_text(words)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_an_exercise_goes_from_the_choice_to_the_summary(
    open_live: Callable[..., Page], arms: Film, width: int, language: str
) -> None:
    page = open_live(width=width, language=language)
    assert findings(page) == []
    more = page.locator(".fmp-goal-list").evaluate("(list) => list.scrollWidth > list.clientWidth")
    assert more is (width == 390)
    strip = expect(page.locator(".fmp-goal-strip"))
    (strip.to_have_class if more else strip.not_to_have_class)(re.compile("fmp-more-right"))
    choose_own(page, arms)
    start(page)
    words, mirror = WORDS[language], page.locator(".fmp-live-mirror")
    height = mirror.evaluate("(one) => one.clientHeight")

    instruction(page, re.compile(words["arms"]))
    assert mirror.evaluate("(one) => one.clientHeight") == height
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator(".fmp-live-summary").wait_for()

    utterances = page.evaluate("window.said")
    assert utterances[:3] == COUNTED
    assert words["arms"] in utterances[3]
    assert utterances[-2:] == [words["hold"], words["done"]]
    assert page.locator(".fmp-live-plot").count() == 1
    assert page.locator(".fmp-live-bests canvas").count() == 1
    assert re.search(r"\d", page.locator(".fmp-live-result").inner_text())
    assert findings(page) == []
    with page.expect_download() as download:
        page.locator("[data-action=save-best]").click()
    assert download.value.suggested_filename == "fixmypose-best.jpg"
    assert page.evaluate("document.querySelector('.fmp-live-mirror video').srcObject") is None
    page.locator("[data-action=other]").click()
    page.locator(".fmp-goals").wait_for()


@thorough
def test_p_pauses_and_goes_on_and_nothing_is_sent_meanwhile(open_live: Callable[..., Page], arms: Film) -> None:
    page = open_live()
    choose_own(page, arms)
    start(page)
    with page.expect_request("**/live/frame*"):
        pass
    page.keyboard.press("p")
    instruction(page, "Paused.")
    with page.expect_request("**/live/stay*"):
        pass
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/live/frame" in request.url else None)
    with page.expect_request("**/live/stay*"):  # some seconds later
        pass
    assert sent == []
    expect(page.locator("[data-action=pause]")).to_have_text("Go on")
    with page.expect_request("**/live/frame*"):
        page.locator("[data-action=pause]").click()


@thorough
def test_that_nobody_is_there_is_said_and_the_clock_waits(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.locator(".fmp-goal", has_text="Warrior").click()
    start(page)
    instruction(page, WORDS["en"]["nobody"])
    assert WORDS["en"]["nobody"] in page.evaluate("window.said")
    expect(page.locator(".fmp-live-now")).not_to_have_text(WORDS["en"]["nobody"])  # the film begins again


@thorough
def test_the_language_can_be_changed_while_one_exercises(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.locator(".fmp-goal", has_text="Squat").click()
    start(page)
    expect(page.locator(".fmp-live-now")).to_have_text(re.compile(r"^[A-Z].*\.$"))
    page.locator(".fmp-language[data-language=hi]").click()
    expect(page.locator(".fmp-live-now")).to_have_text(re.compile("[\u0900-\u097f]"))


@thorough
def test_a_sequence_shows_which_pose_of_how_many_it_is(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.locator(".fmp-sequence").click()
    start(page)
    expect(page.locator(".fmp-live-goal figcaption")).to_contain_text("Pose 1 of 8")
    page.locator(".fmp-live-goal img").evaluate("(image) => image.decode()")


@thorough
def test_the_picture_is_a_mirror_and_need_not_be(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    start(page)
    turned = "(one) => getComputedStyle(one).transform"
    places = (".fmp-live-mirror", ".fmp-live-goal img")
    button, mark = (
        page.locator("[data-action=mirror]:not([aria-label])"),
        "(one) => getComputedStyle(one, '::before').content",
    )
    assert [page.locator(one).evaluate(turned) for one in places] == ["matrix(-1, 0, 0, 1, 0, 0)"] * 2
    assert "✓" in button.evaluate(mark)
    button.click()
    assert [page.locator(one).evaluate(turned) for one in places] == ["none"] * 2
    assert button.evaluate(mark) == "none"


def test_leaving_the_tab_ends_the_exercise_and_its_camera(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    start(page)
    with page.expect_request("**/live/end*"):
        page.locator("#tab-correct").click()
    page.wait_for_function("document.querySelector('.fmp-live-mirror video').srcObject === null")


UNLOCKED = [["resume", "", True], ["speak", "", True]]  # nothing is heard of it


def test_speech_and_tone_are_let_sound_within_the_press_that_starts(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    page.evaluate(SOUNDS_NOTED)
    start(page)
    page.wait_for_function("window.said.includes('3')")
    assert page.evaluate("window.sounds.slice(0, 2)") == UNLOCKED


@thorough
def test_a_voice_that_is_switched_on_later_is_let_sound_within_that_press(
    open_before_nobody: Callable[..., Page],
) -> None:
    page = open_before_nobody()
    page.evaluate(SOUNDS_NOTED)
    page.locator(".fmp-live summary").click()
    voice = page.locator("[name=fmp-live-voice]")
    voice.uncheck()
    start(page)
    with page.expect_request("**/live/frame*"):
        pass
    assert page.evaluate("window.sounds") == []
    page.locator("[data-action=mute]").click()
    assert page.evaluate("window.sounds.slice(0, 2)") == UNLOCKED
    page.evaluate("window.sounds = []")
    page.locator(".fmp-language[data-language=hi]").click()
    assert page.evaluate("window.sounds") == [["resume", "", True]]  # speech is let already


SCREEN_NOTED = """() => {
    window.locks = [];
    navigator.wakeLock.request = async (kind) => {
        const lock = { kind, released: false, release: async () => { lock.released = true; } };
        window.locks.push(lock);
        return lock;
    };
}"""
IS_HIDDEN = """(hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden === 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
}"""


@thorough
def test_the_screen_stays_on_during_an_exercise_alone(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    page.evaluate(SCREEN_NOTED)
    start(page)
    held = "window.locks.map(({ kind, released }) => [kind, released])"
    assert page.evaluate(held) == [["screen", False]]
    page.evaluate(IS_HIDDEN, "hidden")
    instruction(page, "Paused.")
    page.evaluate(IS_HIDDEN, "visible")
    page.wait_for_function("window.locks.length === 2")
    assert page.evaluate(held) == [["screen", True], ["screen", False]]
    page.locator("[data-action=end]").click()
    page.locator(".fmp-live-summary").wait_for()
    assert page.evaluate(held) == [["screen", True]] * 2


@thorough
def test_an_exercise_needs_no_wake_lock(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    page.evaluate("Object.defineProperty(navigator, 'wakeLock', { value: undefined })")
    start(page)
    with page.expect_request("**/live/frame*"):
        pass


CAUSES = {"NotAllowedError": "refused", "NotFoundError": "none", "NotReadableError": "busy", "TypeError": "insecure"}
CAMERA_FAILS = """([name, secure]) => {
    Object.defineProperty(window, 'isSecureContext', { value: secure, configurable: true });
    navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', name); };
}"""


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_why_there_is_no_camera_is_told_apart_wherever_one_is_asked_for(
    open_before_nobody: Callable[..., Page], width: int, language: str
) -> None:
    page = open_before_nobody(width=width, language=language)
    told: dict[str, list[str]] = {"correct": [], "live": []}
    for name, cause in CAUSES.items():
        page.evaluate(CAMERA_FAILS, [name, cause != "insecure"])
        for tab, press, alert in (
            ("correct", "[data-which=current] [data-action=camera]", "[data-which=current] .fmp-alert"),
            ("live", "#panel-live [data-action=start]", ".fmp-live > .fmp-alert"),
        ):
            page.locator(f"#tab-{tab}").click()
            page.locator(press).click()
            expect(page.locator(alert)).not_to_be_empty()
            told[tab].append(page.locator(alert).inner_text())
    words = interface_texts()[language]
    assert told["correct"] == [words[f"camera.{cause}"] for cause in CAUSES.values()]
    keys = {"refused": "live.no_camera"}
    assert told["live"] == [words[keys.get(cause, f"live.camera_{cause}")] for cause in CAUSES.values()]


@thorough
def test_a_person_who_comes_to_a_full_room_is_told_so(open_before_nobody: Callable[..., Page], app: App) -> None:
    page = open_before_nobody()
    sessions = []
    while True:
        answer = page.request.post(f"{app.url}/live/begin")
        if answer.status == 503:
            break
        sessions.append(answer.json()["seat"])
    page.locator("[data-action=start]").click()
    refusal = page.locator(".fmp-live > .fmp-alert")
    expect(refusal).to_contain_text("All 3 places of the live coach are taken")
    page.locator(".fmp-language[data-language=hi]").click()
    expect(refusal).to_contain_text(re.compile("[\u0900-\u097f]"))
    assert page.locator(".fmp-live-setup").is_visible()
    for session in sessions:
        page.request.post(f"{app.url}/live/end?seat={session}")
    start(page)


@thorough
def test_a_lost_session_is_taken_again(open_live: Callable[..., Page], app: App) -> None:
    page = open_live()
    with page.expect_request("**/live/frame*") as sent:
        start(page)
    session = sent.value.url.partition("seat=")[2].partition("&")[0]
    page.request.post(f"{app.url}/live/end?seat={session}")
    page.wait_for_event("request", lambda request: "/live/frame" in request.url and session not in request.url)


@thorough
def test_a_lost_session_in_a_sequence_goes_on_at_the_pose_where_it_stood(open_live: Callable[..., Page]) -> None:
    page = open_live()
    nothing = {"joints": None, "ghost": None, "hidden": [], "off": [], "best": False, "distances": {}, "unseen": None}
    advice = {
        **nothing,
        "phase": "move",
        "instruction": None,
        "said": 0,
        "sayings": [],
        "held": 0,
        "seconds": 1,
        "goal": 0,
    }
    page.route("**/live/frame*", lambda route: route.fulfill(json=advice))
    page.locator(".fmp-sequence").click()
    start(page)
    advice["goal"] = 3  # the first three poses are reached
    expect(page.locator(".fmp-live-goal figcaption")).to_contain_text("Pose 4 of 8: Low lunge")
    gone = {"code": "live_gone", "text": {"en": "gone", "hi": "gone"}}
    advice["goal"] = 0  # as a new seat counts, which has only the rest
    with page.expect_request(lambda request: "picture=low_lunge" in request.url):
        page.route("**/live/frame*", lambda route: route.fulfill(status=410, json=gone), times=1)
    with page.expect_response("**/live/frame*"):
        pass
    expect(page.locator(".fmp-live-goal figcaption")).to_contain_text("Pose 4 of 8: Low lunge")


@thorough
def test_leaving_while_poses_are_looked_at_leaves_a_form_that_works(open_live: Callable[..., Page]) -> None:
    page = open_live()
    held: list[Route] = []
    page.route("**/live/goal*", lambda route: held.append(route), times=1)  # noqa: PLW0108  Playwright takes no builtin
    begin = page.locator("[data-action=start]")
    with page.expect_request("**/live/goal*"):
        begin.click()
    expect(begin).to_have_attribute("aria-disabled", "true")
    page.locator("#tab-correct").click()
    expect(begin).to_have_attribute("aria-disabled", "false")
    with page.expect_request("**/live/end*"):
        held[0].continue_()
    page.locator("#tab-live").click()
    assert page.locator(".fmp-live-setup").is_visible()
    assert not page.locator(".fmp-live-summary").is_visible()
    start(page)


@thorough
def test_a_camera_that_comes_after_the_exercise_was_left_is_closed(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.evaluate(
        """() => {
            const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
            window.streams = [];
            window.gate = new Promise((open) => { window.openGate = open; });
            navigator.mediaDevices.getUserMedia = async (wanted) => {
                await window.gate;
                const stream = await ask(wanted);
                window.streams.push(stream);
                return stream;
            };
        }"""
    )
    page.locator("[data-action=start]").click()
    page.locator("#tab-correct").click()
    page.evaluate("window.openGate()")
    page.wait_for_function("window.streams.length === 1")
    page.wait_for_function("window.streams[0].getTracks().every(({ readyState }) => readyState === 'ended')")


@thorough
def test_a_camera_that_is_unplugged_is_noticed_and_can_be_had_again(open_live: Callable[..., Page]) -> None:
    page = open_live()
    start(page)
    with page.expect_request("**/live/frame*"):
        pass
    page.evaluate(
        """() => {
            const [track] = document.querySelector('.fmp-live-mirror video').srcObject.getVideoTracks();
            track.stop();
            track.dispatchEvent(new Event('ended'));
        }"""
    )
    instruction(page, "The camera was disconnected. Connect it and press “Go on”.")
    page.locator("[data-action=pause]").click()
    with page.expect_request("**/live/frame*"):
        pass


@thorough
def test_without_a_connection_the_best_moments_are_shown_all_the_same(
    open_live: Callable[..., Page], arms: Film
) -> None:
    page = open_live()
    choose_own(page, arms)
    start(page)
    instruction(page, re.compile("arms"))
    page.route("**/live/end*", lambda route: route.abort())
    page.keyboard.press("Escape")
    expect(page.locator(".fmp-live-result")).to_contain_text("The connection was lost")
    assert page.locator(".fmp-live-bests canvas").count() == 1


@thorough
def test_a_countdown_can_be_paused_as_well(open_live: Callable[..., Page]) -> None:
    page = open_live()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/live/frame" in request.url else None)
    start(page)
    page.wait_for_function("window.said.includes('3')")
    page.keyboard.press("p")
    instruction(page, "Paused.")
    for _ in range(2):  # some seconds
        with page.expect_request("**/live/stay*"):
            pass
    assert sent == []
    with page.expect_request("**/live/frame*"):
        page.locator("[data-action=pause]").click()


@thorough
def test_without_a_pose_of_ones_own_it_is_asked_for_in_its_place(open_before_nobody: Callable[..., Page]) -> None:
    page = open_before_nobody()
    page.locator(".fmp-own").click()
    page.locator("[data-action=start]").click()
    expect(page.locator(".fmp-live-own .fmp-alert")).to_have_text(
        "Please give a photograph of the pose that you want to take."
    )


@thorough
def test_while_the_pose_of_ones_own_is_made_smaller_that_is_said_and_then_it_begins(
    open_live: Callable[..., Page], arms: Film
) -> None:
    page = open_live(language="en")
    page.evaluate(PICTURES_HELD)
    give_own(page, arms)
    page.wait_for_function("window.now")
    page.locator("[data-action=start]").click()
    expect(page.locator("#panel-live .fmp-status")).to_have_text(interface_texts()["en"]["form.shrinking"])
    page.evaluate("window.go()")
    page.locator(".fmp-live-stage").wait_for()


@pytest.fixture(scope="module")
def video(app: App, before_a_camera: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a video of the camera's first seconds, as a browser records it."""
    page = before_a_camera.new_page()
    page.goto(f"{app.url}/robots.txt")
    recorded = page.evaluate(
        """async (seconds) => {
            const stream = await navigator.mediaDevices.getUserMedia({ video: { resizeMode: { ideal: "none" } } });
            const recorder = new MediaRecorder(stream, { mimeType: "video/webm" }), pieces = [];
            recorder.ondataavailable = ({ data }) => pieces.push(data);
            const ended = new Promise((end) => { recorder.onstop = end; });
            recorder.start();
            setTimeout(() => recorder.stop(), 1000 * seconds);
            await ended;
            stream.getTracks().forEach((track) => track.stop());
            const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
            let text = "";
            for (const byte of bytes) text += String.fromCharCode(byte);
            return btoa(text);
        }""",
        STANDS + MOVES + HOLDS,
    )
    page.close()
    path = tmp_path_factory.mktemp("video") / "arms.webm"
    path.write_bytes(base64.b64decode(recorded))
    return path


@thorough
def test_without_a_camera_a_video_file_does(app: App, browser: Browser, video: Path, arms: Film) -> None:
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    blind = [one for one in CHROMIUM_ARGUMENTS if "media-stream" not in one]
    launched = browser.browser_type.launch(executable_path=executable, args=blind)
    with visitors(app, launched) as open_one:
        page = open_one()
        page.evaluate("location.hash = 'live'")
        page.locator(".fmp-live .fmp-primary").wait_for()
        page.evaluate(
            "window.said = []; document.addEventListener('fmp:spoken', ({ detail }) => window.said.push(detail))"
        )
        choose_own(page, arms)
        page.locator("[data-action=start]").click()
        expect(page.locator(".fmp-live > .fmp-alert")).to_contain_text("video file instead")
        page.locator("[name=fmp-live-film]").set_input_files(
            {"name": "no.webm", "mimeType": "video/webm", "buffer": b"no film"}
        )
        expect(page.locator(".fmp-live > .fmp-alert")).to_contain_text("This video cannot be played here")
        page.locator("[name=fmp-live-film]").set_input_files(video)
        instruction(page, re.compile("arms"))
        # The frame that was measured lies beneath its skeleton, in place of the film that goes on.
        corner = "(canvas) => canvas.getContext('2d').getImageData(2, 2, 1, 1).data[3]"
        assert page.locator(".fmp-live-mirror canvas").evaluate(corner) == 255
        expect(page.locator(".fmp-live-mirror video")).to_have_css("opacity", "0")
        page.locator(".fmp-live-summary").wait_for()
        assert page.locator(".fmp-live-plot").count() == 1
        # The film was seen from its beginning, and is what is done again.
        assert COUNTED[0] not in page.evaluate("window.said")
        page.locator("[data-action=start]").click()
        instruction(page, re.compile("arms"))
    launched.close()


def test_frames_of_another_page_are_not_taken(app: App) -> None:
    refused = requests.post(f"{app.url}/live/begin", headers={"Origin": "https://evil.example"}, timeout=30)
    assert refused.status_code == 403
    session = requests.post(f"{app.url}/live/begin", timeout=30).json()["seat"]
    assert requests.post(f"{app.url}/live/end", params={"seat": session}, timeout=30).json() == {"goals": []}


@pytest.mark.parametrize(
    ("route", "size", "limit"),
    [("goal", 20_000_001, "20 MB"), ("frame", 400_001, "400 kB"), ("stay", 1_000_001, "1 MB")],
)
def test_a_body_beyond_its_bounds_is_refused_before_it_is_read(app: App, route: str, size: int, limit: str) -> None:
    answer = requests.post(f"{app.url}/live/{route}", data=b"x" * size, timeout=60)
    assert answer.status_code == 413
    assert limit in answer.json()["detail"]
