"""A lab's study in a browser: from the link of a payment service to the address at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from demo.i18n import interface_texts
from tests.annotate.asking import campaign_json, item, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.test_payment import vote
from tests.browser.visits import App, running_app
from tests.thoroughness import thorough

STUDY = {
    "answers": 1,
    "demographics": [
        {"id": "fit", "kind": "yes_no", "text": {"en": "Fit?", "hi": "स्वस्थ?"}, "optional": False, "excludes": ["no"]},
        {"id": "age", "kind": "number", "text": {"en": "Age?", "hi": "उम्र?"}, "between": [18, 99]},
    ],
    "completion": {"redirect": "https://example.org/done?p={participant}&s={study}&a={session}"},
}


@pytest.fixture(scope="module")
def study_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    contents = campaign_json([item(one) for one in range(1, 4)], kinds=["vote"], voices={"vote": 50}, study=STUDY)
    settings = {
        "FMP_CAMPAIGN": str(write(tmp_path_factory.mktemp("campaign"), contents)),
        "FMP_PARTICIPANT_PARAMETERS": "PROLIFIC_PID,workerId",
        "FMP_BATCH_SECONDS": "0",
        "FMP_CONTACT": "asha@lab.example.org",
    }
    folders = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, **settings) as running:
        yield running


@thorough
@pytest.mark.parametrize(
    ("width", "language", "link", "address"),
    [
        (1280, "en", "?PROLIFIC_PID=asha&STUDY_ID=S1&SESSION_ID=A1", "https://example.org/done?p=asha&s=S1&a=A1"),
        (390, "hi", "?workerId=ben&hitId=S2&assignmentId=A2", "https://example.org/done?p=ben&s=S2&a=A2"),
    ],
)
def test_a_participant_tells_about_themselves_answers_and_goes_back(  # noqa: PLR0913, PLR0917  a case of the page
    study_app: App, browser: Browser, width: int, language: str, link: str, address: str
) -> None:
    told = interface_texts()[language]
    with visitors(study_app, browser) as open_page:
        page = open_page(alone=True, width=width, language=language)
        page.evaluate("localStorage.setItem('fixmypose.work_language', 'en')")
        page.goto(f"{study_app.url}/{link}#annotate")
        expect(page.locator(".fmp-consent")).to_contain_text("asha@lab.example.org")
        page.locator("#panel-annotate input[name=fmp-agree]").check()
        page.locator("[data-action=agree]").click()
        expect(page.locator("form.fmp-about-you")).to_contain_text(told["about_you.declined"])
        page.locator("[data-action=tell]").click()
        expect(page.locator(".fmp-lack-said")).to_have_text(told["questions.missing"])
        page.locator("input[name=fit][value=yes]").check()
        page.locator("input[name=age][type=number]").fill("7")
        page.locator("[data-action=tell]").click()
        expect(page.locator(".fmp-lack-said")).to_contain_text("18")
        assert findings(page) == []
        page.reload()
        page.locator("input[name=fit][value=yes]").check()
        page.locator("input[name=age][type=checkbox]").check()
        page.locator("[data-action=tell]").click()
        page.locator("[data-action=sit][data-kind=vote]").click()
        page.locator("form.fmp-task").wait_for()
        vote(page)
        expect(page.locator(".fmp-ended")).to_contain_text(told["ended.completed"])
        expect(page.locator(".fmp-ended a")).to_have_attribute("href", address)
        expect(page.locator(".fmp-contact")).to_have_text(re.compile("asha@lab.example.org"))
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
