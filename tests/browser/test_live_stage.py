"""The stage of the live coach: how it starts, what stays while somebody exercises, and what is shared at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.i18n import interface_texts
from tests.browser.live_answers import STANDING, TEXTS, answered_visitors, now_answer
from tests.browser.test_accessibility import findings
from tests.browser.test_live import start
from tests.browser.visits import App
from tests.thoroughness import one_of, thorough


@pytest.fixture
def open_live(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the tab as a new visitor whose camera shows Chromium's test picture, which the test says what is seen in."""
    with answered_visitors(app, browser) as open_one:
        yield open_one


def words(page: Page, key: str) -> str:
    return interface_texts()[page.evaluate("FMP.language")][key]


def frames_pass(page: Page, count: int) -> None:
    """Wait until the page has sent so many frames more."""
    page.wait_for_function(
        "(until) => window.asked.filter(({ route }) => route === 'frame').length >= until",
        arg=page.evaluate("window.asked.filter(({ route }) => route === 'frame').length") + count,
    )


def moving(page: Page) -> None:
    """Begin an exercise, and wait until the instruction is there."""
    start(page)
    page.locator(".fmp-live-starting").wait_for(state="hidden")
    expect(page.locator(".fmp-live-now")).not_to_be_empty()


MIRROR_WATCHED = """() => {
    Object.assign(window, { boxes: new Set(), slow: 0 });
    const [mirror, slow] = ['.fmp-live-mirror', '.fmp-live-slow'].map((one) => document.querySelector(one));
    const note = () => window.boxes.add([mirror.clientWidth, mirror.clientHeight].join());
    new ResizeObserver(note).observe(mirror);
    const shows = () => { note(); window.slow += !slow.hidden; };
    new MutationObserver(shows).observe(slow, { attributes: true, attributeFilter: ['hidden'] });
    const lines = ['.fmp-live-now', '.fmp-live-note'].map((one) => document.querySelector(one));
    lines.forEach((line) => new MutationObserver(note).observe(line, { childList: true, subtree: true }));
}"""


@pytest.mark.parametrize(("width", "seconds"), one_of([(390, 6), (390, 30), (1280, 30)], 0))
def test_the_picture_keeps_its_size_however_slow_the_answers_are_and_that_they_are_is_told_once(
    open_live: Callable[..., Page], width: int, seconds: int
) -> None:
    page = open_live(width=width)
    moving(page)
    page.evaluate(MIRROR_WATCHED)
    page.evaluate("window.late = 400")
    for number in range(seconds):
        one, other = (None, TEXTS) if number % 2 else (TEXTS, None)
        now_answer(page, unseen=one, instruction=other or {"en": "Wait.", "hi": "रुकिए।"})
        frames_pass(page, 2)
    assert page.evaluate("window.slow") == 1
    assert page.evaluate("[...window.boxes].length") == 1


@pytest.mark.parametrize(
    ("width", "height", "language"),
    one_of([(390, 844, "hi"), (390, 844, "en"), (844, 390, "en"), (1280, 900, "hi")], 0),
)
def test_words_are_large_enough_to_be_read_from_two_metres(
    open_live: Callable[..., Page], width: int, height: int, language: str
) -> None:
    page = open_live(width=width, language=language)
    page.set_viewport_size({"width": width, "height": height})
    moving(page)
    expect(page.locator(".fmp-live-now")).to_have_text(TEXTS[language])
    shares = page.evaluate(
        """() => {
            const words = document.querySelector('.fmp-live-now'), stage = document.querySelector('.fmp-live-picture');
            const size = parseFloat(getComputedStyle(words).fontSize);
            return [size / stage.clientHeight, words.scrollHeight / words.clientHeight];
        }"""
    )
    assert shares[0] >= 0.045
    assert shares[1] <= 1.02  # nothing is cut off
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert findings(page) == []


