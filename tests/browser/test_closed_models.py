"""A campaign that compares bundled models: the owner is told, and can close the page's own models to its voters."""

from __future__ import annotations

import itertools
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from demo.i18n import interface_texts
from tests.annotate.asking import SENTENCES, campaign_json, item, text, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import running_app
from tests.thoroughness import thorough

EN = interface_texts()["en"]
TOLD = EN["owner.askable"].format(models="captioner, geometry")


def stays_open(page: Page, tab: str) -> None:
    expect(page.locator(".fmp-tab[aria-selected=true]")).to_have_attribute("data-tab", tab)
    expect(page.locator(f"#panel-{tab}")).to_be_visible()


@pytest.fixture
def campaign(tmp_path: Path) -> str:
    compared = zip(("geometry", "captioner", "somebody-else"), SENTENCES, strict=True)
    texts = [text(model, "en", words, "vote") for model, words in compared]
    return str(write(tmp_path / "campaign", campaign_json([item(1, texts=texts)], kinds=["vote"])))


@thorough
def test_models_that_are_compared_are_asked_by_nobody_while_they_are_closed(
    pose_model: Path, campaign: str, tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "temporary").mkdir()
    settings = {"FMP_CAMPAIGN": campaign, "FMP_CLOSE_MODELS": "true"}
    with running_app(pose_model, tmp_path / "data", tmp_path / "temporary", **settings) as app:
        assert app.output == [f"FixMyPose is ready: {app.owner_url}\n"]
        assert httpx.get(f"{app.url}/gradio_api/info").json()["named_endpoints"] == {}
        for endpoint in ("correct", "retrieve"):
            for way in ("call", "call/v2", "api"):
                asked = httpx.post(f"{app.url}/gradio_api/{way}/{endpoint}", json={"data": []})
                assert asked.status_code == 404
        assert httpx.post(f"{app.url}/gradio_api/mcp/", json={}).status_code in {404, 405}
        told = httpx.get(f"{app.url}/programs").text
        assert EN["page.closed"] in told
        assert "<pre" not in told
        config = httpx.get(f"{app.url}/config").json()
        assert [one["targets"][0][1] for one in config["dependencies"] if one["targets"]][:1] == ["act"]

        with visitors(app, browser) as open_page:
            for language, width in itertools.product(("hi", "en"), (390, 1280)):
                words = interface_texts()[language]
                page = open_page(language=language, width=width, ready="#panel-annotate .fmp-start")
                for tab in ("correct", "retrieve", "live"):
                    closed = page.locator(f"#tab-{tab}")
                    expect(closed).to_be_disabled()
                    expect(closed).to_have_attribute("title", words["page.closed"])
                    closed.click(force=True)
                    expect(page.locator(".fmp-shut")).to_have_text(words["page.closed"])
                    stays_open(page, "annotate")
                    expect(page.locator(f"#panel-{tab}")).to_have_count(0)
                page.locator("#tab-annotate").focus()
                page.keyboard.press("ArrowRight")
                expect(page.locator("#tab-annotate")).to_be_focused()
                assert findings(page) == []
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                page.goto(f"{app.url}/#retrieve")
                page.reload()
                stays_open(page, "annotate")
                expect(page.locator(".fmp-shut")).to_have_text(words["page.closed"])
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator("[data-action=sit][data-kind=vote]").click()
            page.locator("input[name=relevant]").first.wait_for(state="attached")
            expect(page.locator(".fmp-askable")).to_have_count(0)


@thorough
def test_the_owner_hears_at_the_start_and_reads_beside_the_vote_that_they_can_be_asked(
    pose_model: Path, campaign: str, tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "temporary").mkdir()
    with running_app(pose_model, tmp_path / "data", tmp_path / "temporary", FMP_CAMPAIGN=campaign) as app:
        assert TOLD in "".join(app.output)
        with visitors(app, browser) as open_page:
            page = open_page()
            page.goto(f"{app.owner_url}#annotate/vote")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            expect(page.locator(".fmp-task-form .fmp-askable")).to_have_text(TOLD)
            assert findings(page) == []


@thorough
def test_a_live_tab_without_places_is_named_and_not_opened(pose_model: Path, tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "temporary").mkdir()
    with (
        running_app(pose_model, tmp_path / "data", tmp_path / "temporary", FMP_LIVE_VISITORS="0") as app,
        visitors(app, browser) as open_page,
    ):
        page = open_page(width=390, language="hi")
        page.goto(f"{app.url}/#live")
        page.reload()
        expect(page.locator(".fmp-shut")).to_have_text(interface_texts()["hi"]["live.closed"])
        stays_open(page, "correct")
        assert findings(page) == []
        page.locator("#tab-correct").focus()
        for tab in ("retrieve", "annotate", "correct"):  # the keys pass over the one that is closed
            page.keyboard.press("ArrowRight")
            stays_open(page, tab)
        expect(page.locator(".fmp-shut")).to_have_text("")


@thorough
def test_where_answers_could_not_be_kept_the_tab_that_asks_for_them_is_closed(
    pose_model: Path, tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "temporary").mkdir()
    with (
        running_app(pose_model, tmp_path / "data", tmp_path / "temporary", SPACE_ID="org/name") as app,
        visitors(app, browser) as open_page,
    ):
        page = open_page(language="en", width=1280)
        page.goto(f"{app.url}/#annotate/vote")
        page.reload()
        expect(page.locator(".fmp-shut")).to_have_text(EN["page.forgets"])
        stays_open(page, "correct")
        expect(page.locator("#panel-annotate")).to_have_count(0)
        assert findings(page) == []
