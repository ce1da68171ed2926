"""A campaign that compares bundled models: the owner is told, and can close the page's own models to its voters."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from demo.i18n import interface_texts
from tests.annotate.asking import SENTENCES, campaign_json, item, text, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import running_app
from tests.thoroughness import thorough

EN = interface_texts()["en"]
TOLD = EN["owner.askable"].format(models="captioner, geometry")


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
        config = httpx.get(f"{app.url}/config").json()
        assert [one["targets"][0][1] for one in config["dependencies"] if one["targets"]][:1] == ["act"]

        with visitors(app, browser) as open_page:
            for language, width in (("hi", 390), ("en", 1280)):
                words = interface_texts()[language]
                page = open_page(language=language, width=width, ready=".fmp-closed")
                for tab in ("correct", "retrieve"):
                    page.locator(f"#tab-{tab}").click()
                    panel = page.locator(f"#panel-{tab}")
                    expect(panel).to_contain_text(words["page.closed"])
                    expect(panel.locator("form, [data-action=submit]")).to_have_count(0)
                    assert findings(page) == []
            page.locator("#tab-annotate").click()
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
            expect(page.locator(".fmp-desk .fmp-askable")).to_have_text(TOLD)
            assert findings(page) == []
