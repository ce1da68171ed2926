"""The way of a visitor: two photographs in, steps and figures out, in both languages on a wide and a narrow screen."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageOps, ImageStat
from playwright.sync_api import Locator, Page, expect

from demo.examples.catalogue import EXAMPLES, FOLDER, ExamplePair
from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import PICTURES_HELD, Pictures, ask, described, give
from tests.thoroughness import one_of, thorough

DEVANAGARI = re.compile(r"[\u0900-\u097f]")
BOTH = [(1280, "en"), (1280, "hi"), (390, "en"), (390, "hi")]


@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 3))
def test_two_photographs_give_steps_figures_and_their_source(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]

    give(page, pictures.standing, pictures.warrior)
    page.get_by_role("button", name=words["form.submit"]).click()

    answer = page.locator(".fmp-answer[data-outcome=correction]")
    answer.wait_for()
    expect(page.get_by_role("heading", name=words["answer.heading"])).to_be_focused()
    steps = answer.locator(".fmp-step")
    assert 1 <= answer.locator(".fmp-steps li:not(.fmp-aside)").count() <= 5
    for step in steps.all():
        assert step.get_attribute("lang") == language
        assert bool(DEVANAGARI.search(step.inner_text())) == (language == "hi")
    doubts = {
        words[key] for key in ("confidence.middle", "confidence.low", "agrees.no", "agrees.partly", "agrees.unknown")
    }
    for marks in answer.locator(".fmp-marks").all():
        assert set(marks.locator("[data-i18n]").all_inner_texts()) <= doubts
    assert words["agrees.yes"] not in answer.inner_text()
    for fold in answer.locator("summary").all():
        fold.press("Enter")
    assert answer.locator(".fmp-joints svg line").count() == 2 * 2 * 19  # a bone and its halo, in both photographs
    assert answer.locator(".fmp-chart tbody tr").count() == 10
    expect(answer.locator(".fmp-source")).to_contain_text("mediapipe")
    expect(answer.locator(".fmp-source")).to_contain_text(words["milliseconds.total"])
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_what_a_photograph_does_not_show_is_told_apart_from_the_steps(
    open_page: Callable[..., Page], tmp_path: Path, width: int, language: str
) -> None:
    current, target = arm_outside(tmp_path)
    page = open_page(width=width, language=language, permissions=["clipboard-read", "clipboard-write"])
    words = interface_texts()[language]

    answer = ask(page, current, target)

    unseen = answer.locator(".fmp-unseen")
    assert unseen.count() >= 1
    expect(unseen.locator(".fmp-marks")).to_have_count(0)
    expect(unseen.locator(".fmp-icon").first).to_be_visible()
    assert words["unseen.mark"] in unseen.first.inner_text()
    assert bool(DEVANAGARI.search(unseen.first.locator(".fmp-step").inner_text())) == (language == "hi")
    expect(answer.get_by_text(words["unseen.advice"])).to_have_count(1)
    moving = answer.locator(".fmp-steps li:not(.fmp-aside)").count()
    assert moving >= 1
    assert answer.locator(".fmp-steps > .fmp-unseen ~ li:not(.fmp-aside)").count() == 0  # they come last
    answer.locator("[data-action=copy]").click()
    expect(answer.locator(".fmp-answer-status")).to_have_text(words["answer.copied"])
    numbered = [line[:1].isdigit() for line in page.evaluate("navigator.clipboard.readText()").splitlines()]
    assert sum(numbered) == moving < len(numbered)
    answer.locator(".fmp-movement summary").click()
    guessed = answer.locator(".fmp-guessed").all_inner_texts()
    assert any(words["parts.left_hand"] in row for row in guessed)
    assert all(words["figures.guessed"].format(distance="").strip().split()[0] in row for row in guessed)
    assert answer.locator(".fmp-joints figure").nth(1).locator("line[stroke-dasharray]").count() >= 2 * 2
    assert words["answer.no_change"] not in answer.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert findings(page) == []


def arm_outside(folder: Path) -> tuple[Path, Path]:
    """Two photographs of somebody whose left arm is cut off in the second."""
    with Image.open(FOLDER / "warrior_target.jpg") as picture:
        picture.crop((0, 0, round(0.65 * picture.width), picture.height)).save(folder / "cut.jpg", quality=92)
    return FOLDER / "warrior_current.jpg", folder / "cut.jpg"


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_no_word_of_the_other_language_is_left_on_the_page(
    open_page: Callable[..., Page], tmp_path: Path, language: str
) -> None:
    page = open_page(language=language)
    ask(page, *arm_outside(tmp_path))

    assert page.evaluate("document.documentElement.lang") == language
    assert page.title() == interface_texts()[language]["page.title"]
    other = {"en": "hi", "hi": "en"}[language]
    own = interface_texts()[language]
    names = {texts["language.name"] for texts in interface_texts().values()}  # each stands in its own language
    only_other = {text for key, text in interface_texts()[other].items() if text != own[key]} - names
    measures = page.evaluate(
        """() => [...document.querySelectorAll('body *')].flatMap((node) => [
            ...[...node.childNodes].filter((child) => child.nodeType === 3).map((child) => child.textContent.trim()),
            ...['aria-label', 'alt', 'title', 'placeholder', 'aria-valuetext'].map((name) => node.getAttribute(name)),
        ]).filter(Boolean)"""
    )
    leaked = [text for text in measures if text in only_other]
    assert not leaked, leaked


def test_language_is_kept_over_a_reload(open_page: Callable[..., Page]) -> None:
    page = open_page(language="hi")

    page.reload()

    expect(page.get_by_role("button", name=interface_texts()["hi"]["form.submit"])).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "hi"
    expect(page.locator(".fmp-language[data-language=hi]")).to_have_attribute("aria-pressed", "true")


@thorough
def test_language_of_the_answer_follows_the_page_until_it_is_chosen(open_page: Callable[..., Page]) -> None:
    page = open_page(language="hi")
    expect(page.locator("input[name=fmp-answer-language][value=hi]")).to_be_checked()

    page.locator("#panel-correct .fmp-options summary").click()
    page.locator("input[name=fmp-answer-language][value=en]").check()
    page.locator(".fmp-language[data-language=en]").click()
    page.locator(".fmp-language[data-language=hi]").click()

    expect(page.locator("input[name=fmp-answer-language][value=en]")).to_be_checked()


def test_keyboard_alone_gives_a_correction(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()

    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.evaluate("(selector) => document.activeElement?.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        pytest.fail(f"the Tab key never reaches {selector}")

    files = iter((pictures.standing, pictures.warrior))
    page.on("filechooser", lambda chooser: chooser.set_files(next(files)))
    for which in ("current", "target"):
        tab_to(f"[data-which={which}] [data-action=choose]")
        page.keyboard.press("Enter")
        page.locator(f"[data-which={which}] .fmp-filled img").wait_for()
    tab_to("[data-action=submit]")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.locator(".fmp-answer[data-outcome=correction]").wait_for()

    tab_to(".fmp-difference summary")
    page.keyboard.press("Enter")
    tab_to(".fmp-strength input")
    before = page.locator(".fmp-red").evaluate("(node) => Number(getComputedStyle(node).opacity)")
    page.keyboard.press("Home")
    expect(page.locator(".fmp-red")).to_have_css("opacity", "0")
    assert before > 0
    assert page.locator(".fmp-strength input").get_attribute("aria-valuetext") == "0 percent"


@pytest.mark.parametrize("language", ["en", "hi"])
def test_what_is_left_out_by_keyboard_is_not_in_the_answer(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(width=390, language=language)
    words = interface_texts()[language]
    give(page, pictures.standing, pictures.warrior)
    panel = page.locator("#panel-correct")
    panel.locator(".fmp-options summary").focus()
    page.keyboard.press("Enter")
    for part in ("left_leg", "right_leg"):
        toggle = panel.get_by_role("checkbox", name=words[f"leave_out.{part}"])
        toggle.focus()
        page.keyboard.press("Space")
        expect(toggle).to_be_checked()
    legs = ", ".join(words[f"leave_out.{part}"] for part in ("left_leg", "right_leg"))
    expect(panel.locator(".fmp-chosen")).to_contain_text(f"{words['leave_out.legend']}: {legs}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name=words["form.submit"]).click()
    text = page.locator(".fmp-answer[data-outcome=correction] .fmp-steps").inner_text()
    legs_and_knees = ("foot", "feet", "knee", "leg") if language == "en" else ("घुटन", "पैर")
    assert not [word for word in legs_and_knees if word in text.lower()]


@pytest.mark.parametrize("language", ["en", "hi"])
def test_a_photograph_is_turned_and_mirrored_by_keyboard_and_answered_as_it_is_shown(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, language: str
) -> None:
    page = open_page(width=390, language=language)
    words = interface_texts()[language]
    lying = tmp_path / "lying.png"
    with Image.open(pictures.standing) as picture:
        size = picture.size
        ImageOps.mirror(picture).rotate(180).save(lying)
    slot, target = page.locator("[data-which=current]"), page.locator("[data-which=target]")
    turn, mirror = (slot.get_by_role("button", name=words[f"form.{action}_current"]) for action in ("turn", "mirror"))
    expect(turn).to_be_hidden()
    give(page, lying, pictures.warrior)
    status = page.locator("#panel-correct .fmp-status")

    for degrees, shown in ((90, size[::-1]), (180, size)):
        turn.press("Enter")
        expect(status).to_have_text(words["form.turned"].format(degrees=degrees))
        page.wait_for_function(SHOWN, arg=list(shown))
    mirror.press("Space")
    expect(mirror).to_have_attribute("aria-pressed", "true")
    expect(target.get_by_role("button", name=words["form.mirror_target"])).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert findings(page) == []
    page.reload()  # what is given is kept with how it is turned
    expect(mirror).to_have_attribute("aria-pressed", "true")
    page.locator("[data-action=submit]").click()

    answer = page.locator(".fmp-answer[data-outcome=correction]")
    figure = answer.locator(".fmp-joints img").first
    figure.wait_for()
    with Image.open(pictures.standing) as picture:
        upright = picture.convert("RGB").resize((16, 16))
    assert difference_of(as_shown(figure), upright) < 8
    assert difference_of(as_shown(slot.locator(".fmp-filled img")), upright) < 8
    assert difference_of(ImageOps.mirror(upright), upright) > 8
    expect(answer).not_to_contain_text(words["answer.upside_down_current"].format(turn=words["form.turn"]))

    slot.locator("input[type=file]").set_input_files(lying)
    expect(mirror).to_have_attribute("aria-pressed", "false")
    expect(answer.locator(".fmp-outdated")).to_be_visible()


def test_who_was_tapped_is_forgotten_when_the_photograph_is_turned(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    number = ask(page, pictures.two_people, pictures.warrior).get_attribute("data-number")
    slot = page.locator("[data-which=current]")
    slot.locator(".fmp-whom[aria-pressed=false]").click()
    page.locator(f".fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()
    kept = "JSON.parse(sessionStorage.getItem('fixmypose.kept.correct.current'))?.whom"
    page.wait_for_function(kept)

    slot.locator("[data-action=mirror]").click()

    expect(slot.locator(".fmp-whom")).to_have_count(0)
    expect(page.locator(".fmp-answer .fmp-outdated")).to_be_visible()
    page.wait_for_function(f"!({kept})")


SHOWN = """([width, height]) => {
    const { naturalWidth, naturalHeight } = document.querySelector('[data-which=current] .fmp-filled img');
    return Math.abs(naturalWidth / naturalHeight - width / height) < .02;
}"""


def as_shown(image: Locator) -> Image.Image:
    """Return the pixels of an image of the page, much reduced."""
    address = image.evaluate(
        """(image) => {
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            canvas.getContext('2d').drawImage(image, 0, 0);
            return canvas.toDataURL();
        }"""
    )
    with Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))) as picture:
        return picture.convert("RGB").resize((16, 16))


def difference_of(first: Image.Image, second: Image.Image) -> float:
    """Mean difference of the pixels."""
    return float(ImageStat.Stat(ImageChops.difference(first, second)).rms[0])


def test_skip_link_leads_past_the_header(open_page: Callable[..., Page]) -> None:
    page = open_page()
    # Chromium drops keys pressed before anything is painted.
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")

    page.keyboard.press("Tab")
    expect(page.locator(".fmp-skip")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name=interface_texts()["en"]["form.heading"])).to_be_focused()


def test_swap_changes_the_places_of_both_photographs(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    give(page, pictures.standing, pictures.warrior)
    current, target = (page.locator(f"[data-which={which}] .fmp-filled img") for which in ("current", "target"))
    standing, warrior = described(pictures.standing), described(pictures.warrior)
    expect(current).to_have_attribute("alt", f"You now: {standing}")

    page.get_by_role("button", name=interface_texts()["en"]["form.swap"]).click()

    expect(current).to_have_attribute("alt", f"You now: {warrior}")
    expect(target).to_have_attribute("alt", f"Your goal: {standing}")


@thorough
def test_swap_waits_for_a_photograph_that_is_still_being_made_smaller(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    page.evaluate(PICTURES_HELD)
    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.standing)
    page.wait_for_function("window.now")
    page.get_by_role("button", name=interface_texts()["en"]["form.swap"]).click()
    page.evaluate("window.go()")
    expect(page.locator("[data-which=target] .fmp-filled")).to_be_visible()
    expect(page.locator("[data-which=current] .fmp-filled")).to_be_hidden()


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
@pytest.mark.parametrize("action", one_of(["swap", "submit"], 1))
def test_while_a_photograph_is_made_smaller_that_is_said_and_not_that_it_is_sent(
    open_page: Callable[..., Page], pictures: Pictures, action: str, language: str
) -> None:
    page = open_page(language=language)
    page.evaluate(PICTURES_HELD)
    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.standing)
    page.wait_for_function("window.now")
    page.locator(f"#panel-correct [data-action={action}]").click()
    status = page.locator("#panel-correct .fmp-status")
    expect(status).to_have_text(interface_texts()[language]["form.shrinking"])
    page.evaluate("window.go()")
    expect(status).not_to_have_text(interface_texts()[language]["form.shrinking"])


@thorough
def test_swap_moves_a_lone_photograph_and_says_nothing_where_there_is_none(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    swap = page.get_by_role("button", name=interface_texts()["en"]["form.swap"])

    swap.click()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text("")

    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.standing)
    swap.click()
    expect(page.locator("[data-which=target] .fmp-filled")).to_be_visible()
    expect(page.locator("[data-which=current] .fmp-filled")).to_be_hidden()


@thorough
def test_pressing_again_and_switching_the_language_at_work_ask_only_once(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="en")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/queue/join" in request.url else None)
    give(page, pictures.standing, pictures.warrior)

    page.evaluate(
        """() => {
            const press = (selector) => document.querySelector(selector).click();
            press('[data-action=submit]'); press('[data-action=submit]'); press('.fmp-language[data-language=hi]');
            press('[data-action=submit]'); press('[data-action=swap]'); press('[data-action=clear]');
        }"""
    )

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text(interface_texts()["hi"]["form.ready"])
    assert len(asked) == 1
    expect(page.locator("[data-which=current] .fmp-filled img")).to_have_attribute(
        "alt", re.compile(re.escape(pictures.standing.name))
    )


@thorough
def test_clear_removes_photographs_and_answer(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)

    page.get_by_role("button", name=interface_texts()["en"]["form.clear"], exact=True).click()

    page.locator(".fmp-answer[data-outcome=empty]").wait_for()
    assert page.locator(".fmp-filled:visible").count() == 0


@thorough
def test_copy_puts_the_text_on_the_clipboard(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    give(page, pictures.standing, pictures.warrior)
    page.locator("[data-action=submit]").click()
    page.locator("[data-action=copy]").click()

    expect(page.locator(".fmp-answer-status")).to_have_text(interface_texts()["en"]["answer.copied"])
    copied = page.evaluate("navigator.clipboard.readText()")
    steps, asides = (
        page.locator(f".fmp-steps {row} .fmp-step").all_inner_texts() for row in ("li:not(.fmp-aside)", ".fmp-aside")
    )
    assert steps
    assert copied.splitlines() == [*(f"{number}. {step}" for number, step in enumerate(steps, 1)), *asides]


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_reading_aloud_uses_a_voice_of_the_answers_language(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language)
    page.evaluate(
        """() => {
            window.spoken = [];
            const voices = ['de-DE', 'en-US', 'hi-IN'].map((lang) => ({ lang, localService: true, name: lang }));
            window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
            Object.defineProperty(window, 'speechSynthesis', { value: {
                getVoices: () => voices, speak: (one) => window.spoken.push([one.text, one.lang, one.voice?.lang]),
                cancel: () => window.spoken.push('cancel'), addEventListener: () => {},
            } });
        }"""
    )
    give(page, pictures.standing, pictures.warrior)
    page.locator("[data-action=submit]").click()
    page.locator("[data-outcome=correction]").wait_for()
    button = page.locator("[data-action=read]")
    # Voices may be waited for, but phones let a page begin to speak within the press alone.
    in_press = "(one) => { window.spoken = []; one.click(); return window.spoken.map(([words]) => words); }"
    assert button.evaluate(in_press) == [" "]

    speech = interface_texts()[language]["language.speech"]
    text = page.locator(".fmp-answer").get_attribute("data-text")
    page.wait_for_function("() => window.spoken.some((one) => Array.isArray(one))")
    assert [text, speech, speech] in page.evaluate("window.spoken")
    assert language == "en" or not re.search("[A-Za-z]", text or "")
    expect(button).to_have_text(interface_texts()[language]["answer.stop"])

    button.click()
    expect(button).to_have_text(interface_texts()[language]["answer.read"])
    assert page.evaluate("window.spoken.at(-1)") == "cancel"


@thorough
def test_a_browser_without_the_voice_says_so(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="hi")
    page.evaluate(
        """() => Object.defineProperty(window, 'speechSynthesis', { value: {
            getVoices: () => [{ lang: 'de-DE' }], cancel: () => {}, addEventListener: () => {} } })"""
    )
    give(page, pictures.standing, pictures.warrior)
    page.locator("[data-action=submit]").click()
    page.locator("[data-action=read]").click()

    expect(page.locator(".fmp-answer-status")).to_have_text(
        interface_texts()["hi"]["answer.no_voice"].format(language="हिन्दी")
    )


def test_camera_takes_a_photograph(open_page: Callable[..., Page]) -> None:
    page = open_page()
    slot = page.locator("[data-which=current]")

    slot.locator("[data-action=camera]").click()
    slot.locator("[data-action=take]").click()

    expect(slot.locator(".fmp-filled img")).to_have_attribute("alt", re.compile(r"camera photograph, \d+ by \d+"))
    assert not slot.locator("video").is_visible()


@thorough
def test_no_camera_stays_on_after_two_quick_presses(open_page: Callable[..., Page]) -> None:
    page = open_page()
    slot = page.locator("[data-which=current]")
    page.evaluate(
        """() => {
            window.tracks = [];
            const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
            navigator.mediaDevices.getUserMedia = async (wanted) => {
                const stream = await open(wanted);
                window.tracks.push(...stream.getTracks());
                return stream;
            };
            const button = document.querySelector('[data-which=current] [data-action=camera]');
            button.click(); button.click();
        }"""
    )

    slot.locator("[data-action=cancel]").click()

    assert set(page.evaluate("window.tracks.map((track) => track.readyState)")) == {"ended"}


@thorough
def test_pasted_photograph_lands_in_the_first_empty_place(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()

    page.evaluate(
        """(bytes) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'pasted.jpg', { type: 'image/jpeg' }));
            document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
        }""",
        list(pictures.standing.read_bytes()),
    )

    expect(page.locator("[data-which=current] .fmp-filled img")).to_have_attribute("alt", re.compile("pasted.jpg"))


@thorough
def test_dropped_photograph_lands_where_it_was_dropped(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    transfer = page.evaluate_handle(
        """(bytes) => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], 'dropped.jpg', { type: 'image/jpeg' }));
            return data;
        }""",
        list(pictures.standing.read_bytes()),
    )

    page.dispatch_event("[data-which=target] .fmp-frame", "drop", {"dataTransfer": transfer})

    expect(page.locator("[data-which=target] .fmp-filled img")).to_have_attribute("alt", re.compile("dropped.jpg"))


@thorough
def test_two_visitors_at_once_get_their_own_answers(open_page: Callable[..., Page], pictures: Pictures) -> None:
    first, second = open_page(language="en"), open_page(language="hi")
    give(first, pictures.standing, pictures.warrior)
    give(second, pictures.warrior, pictures.standing)

    first.locator("[data-action=submit]").click()
    second.locator("[data-action=submit]").click()

    texts = []
    for page in (first, second):
        page.locator(".fmp-answer[data-outcome=correction]").wait_for()
        texts.append(page.locator(".fmp-answer").get_attribute("data-text") or "")
    assert not DEVANAGARI.search(texts[0])
    assert DEVANAGARI.search(texts[1])


@pytest.mark.parametrize("pair", one_of(EXAMPLES), ids=lambda pair: pair.name)
def test_an_example_needs_one_click(open_page: Callable[..., Page], pair: ExamplePair) -> None:
    page = open_page(language="hi")
    words = interface_texts()["hi"]

    page.locator(".fmp-example", has_text=words[f"captions.{pair.name}"]).click()
    for which in ("current", "target"):
        with Image.open(io.BytesIO(getattr(pair, which))) as picture:
            width, height = picture.size
        alt = re.compile(f"{words[f'scenes.{pair.name}_{which}']}.*{width} गुणा {height}")
        expect(page.locator(f"[data-which={which}] .fmp-filled img")).to_have_attribute("alt", alt)

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    assert 1 <= page.locator(".fmp-steps li:not(.fmp-aside)").count() <= 5


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")]))
def test_a_step_that_is_tapped_lights_its_joints_and_its_bars(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, FOLDER / "squat_current.jpg", FOLDER / "squat_target.jpg")
    step = answer.locator("[data-action=light]").nth(1)
    expect(step).to_have_accessible_name(interface_texts()[language]["answer.light"].format(number=2))
    expect(step).to_be_visible()
    number, words = step.bounding_box(), answer.locator(".fmp-step").nth(1).bounding_box()
    assert number is not None
    assert words is not None
    assert number["x"] + number["width"] <= words["x"] + 1, "the number covers its step"
    lit = "(nodes) => [...new Set(nodes.map((node) => node.dataset.joint ?? node.dataset.part))].sort()"

    answer.locator(".fmp-step").nth(1).click(force=True)  # of the card that peeks in, the beginning

    expect(step).to_have_attribute("aria-pressed", "true")
    joints, rows = step.get_attribute("data-joints") or "", step.get_attribute("data-rows") or ""
    assert answer.locator(".fmp-joints circle.fmp-highlighted").evaluate_all(lit) == sorted(joints.split())
    assert answer.locator(".fmp-chart tr.fmp-highlighted").evaluate_all(lit) == sorted(rows.split())
    for figure in answer.locator(".fmp-joints svg").all():
        expect(figure).to_be_in_viewport()
    assert findings(page) == []

    answer.locator("[data-action=light]").first.press("Enter")
    expect(step).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    expect(answer.locator(".fmp-highlighted")).to_have_count(0)
