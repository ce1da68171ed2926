"""One list of steps drives the pictures and the figure, stays below them on a phone, and speaks the page's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from demo.examples.catalogue import EXAMPLES, FOLDER, ExamplePair
from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.test_phone import PHONE
from tests.browser.visits import App, ask, running_app
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough

SCREEN = 844  # pixels of a phone 390 wide
DEVANAGARI = re.compile(r"[\u0900-\u097f]")
SQUAT = FOLDER / "squat_current.jpg", FOLDER / "squat_target.jpg"  # three steps and an advice
TEXTS = {"en": ["lean your upper body to the left ."], "hi": ["अपने शरीर को बाईं ओर झुकाएं ।"]}


def on_phone(open_page: Callable[..., Page], language: str = "en", motion: str = "reduce") -> Page:
    page = open_page(language=language, **PHONE)
    page.set_viewport_size({"width": 390, "height": SCREEN})
    page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
    return page


def lit(answer: Locator) -> list[int]:
    """Return the positions of the highlighted steps."""
    places: list[int] = answer.locator(".fmp-steps > li").evaluate_all(
        "(cards) => cards.flatMap((card, place) => card.classList.contains('fmp-highlighted') ? [place] : [])"
    )
    return places


def reached(page: Page, at: int) -> None:
    """Wait until the figure stands at the end of this many steps."""
    page.wait_for_function(
        "(at) => { const now = document.querySelector('.fmp-see canvas').figure.now();"
        " return now.at === at && !now.playing; }",
        arg=at,
    )


def swipe(answer: Locator, place: int) -> None:
    """Bring a card to the middle, as a finger does."""
    answer.locator(".fmp-steps").evaluate(
        """(row, place) => {
            const { offsetLeft, offsetWidth } = row.children[place];
            row.scrollTo({ left: offsetLeft - (row.clientWidth - offsetWidth) / 2, behavior: 'instant' });
        }""",
        place,
    )


@pytest.mark.parametrize("language", one_of(["en", "hi"]))
@pytest.mark.parametrize("pair", one_of(EXAMPLES), ids=lambda pair: pair.name)
def test_on_a_phone_the_folded_answer_takes_at_most_three_screens(
    open_page: Callable[..., Page], tmp_path: Path, pair: ExamplePair, language: str
) -> None:
    page = on_phone(open_page, language)
    for which in ("current", "target"):
        (tmp_path / f"{which}.jpg").write_bytes(getattr(pair, which))

    answer = ask(page, tmp_path / "current.jpg", tmp_path / "target.jpg")

    box, stage = answer.bounding_box(), answer.locator(".fmp-figures").bounding_box()
    assert box is not None
    assert stage is not None
    assert box["height"] <= 3 * SCREEN
    assert stage["height"] <= 0.4 * SCREEN
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_on_a_phone_the_pictures_stay_in_view_while_the_steps_are_read(
    open_page: Callable[..., Page], language: str
) -> None:
    page = on_phone(open_page, language)
    answer = ask(page, *SQUAT)

    for view in ("all", "pictures", "figure"):
        answer.locator(f"[data-action=view][data-view={view}]").tap()
        answer.locator(".fmp-player").evaluate("(node) => node.scrollIntoView({ block: 'end', behavior: 'instant' })")
        expect(answer.locator(".fmp-steps > li").first).to_be_in_viewport(ratio=1)
        for part in answer.locator(".fmp-scene .fmp-figure").all():
            shown = view == "all" or (view == "figure") == ("fmp-see" in (part.get_attribute("class") or ""))
            expect(part).to_be_in_viewport(ratio=1) if shown else expect(part).to_be_hidden()
        height = answer.locator(".fmp-figures").evaluate("(node) => node.offsetHeight")
        assert height <= 0.4 * SCREEN
    assert findings(page) == []


@pytest.mark.parametrize("height", [720, 900])
def test_beside_the_form_pictures_figure_and_steps_are_in_view_together(
    open_page: Callable[..., Page], height: int
) -> None:
    page = open_page(width=800)  # the answer is as wide there as beside the form
    page.set_viewport_size({"width": 800, "height": height})
    answer = ask(page, *SQUAT)

    for part in (".fmp-scene .fmp-figure", ".fmp-steps > li", "[data-action=play]"):
        assert answer.locator(part).count() >= 1
        for one in answer.locator(part).all():
            expect(one).to_be_in_viewport(ratio=0.99)


def test_a_swipe_lights_the_card_and_the_figure_does_its_step(open_page: Callable[..., Page]) -> None:
    page = on_phone(open_page)
    answer = ask(page, *SQUAT)
    expect(answer.locator(".fmp-position")).to_have_text("1 of 4")
    assert lit(answer) == []  # nobody chose a step

    swipe(answer, 1)

    reached(page, 2)
    assert lit(answer) == [1]
    number = answer.locator("[data-action=light]").nth(1)
    expect(number).to_have_attribute("aria-pressed", "true")
    assert answer.locator(".fmp-joints circle.fmp-highlighted").count() > 0
    expect(answer.locator(".fmp-position")).to_have_text("2 of 4")
    swipe(answer, 3)
    expect(answer.locator(".fmp-position")).to_have_text("4 of 4")
    assert lit(answer) == [3]  # the advice, which is about no joint
    expect(answer.locator(".fmp-joints circle.fmp-highlighted")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
def test_arrows_and_buttons_go_from_step_to_step_with_pictures_and_figure(
    open_page: Callable[..., Page], width: int
) -> None:
    page = open_page(width=width, language="en")
    answer = ask(page, *SQUAT)
    numbers = answer.locator("[data-action=light]")
    numbers.first.press("Enter")
    reached(page, 1)

    page.keyboard.press("ArrowRight")

    expect(numbers.nth(1)).to_be_focused()
    reached(page, 2)
    assert lit(answer) == [1]
    page.keyboard.press("ArrowLeft")
    reached(page, 1)
    assert lit(answer) == [0]
    answer.locator("[data-action=forward]").click()
    reached(page, 2)
    assert lit(answer) == [1]
    for _ in range(2):
        answer.locator("[data-action=backward]").click()
    reached(page, 0)
    assert lit(answer) == []
    expect(answer.locator("[data-action=backward]")).to_be_disabled()


def test_the_figure_that_plays_moves_the_cards_along(open_page: Callable[..., Page]) -> None:
    page = on_phone(open_page, motion="no-preference")
    answer = ask(page, *SQUAT)

    for place in range(3):
        page.wait_for_function(
            """(place) => {
                const row = document.querySelector('.fmp-steps'), card = row.children[place];
                const left = card.getBoundingClientRect().left - row.getBoundingClientRect().left;
                return card.classList.contains('fmp-highlighted') && left >= 0 && left < row.clientWidth / 2;
            }""",
            arg=place,
        )

    reached(page, 3)
    assert lit(answer) == []  # the whole movement again


def test_there_is_one_list_of_the_answers_steps(open_page: Callable[..., Page]) -> None:
    answer = ask(open_page(language="en"), *SQUAT)
    first = answer.locator(".fmp-step").first.inner_text()

    assert answer.get_by_text(first, exact=True).count() == 1
    assert answer.locator("ol:visible").count() == 1


@pytest.mark.parametrize(("width", "language"), one_of([(390, "en"), (1280, "hi")]))
def test_details_are_folded_open_by_keyboard_and_are_printed(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    answer = ask(page, *SQUAT)
    folds = answer.locator("details")
    expect(folds).to_have_count(4)
    inside = ".fmp-chart", ".fmp-red", "textarea", ".fmp-source dl"
    for part in inside:
        expect(answer.locator(part)).to_be_hidden()

    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    expect(answer.locator("details[open]")).to_have_count(4)
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(answer.locator("details[open]")).to_have_count(0)

    for summary in answer.locator("summary").all():
        summary.press("Enter")
    for part in inside:
        expect(answer.locator(part)).to_be_visible()
    assert findings(page) == []


def test_the_answer_is_said_in_the_other_language_at_once_and_stays_where_it_was(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(language="en")
    answer = ask(page, *SQUAT)
    english = answer.get_attribute("data-text")
    answer.locator("[data-action=light]").nth(1).click()
    reached(page, 2)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    page.locator(".fmp-language[data-language=hi]").click()

    assert all(DEVANAGARI.search(step) for step in answer.locator(".fmp-step").all_inner_texts())
    expect(answer.locator(".fmp-step").first).to_have_attribute("lang", "hi")
    assert DEVANAGARI.search(answer.get_attribute("data-text") or "")
    assert answer.get_attribute("data-speech") == interface_texts()["hi"]["language.speech"]
    expect(answer.locator(".fmp-see canvas")).to_have_attribute("aria-label", DEVANAGARI)
    assert lit(answer) == [1]
    reached(page, 2)
    answer.locator("[data-action=forward]").click()
    reached(page, 3)
    assert asked == []
    page.locator(".fmp-language[data-language=en]").click()
    expect(answer).to_have_attribute("data-text", english or "")
    assert lit(answer) == [2]


def test_an_answer_that_is_brought_back_is_said_in_the_pages_language(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    ask(page, *SQUAT)
    page.locator(".fmp-language[data-language=hi]").click()

    page.reload()

    answer = page.locator("#answer .fmp-answer[data-outcome=correction]")
    expect(answer.locator(".fmp-step").first).to_have_attribute("lang", "hi")
    page.locator(".fmp-language[data-language=en]").click()
    expect(answer.locator(".fmp-step").first).to_have_attribute("lang", "en")


def test_a_language_that_was_chosen_by_hand_is_the_answers_whatever_the_pages_is(
    open_page: Callable[..., Page],
) -> None:
    page = open_page(language="en")
    answer = ask(page, *SQUAT)
    page.locator("#panel-correct .fmp-options summary").click()

    page.locator("input[name=fmp-answer-language][value=hi]").check()

    expect(answer.locator(".fmp-step").first).to_have_attribute("lang", "hi")
    for language in ("hi", "en"):
        page.locator(f".fmp-language[data-language={language}]").click()
        expect(answer.locator("h2")).to_have_text(interface_texts()[language]["answer.heading"])
        expect(answer.locator(".fmp-step").first).to_have_attribute("lang", "hi")
    page.reload()
    expect(page.locator("#answer .fmp-step").first).to_have_attribute("lang", "hi")


@pytest.fixture(scope="module")
def captioning_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose page starts with a captioner that answers in one language at a time."""
    folder = save_taught(tmp_path_factory.mktemp("models") / "captioner-for-tests", TEXTS, seed=1, missing=True)
    places = (tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads"))
    with running_app(pose_model, *places, FMP_CAPTIONER=str(folder)) as running:
        yield running


@thorough
def test_a_captioner_is_asked_again_by_itself(captioning_app: App, browser: Browser) -> None:
    with visitors(captioning_app, browser) as open_one:
        page = open_one(language="en")
        number = ask(page, *SQUAT).get_attribute("data-number")
        switch = page.locator(".fmp-language[data-language=hi]")

        switch.click()

        page.locator(f"#answer .fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()
        expect(page.locator("#answer .fmp-step").first).to_have_attribute("lang", "hi")
        expect(switch).to_be_focused()  # the page stays where it is
        expect(switch).to_be_in_viewport()
