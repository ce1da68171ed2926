"""Results as the owner of an app on their own machine meets them: tables, bars, both languages, files to save."""

from __future__ import annotations

import json
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
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of, thorough

EN = interface_texts()["en"]
HI = interface_texts()["hi"]


@pytest.fixture(scope="module")
def answered_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose campaign already has answers."""
    data = tmp_path_factory.mktemp("data")
    store = open_store(store_path(data))
    store.add_all(list(answers()))
    store.close()
    folder = write(tmp_path_factory.mktemp("campaign"), campaign())
    with running_app(pose_model, data, tmp_path_factory.mktemp("uploads"), FMP_CAMPAIGN=str(folder)) as running:
        yield running


@pytest.fixture
def open_results(answered_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    with visitors(answered_app, browser) as open_page:

        def open_one(**options: object) -> Page:
            page = open_page(**options)
            page.goto(f"{answered_app.owner_url}#annotate/results")
            page.locator(".fmp-results").wait_for()
            return page

        yield open_one


@thorough
@pytest.mark.parametrize(("width", "language", "scheme"), one_of([(1280, "en", "light"), (390, "hi", "dark")], 1))
def test_the_owner_reads_the_shares_beside_the_papers(
    open_results: Callable[..., Page], width: int, language: str, scheme: str
) -> None:
    words = interface_texts()[language]
    page = open_results(width=width, language=language, color_scheme=scheme)

    relevance = page.locator("table.fmp-shares").first
    expect(relevance.locator("caption")).to_have_text(words["results.most_relevant"])
    expect(relevance.locator("tbody tr")).to_have_count(len(MODELS) + 1 + 3)
    expect(relevance.locator("tbody")).to_contain_text(words["results.paper"].format(model="V+L"))
    expect(page.locator(".fmp-results")).to_contain_text(words["results.status_accepted"])
    expect(page.locator(".fmp-results")).to_contain_text(words["results.doubt_copied"])
    expect(page.locator(".fmp-owner")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
def test_the_start_page_leads_there_and_back_and_a_reload_stays(open_results: Callable[..., Page]) -> None:
    page = open_results()
    page.locator(".fmp-results [data-action=leave]").click()
    page.locator(".fmp-to-results button").click()
    page.locator(".fmp-results").wait_for()

    page.reload()

    expect(page.get_by_role("heading", name=EN["results.heading"], exact=True)).to_be_visible()
    page.locator(".fmp-language[data-language=hi]").click()
    expect(page.get_by_role("heading", name=HI["results.heading"], exact=True)).to_be_visible()


@thorough
@pytest.mark.parametrize(
    ("form", "name"),
    one_of([("json", "small-results.json"), ("csv", "small-results.csv"), ("answers", "small-answers.zip")]),
)
def test_results_are_saved_as_files(open_results: Callable[..., Page], tmp_path: Path, form: str, name: str) -> None:
    page = open_results()

    with page.expect_download() as saving:
        page.locator(f"[data-action=download][data-form={form}]").click()

    assert saving.value.suggested_filename == name
    path = tmp_path / name
    saving.value.save_as(path)
    if form == "json":
        assert json.loads(path.read_text(encoding="utf-8"))["votes"]["en"]["votes"] == 48
    else:
        assert path.stat().st_size > 500
    expect(page.locator(".fmp-said-line")).to_have_text(EN["results.downloaded"].format(name=name))