def test_the_stage_fills_the_screen_by_button_and_key_and_escape_gives_it_back(open_live: Callable[..., Page]) -> None:
    page = open_live()
    moving(page)
    page.locator("[data-action=full]").click()
    page.wait_for_function("document.fullscreenElement?.matches('.fmp-live-stage')")
    expect(page.locator("[data-action=full]")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("f")
    page.wait_for_function("!document.fullscreenElement")
    expect(page.locator("[data-action=full]")).to_have_attribute("aria-pressed", "false")
    assert page.locator(".fmp-live-stage").is_visible()


@pytest.mark.parametrize("width", one_of([390, 1280]))
def test_where_there_is_no_full_screen_the_stage_fills_the_window(open_live: Callable[..., Page], width: int) -> None:
    page = open_live(width=width)
    page.evaluate("Element.prototype.requestFullscreen = undefined")
    moving(page)
    page.keyboard.press("f")
    page.locator(".fmp-live-stage.fmp-fills").wait_for()
    box = page.locator(".fmp-live-stage").bounding_box()
    assert box == {"x": 0, "y": 0, "width": width, "height": 900}
    buttons = page.locator(".fmp-live-side button:visible")
    assert all(one["y"] + one["height"] <= 900 for one in (each.bounding_box() or {} for each in buttons.all()))
    assert findings(page) == []
    page.keyboard.press("Escape")  # gives the window back, and the exercise goes on
    expect(page.locator(".fmp-live-stage")).not_to_have_class(re.compile("fmp-fills"))
    frames_pass(page, 1)


def test_how_near_the_pose_is_is_shown_and_said_until_it_is_held(open_live: Callable[..., Page]) -> None:
    page = open_live()
    moving(page)
    meter = page.get_by_role("meter", name=words(page, "live.near"))
    expect(meter).to_have_attribute("aria-valuenow", "20")
    heard = page.locator(".fmp-live-heard")
    for nearness, key in ((0.55, "half"), (0.9, "nearly")):
        now_answer(page, nearness=nearness)
        expect(meter).to_have_attribute("aria-valuetext", words(page, f"live.near_{key}"))
        expect(heard).to_have_text(words(page, f"live.near_{key}"))
    assert meter.locator("i").evaluate("(bar) => bar.style.width") == "90%"
    now_answer(page, phase="hold", nearness=1.0, held=0.4)
    expect(meter).to_be_hidden()
    page.locator(".fmp-live-ring").wait_for()


STEPS = "[...document.querySelectorAll('.fmp-live-starting li')].map(({ dataset }) => dataset.state)"


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_what_an_exercise_waits_for_is_told_step_by_step(
    open_live: Callable[..., Page], width: int, language: str
) -> None:
    page = open_live(width=width, language=language)
    now_answer(page, phase="nobody", joints=None, ghost=None, off=[], best=False, instruction=None)
    page.evaluate(
        """() => {
            const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices), fetched = window.fetch;
            const gate = () => new Promise((open) => { window.go = open; });
            navigator.mediaDevices.getUserMedia = async (wanted) => { await gate(); return ask(wanted); };
            window.fetch = async (address, ...more) => {
                if (String(address).includes('/goal')) await gate();
                return fetched(address, ...more);
            };
        }"""
    )
    page.locator("[data-action=start]").click()
    page.wait_for_function("Boolean(window.go)")
    assert page.evaluate(STEPS) == ["now", "later", "later"]
    assert findings(page) == []
    page.evaluate("() => { const go = window.go; window.go = null; go(); }")
    page.wait_for_function("Boolean(window.go)")
    assert page.evaluate(STEPS) == ["done", "now", "later"]
    page.evaluate("window.go()")
    page.wait_for_function(f"{STEPS}.join() === 'done,done,now'")
    expect(page.locator(".fmp-live-missing")).to_have_text(words(page, "live.missing_body"))
    now_answer(page, phase="move", joints=STANDING, unseen={"en": "Step back.", "hi": "पीछे जाइए।"})
    expect(page.locator(".fmp-live-missing")).to_have_text({"en": "Step back.", "hi": "पीछे जाइए।"}[language])
    now_answer(page, unseen=None)
    page.locator(".fmp-live-starting").wait_for(state="hidden")


def test_in_the_dark_light_is_asked_for(open_live: Callable[..., Page]) -> None:
    page = open_live()
    now_answer(page, phase="nobody", joints=None, ghost=None, off=[], best=False, instruction=None)
    page.evaluate(
        """() => {
            const dark = Object.assign(document.createElement('canvas'), { width: 320, height: 240 });
            const on = dark.getContext('2d');
            setInterval(() => on.fillRect(0, 0, 320, 240), 50);
            navigator.mediaDevices.getUserMedia = async () => dark.captureStream(20);
        }"""
    )
    start(page)
    expect(page.locator(".fmp-live-missing")).to_have_text(words(page, "live.missing_light"))
    page.wait_for_function("(words) => window.said.includes(words)", arg=words(page, "live.missing_light"))


def test_an_exercise_that_has_not_begun_is_cancelled_and_its_session_given_back(open_live: Callable[..., Page]) -> None:
    page = open_live()
    now_answer(page, phase="nobody", joints=None, ghost=None)
    start(page)
    with page.expect_request("**/live/end*"):
        page.locator("[data-action=cancel]:visible").click()
    page.locator(".fmp-live-setup").wait_for()
    assert not page.locator(".fmp-live-stage").is_visible()
    assert page.evaluate("document.querySelector('.fmp-live-mirror video').srcObject") is None
    start(page)  # and another one can begin


@pytest.mark.parametrize(("width", "language"), one_of([(390, "en"), (1280, "hi")], 0))
def test_an_exercise_ends_in_a_card_that_is_made_here_and_shared_or_saved(
    open_live: Callable[..., Page], width: int, language: str
) -> None:
    page = open_live(width=width, language=language)
    page.evaluate(
        """() => {
            navigator.canShare = () => true;
            navigator.share = async ({ files: [file], text }) => { window.shared = [file.type, file.size, text]; };
        }"""
    )
    moving(page)
    frames_pass(page, 2)
    now_answer(page, phase="done", held=1, nearness=1.0)
    card = page.locator(".fmp-live-card canvas")
    card.wait_for()
    assert words(page, "live.card_reached") in (card.get_attribute("aria-label") or "")
    assert "0:04" in (card.get_attribute("aria-label") or "")
    assert findings(page) == []
    asked = page.evaluate("window.asked.length")
    page.locator("[data-action=share-card]").click()
    page.wait_for_function("window.shared")
    kind, size, text = page.evaluate("window.shared")
    assert (kind, text) == ("image/jpeg", card.get_attribute("aria-label"))
    assert size > 10_000
    with page.expect_download() as download:
        page.locator("[data-action=save-card]").click()
    assert download.value.suggested_filename == "fixmypose-card.jpg"
    pixels = "(card) => card.toDataURL()"
    before = card.evaluate(pixels)
    page.locator("[name=fmp-live-faceless]").check()
    assert card.evaluate(pixels) != before
    assert page.evaluate("window.asked.length") == asked


def test_the_targets_that_lie_off_to_the_right_show_that_and_an_arrow_leads_to_them(
    open_live: Callable[..., Page],
) -> None:
    page = open_live(width=700)
    strip, goals = page.locator(".fmp-goal-strip"), page.locator(".fmp-goal-list")
    expect(strip).to_have_class("fmp-goal-strip fmp-more-right")
    page.locator("[data-action=goals-right]").click()
    expect(strip).to_have_class(re.compile("fmp-more-left"))
    assert goals.evaluate("(one) => one.scrollLeft") > 300
    page.locator(".fmp-new-sequence").click()
    goals.evaluate("(one) => one.scrollTo(one.scrollWidth, 0)")
    expect(strip).to_have_class("fmp-goal-strip fmp-more-left")
    expect(page.locator("[data-action=goals-right]")).to_be_hidden()


@thorough
def test_before_a_camera_the_overlay_lets_the_living_picture_through(open_live: Callable[..., Page]) -> None:
    page = open_live()
    moving(page)
    frames_pass(page, 2)
    corner = "(canvas) => canvas.getContext('2d').getImageData(2, 2, 1, 1).data[3]"
    assert page.locator(".fmp-live-mirror canvas").evaluate(corner) == 0
