"""The two pictures of a task: how they are compared, and that they stay in view while a form is filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.annotate.asking import campaign_json, item, item_to_find, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of

PAIR = ".fmp-stage .fmp-compare"


@pytest.fixture(scope="module")
def app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app with every kind of task about pairs."""
    items = [*(item(number) for number in range(1, 5)), *(item_to_find(number) for number in (20, 28, 36))]
    campaign = write(tmp_path_factory.mktemp("campaign"), campaign_json(items, voices={"find": 50}))
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def open_task(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a task as somebody new, who agrees to the terms."""
    with visitors(app, browser) as open_page:

        def open_one(kind: str, *, language: str = "en", **options: object) -> Page:
            page = open_page(language=language, **options)
            work = "hi" if kind == "translate" else "en"
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", work)
            page.goto(f"{app.url}/#annotate/{kind}")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator("form.fmp-task").wait_for()
            return page

        yield open_one


def view(page: Page, name: str) -> None:
    button = page.locator(f"{PAIR} [data-view={name}]")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")


def seen(page: Page, which: str) -> bool:
    return page.locator(f"{PAIR} .fmp-shot-{which}").is_visible()


@pytest.mark.parametrize(
    ("kind", "width", "language"),
    one_of(
        [
            ("vote", 1280, "en"),
            ("write", 390, "hi"),
            ("verify", 390, "en"),
            ("translate", 1280, "hi"),
            ("vote", 390, "hi"),
        ]
    ),
)
def test_a_pair_is_seen_side_by_side_overlaid_and_by_turns(
    open_task: Callable[..., Page], kind: str, width: int, language: str
) -> None:
    page = open_task(kind, language=language, width=width)
    page.emulate_media(reduced_motion="no-preference")
    beside = page.locator(f"{PAIR} .fmp-shot-current").bounding_box()["width"]
    assert (seen(page, "current"), seen(page, "target"), seen(page, "difference")) == (True, True, False)

    view(page, "over")
    assert (seen(page, "current"), seen(page, "target"), seen(page, "difference")) == (False, False, True)
    assert page.locator(f"{PAIR} .fmp-shot-difference").bounding_box()["width"] >= beside
    assert findings(page) == []

    view(page, "turn")
    expect(page.locator(f"{PAIR} .fmp-shot-target")).to_be_visible()
    expect(page.locator(f"{PAIR} .fmp-shot-current")).to_be_hidden()
    expect(page.locator(f"{PAIR} .fmp-shot-current")).to_be_visible()
    expect(page.locator(f"{PAIR} .fmp-shot-target")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.reload()  # the choice is remembered
    expect(page.locator(f"{PAIR} [data-view=turn]")).to_have_attribute("aria-pressed", "true")


def test_where_nothing_may_move_each_press_shows_the_other_picture(open_task: Callable[..., Page]) -> None:
    page = open_task("verify")
    view(page, "turn")
    for hidden, shown in (("target", "current"), ("current", "target"), ("target", "current")):
        expect(page.locator(f"{PAIR} .fmp-shot-{shown}")).to_be_visible()
        expect(page.locator(f"{PAIR} .fmp-shot-{hidden}")).to_be_hidden()
        page.locator(f"{PAIR} [data-view=turn]").click()


@pytest.mark.parametrize("kind", one_of(["vote", "write", "verify", "translate"]))
def test_on_a_phone_the_pair_stays_in_view_on_at_most_two_fifths(open_task: Callable[..., Page], kind: str) -> None:
    page = open_task(kind, language="hi", width=390)
    page.set_viewport_size({"width": 390, "height": 560})  # so low that the form is longer than the screen
    send = page.locator("[data-action=give]")
    send.evaluate("(button) => button.scrollIntoView({ block: 'end' })")
    box, height = page.locator(PAIR).bounding_box(), page.evaluate("innerHeight")
    assert -1 <= box["y"] <= 1
    assert box["height"] <= 0.4 * height
    assert send.bounding_box()["y"] >= box["height"]  # nothing of the form's end is covered
    assert min(one.bounding_box()["height"] for one in page.locator(f"{PAIR} [data-view]").all()) >= 44


@pytest.mark.parametrize("width", [1280, 390])
def test_the_chosen_candidate_is_compared_with_the_pose_that_it_starts_from(
    open_task: Callable[..., Page], width: int
) -> None:
    page = open_task("find", width=width)
    for _ in range(12):  # one mode of three shows words alone, and several of those may follow one another
        if page.locator(PAIR).count():
            break
        token = page.evaluate("window.FMP.work.task.token")
        page.locator("input[name=place]").first.check(force=True)
        page.locator("[data-action=give]").click()
        page.wait_for_function("(token) => window.FMP.work.task?.token !== token", arg=token)
    assert page.locator(PAIR).count()
    assert not seen(page, "target")
    view(page, "over")
    assert not seen(page, "target")
    page.locator("input[name=place][value='3']").check(force=True)
    expect(page.locator(f"{PAIR} .fmp-shot-target")).to_be_visible()
    chosen = page.locator(".fmp-candidate").nth(3).locator("img").get_attribute("src")
    assert page.locator(f"{PAIR} .fmp-shot-target img").get_attribute("src") == chosen
    page.locator("input[name=place][value='1']").check(force=True)
    expect(page.locator(f"{PAIR} .fmp-shot-target img")).not_to_have_attribute("src", chosen)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
