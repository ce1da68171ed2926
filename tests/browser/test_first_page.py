"""The first page: its weight, its name, the example that is answered before anything is pressed."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from demo.examples.catalogue import OPENING
from demo.i18n import interface_texts
from tests.benchmarks.first_page import SLOW, visit
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures
from tests.thoroughness import one_of

MAX_BYTES = 400_000  # over the line before the form can be used
EXAMPLE = ".fmp-answer[data-outcome=example]"
ANSWER = ".fmp-answer[data-outcome=correction]"
STATUS = "#correct-form .fmp-status"
TOP = "node => node.getBoundingClientRect().top"
SIZES = [(1280, 800), (390, 844)]


def asks(page: Page) -> list[str]:
    """Note from now on what is asked of the models through the queue."""
    noted: list[str] = []
    page.on("request", lambda request: noted.append(request.url) if "/queue/join" in request.url else None)
    return noted


def opened_at(page: Page, address: str, ready: str) -> Page:
    """Open an address after the page was left, so that all of it is loaded."""
    page.goto("about:blank")
    page.goto(address)
    page.locator(ready).wait_for()
    return page


def test_the_form_can_be_used_before_four_hundred_kilobytes_have_come(app: App, browser: Browser) -> None:
    seen = visit(browser, app.url, SLOW, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    assert 100_000 < seen.bytes < MAX_BYTES, seen
    assert seen.bytes_by_kind["document"] < 200_000, seen
    assert seen.first_paint < seen.usable, seen
    assert seen.shift < 0.1, seen


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_what_the_page_is_made_of_comes_compressed_and_without_pictures_in_it(app: App, encoding: str) -> None:
    with httpx.Client(base_url=app.url, headers={"Accept-Encoding": encoding}, timeout=60) as client:
        document = client.get("/")
        asset = re.findall(r'src="\./(assets/[\w.-]+\.js)"', document.text)[0]
        script = client.get(f"/{asset}")
    assert [one.headers["content-encoding"] for one in (document, script)] == [encoding] * 2
    assert "data:image/jpeg" not in document.text
    assert "immutable" in script.headers["cache-control"]


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_page_says_its_name_in_the_language_that_is_asked_for(app: App, language: str) -> None:
    told = interface_texts()[language]
    for got in (
        httpx.get(f"{app.url}/?lang={language}", timeout=60),
        httpx.get(app.url, headers={"Accept-Language": f"{language}-IN,{language};q=0.9"}, timeout=60),
    ):
        assert f"<title>{told['page.title']}</title>" in got.text
        assert f'og:description" content="{told["page.description"]}"' in got.text
        assert f'og:url" content="{app.url}/"' in got.text
        assert not re.search(r'content="(Gradio|@\w*[Gg]radio)"|\{url\}', got.text.partition("<style>")[0])
    picture = httpx.get(re.findall(r'og:image" content="([^"]+)"', got.text)[0], timeout=60)
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/jpeg")


def test_a_language_in_the_address_is_spoken_until_another_is_chosen(open_page: Callable[..., Page], app: App) -> None:
    page = opened_at(open_page(), f"{app.url}/?lang=hi", EXAMPLE)
    expect(page.locator("html")).to_have_attribute("lang", "hi")
    page.locator(".fmp-language[data-language=en]").click()
    page.reload()
    page.locator(EXAMPLE).wait_for()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_a_language_in_the_address_that_the_page_has_not_is_none(open_page: Callable[..., Page], app: App) -> None:
    page = opened_at(open_page(), f"{app.url}/?lang=constructor", EXAMPLE)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#tab-correct")).to_have_text(interface_texts()["en"]["tabs.correct"])


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_one_example_is_answered_when_the_page_opens(open_page: Callable[..., Page], width: int, height: int) -> None:
    page = open_page(width=width)
    page.set_viewport_size({"width": width, "height": height})
    words = interface_texts()["en"]
    example = page.locator(EXAMPLE)
    name = words[f"captions.{OPENING}"]
    expect(example.locator("h2")).to_have_text(words["examples.opening"].format(name=name))
    expect(example.locator("[data-action=own]")).to_be_in_viewport()
    expect(example.locator(".fmp-steps li").first).to_be_in_viewport()
    assert example.locator(".fmp-pair svg").count() == 2
    assert page.evaluate("[scrollY, document.activeElement.tagName]") == [0, "BODY"]
    assert findings(page) == []

    page.locator("[data-action=own]").press("Enter")

    expect(page.locator("[data-which=current] [data-action=choose]")).to_be_focused()
    expect(page.locator("[data-which=current] [data-action=choose]")).to_be_in_viewport()
    expect(page.locator("[data-action=submit]")).to_be_in_viewport(ratio=1)


def test_the_button_is_in_view_beside_the_example(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator(EXAMPLE).wait_for()
    expect(page.locator("[data-action=submit]")).to_be_in_viewport(ratio=1)
    form, answer = page.locator("#correct-form").bounding_box(), page.locator("#answer").bounding_box()
    assert form is not None
    assert answer is not None
    assert form["x"] + form["width"] < answer["x"]


@pytest.mark.parametrize("language", ["en", "hi"])
def test_the_example_follows_the_language(open_page: Callable[..., Page], language: str) -> None:
    page = open_page(language=language)
    expect(page.locator(f"{EXAMPLE} .fmp-step").first).to_have_attribute("lang", language)
    expect(page.locator(f"{EXAMPLE} h2")).to_contain_text(interface_texts()[language][f"captions.{OPENING}"])


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "hi"), (390, "en")]))
def test_a_press_on_an_example_brings_its_answer_at_once(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    asked = asks(page)
    page.locator(".fmp-example[data-name=tree]").press("Enter")
    expect(page.locator(f"{ANSWER} .fmp-step").first).to_have_attribute("lang", language)
    expect(page.locator(f"{ANSWER} h2")).to_be_focused()
    expect(page.locator(".fmp-filled img:visible")).to_have_count(2)
    assert page.url.endswith("#correct/tree")
    assert asked == []

    page.locator("[data-which=current] [data-action=remove]").click()

    expect(page.locator(f"{ANSWER}[data-outdated]")).to_have_count(1)
    assert page.url.endswith("#correct")


def test_an_example_is_asked_about_where_something_is_left_out(open_page: Callable[..., Page]) -> None:
    page = open_page()
    asked = asks(page)
    page.locator("#correct-form .fmp-options summary").click()
    page.locator("#correct-form input[name=fmp-leave-out]").first.check()
    page.locator(".fmp-example[data-name=tree]").click()
    page.locator(ANSWER).wait_for()
    assert len(asked) == 1


def test_an_example_is_asked_about_where_its_answer_cannot_be_fetched(open_page: Callable[..., Page]) -> None:
    page = open_page()
    asked = asks(page)
    page.route("**/examples/answer*", lambda route: route.abort())
    page.locator(".fmp-example[data-name=tree]").click()
    page.locator(ANSWER).wait_for()
    assert len(asked) == 1


def test_pictures_that_cannot_be_fetched_are_told(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.route("**/examples/picture*", lambda route: route.abort())
    page.locator(".fmp-example[data-name=tree]").click()
    expect(page.locator("#correct-form .fmp-form > .fmp-alert")).to_have_text(
        interface_texts()["en"]["faults.unreachable"]
    )


def test_a_link_opens_an_example(open_page: Callable[..., Page], app: App) -> None:
    page = opened_at(open_page(), f"{app.url}/#correct/lunge", ANSWER)
    alt = interface_texts()["en"]["scenes.lunge_target"]
    expect(page.locator("[data-which=target] .fmp-filled img")).to_have_attribute("alt", re.compile(re.escape(alt)))
    page.evaluate("location.hash = '#correct/tree'")
    alt = interface_texts()["en"]["scenes.tree_target"]
    expect(page.locator("[data-which=target] .fmp-filled img")).to_have_attribute("alt", re.compile(re.escape(alt)))


@pytest.mark.parametrize("name", one_of(["nobody", "%E0%A4%A", "वृक्षासन", '"]<b>', "tree/tree"]))
def test_a_link_to_no_example_opens_the_page_as_usual(open_page: Callable[..., Page], app: App, name: str) -> None:
    page = opened_at(open_page(), f"{app.url}/#correct/{name}", EXAMPLE)
    expect(page.locator(".fmp-tab[data-tab=correct]")).to_have_attribute("aria-selected", "true")


def test_the_first_photograph_leaves_the_example_behind_and_moves_nothing(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(width=390)
    page.locator(EXAMPLE).wait_for()
    page.locator("[data-action=own]").click()
    slot = page.locator(".fmp-photo[data-which=current]")
    slot.locator("[data-action=choose]").scroll_into_view_if_needed()
    before = slot.evaluate(TOP)

    slot.locator("input[type=file]").set_input_files(pictures.standing)

    expect(page.locator(f"{EXAMPLE}[data-outdated]")).to_have_count(1)
    expect(page.locator(STATUS)).to_have_text(interface_texts()["en"]["form.photo_set"])
    assert abs(slot.evaluate(TOP) - before) < 4
    assert page.locator("#correct-form").evaluate(TOP) < page.locator("#answer").evaluate(TOP)


def test_who_comes_back_to_photographs_sees_those_and_no_example(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.standing)
    expect(page.locator(STATUS)).to_have_text(interface_texts()["en"]["form.photo_set"])
    with page.expect_response("**/examples/picture*") as drawn:
        page.reload()
    expect(page.locator("[data-which=current] .fmp-filled img")).to_be_visible()
    assert drawn.value.ok
    page.wait_for_load_state("networkidle")
    assert page.locator(EXAMPLE).count() == 0


def test_clearing_leaves_the_form_as_it_is_without_photographs(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator(EXAMPLE).wait_for()
    page.locator("[data-action=clear]").click()
    page.locator(".fmp-answer[data-outcome=empty]").wait_for()
    expect(page.locator(STATUS)).to_have_text(interface_texts()["en"]["form.cleared"])


def test_the_strip_of_examples_shows_that_it_goes_on(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    strip, later = page.locator(".fmp-examples ul"), page.locator("[data-action=later]")
    expect(page.locator("[data-action=earlier]")).to_be_disabled()
    assert strip.evaluate("node => node.scrollLeft") == 0
    later.press("Enter")
    page.wait_for_function("() => document.querySelector('.fmp-examples ul').scrollLeft > 100")
    later.press("Enter")
    expect(later).to_be_disabled()
    expect(page.locator("[data-action=earlier]")).to_be_enabled()


def test_the_footer_leads_to_the_paper_and_to_what_programs_use(open_page: Callable[..., Page]) -> None:
    page = open_page(language="hi")
    links = page.locator(".fmp-footer nav a")
    hrefs = [link.get_attribute("href") for link in links.all()]
    assert hrefs == ["https://arxiv.org/abs/2104.01703", "programs", "programs#mcp"]
    expect(links.first).to_have_text(interface_texts()["hi"]["links.paper"])
