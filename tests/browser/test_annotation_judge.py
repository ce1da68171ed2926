"""An answer about two pictures judged after the dialogue that led to it, by tapping and by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate.campaigns.builder import CampaignOrder, make_campaign
from demo.i18n import interface_texts
from tests.annotate.dialogues import CAPTIONS, ROUNDS, with_dialogues
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of


@pytest.fixture(scope="module")
def judge_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose campaign asks about dialogues of the sample's pairs."""
    dataset = with_dialogues(tmp_path_factory.mktemp("data") / "dataset")
    about = {"splits": ("test_unseen",), "items": 1, "kinds": ("judge",), "gold": 0, "voices": {"judge": 50}}
    campaign = tmp_path_factory.mktemp("campaign") / "made"
    make_campaign(CampaignOrder(dataset=dataset, name="made", **about), campaign)
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def open_form(judge_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the form as somebody new, who agrees to the terms."""
    with visitors(judge_app, browser) as open_page:

        def open_one(*, language: str, **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", language)
            page.goto(f"{judge_app.url}/#annotate/judge")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator(".fmp-task-form").wait_for()
            return page

        yield open_one


@pytest.mark.parametrize(("width", "language"), one_of([(390, "hi"), (1280, "en"), (390, "en"), (1280, "hi")]))
def test_question_and_answer_are_judged_with_what_was_said_before(
    open_form: Callable[..., Page], width: int, language: str
) -> None:
    words, page = interface_texts()[language], open_form(language=language, width=width)
    place = [one[0] for one in ROUNDS[language]].index(page.locator(".fmp-said").inner_text().rsplit(" ", 1)[0])

    expect(page.locator(".fmp-said strong")).to_have_text(ROUNDS[language][place][1])
    expect(page.locator(".fmp-so-far p")).to_have_text(CAPTIONS[language])
    assert page.locator(".fmp-so-far li").all_inner_texts() == [
        f"{question} {answer}" for question, answer, *_ in ROUNDS[language][:place]
    ]
    expect(page.locator(".fmp-so-far")).to_have_attribute("lang", language)
    assert page.locator(".fmp-shot:visible img").count() == 2
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-lack-said")).to_have_text(words["judge.missing"])
    page.locator(".fmp-radio", has_text=words["judge.verdict_wrong"]).click()
    page.locator(".fmp-task [name=comment]").fill("-5")
    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))


def test_keys_judge_and_undo(open_form: Callable[..., Page]) -> None:
    words, page = interface_texts()["en"], open_form(language="en", width=1280)
    first = page.locator(".fmp-said").inner_text()
    page.keyboard.press("3")
    expect(page.locator("[name=verdict][value=cannot_tell]")).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))
    page.keyboard.press("u")
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.undone"])
    expect(page.locator(".fmp-said")).to_have_text(first)
    expect(page.locator("[name=verdict][value=cannot_tell]")).to_be_checked()
