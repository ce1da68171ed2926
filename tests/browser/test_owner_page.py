"""The owner's page in a browser: results are asked for first, publishing now, what waits, and who is at work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.storage.store import open_store, store_path
from demo.i18n import interface_texts
from tests.annotate.answered import answers, campaign
from tests.annotate.asking import MODELS, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, agree_and_vote, running_app
from tests.thoroughness import one_of, thorough

WIDTHS_AND_LANGUAGES = [(1280, "en"), (390, "en"), (1280, "hi"), (390, "hi")]


@pytest.fixture(scope="module")
def owned(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, Path]]:
    """Yield an app with answers and pending votes, which publishes by itself only at its start, and its folder."""
    data = tmp_path_factory.mktemp("data")
    store = open_store(store_path(data))
    store.add_all(list(answers()))
    store.close()
    asked = campaign()
    asked["voices"]["vote"] = 50
    settings = {"FMP_CAMPAIGN": str(write(tmp_path_factory.mktemp("campaign"), asked)), "FMP_PUBLISH_MINUTES": "1440"}
    with running_app(pose_model, data, tmp_path_factory.mktemp("uploads"), **settings) as running:
        yield running, data


@pytest.fixture
def open_at(owned: tuple[App, Path], browser: Browser) -> Iterator[Callable[..., Page]]:
    with visitors(owned[0], browser) as open_page:

        def open_one(place: str, **options: object) -> Page:
            page = open_page(alone=True, **options)
            page.evaluate("localStorage.setItem('fixmypose.work_language', 'en')")  # what is voted on is English
            page.goto(f"{owned[0].owner_url}#annotate{place}")
            return page

        yield open_one


def is_sound(page: Page, width: int) -> bool:
    return findings(page) == [] and page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(WIDTHS_AND_LANGUAGES, 3))
def test_results_name_nobody_before_the_owner_who_may_vote_said_so(
    open_at: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    page = open_at("/results", width=width, language=language)
    expect(page.get_by_role("heading", name=words["owner.ask_heading"])).to_be_visible()
    results = page.locator(".fmp-results")
    for model in MODELS:
        expect(results).not_to_contain_text(model)
    assert is_sound(page, width)

    page.locator("[data-action=unblind]").click()

    expect(results.locator("table.fmp-shares").first).to_contain_text(MODELS[0])
    page.reload()  # asked once for as long as the tab is open
    expect(page.locator(".fmp-results table.fmp-shares").first).to_contain_text(MODELS[0])


@thorough
def test_a_person_who_would_rather_vote_goes_back_blind(open_at: Callable[..., Page]) -> None:
    page = open_at("/results", language="en")
    page.get_by_role("button", name=interface_texts()["en"]["owner.ask_keep"]).click()
    page.locator(".fmp-start").wait_for()
    page.locator(".fmp-to-results button").click()
    expect(page.locator(".fmp-ask-first")).to_be_visible()


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(WIDTHS_AND_LANGUAGES))
def test_the_owner_publishes_now_and_sees_who_is_at_work(
    open_at: Callable[..., Page], owned: tuple[App, Path], width: int, language: str
) -> None:
    words = interface_texts()[language]
    page = open_at("/vote", width=width, language=language)
    agree_and_vote(page)
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))
    published = len(list((owned[1] / "dataset").rglob("vote/*.parquet")))

    page.locator("[data-action=leave]").first.click()
    panel = page.locator(".fmp-owner")
    expect(panel).to_contain_text(words["owner.waiting_kinds"])
    expect(panel).to_contain_text(words["owner.active_now"].format(answers=1))
    assert is_sound(page, width)
    panel.locator("[data-action=publish]").click()

    expect(page.locator(".fmp-said-line")).to_have_text(words["owner.published_now"])
    expect(panel).to_contain_text(words["owner.nothing_waits"])
    assert len(list((owned[1] / "dataset").rglob("vote/*.parquet"))) == published + 1
    assert is_sound(page, width)
