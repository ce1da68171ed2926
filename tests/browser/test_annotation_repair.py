"""A text mended by tapping and by keys, and compared with its draft by another person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.i18n import interface_texts
from tests.annotate.asking import campaign_json, item, text, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of

EN = interface_texts()["en"]
HI = interface_texts()["hi"]
DRAFTS = {"en": "Raise your left arm a little.", "hi": "अपनी बाईं बांह को थोड़ा ऊपर उठाएं"}


@pytest.fixture(scope="module")
def repair_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose campaign asks for repairs alone."""
    texts = [text(f"draft-{code}", code, words, "repair") for code, words in DRAFTS.items()]
    items = [item(number, texts=texts, to_describe=False) for number in range(1, 5)]
    asked = campaign_json(items, kinds=["repair", "compare"], voices={"repair": 50, "compare": 50})
    campaign = write(tmp_path_factory.mktemp("campaign"), asked)
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def open_form(repair_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a form as somebody new, who agrees to the terms."""
    with visitors(repair_app, browser) as open_page:

        def open_one(kind: str, *, language: str = "en", **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", language)
            page.goto(f"{repair_app.url}/#annotate/{kind}")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator(".fmp-task-form").wait_for()
            return page

        yield open_one


def edits(page: Page) -> list[list[str]]:
    made: list[list[str]] = json.loads(page.locator("input[name=edits]").input_value())
    return [edit for edit in made if edit[0] != "KEEP"]


@pytest.mark.parametrize(("width", "language"), one_of([(390, "hi"), (1280, "en"), (390, "en"), (1280, "hi")]))
def test_a_text_is_mended_by_tapping_words_and_gaps(open_form: Callable[..., Page], width: int, language: str) -> None:
    words = interface_texts()[language]
    page = open_form("repair", width=width, language=language)
    before = DRAFTS[language].split()
    tokens, result = page.locator(".fmp-token"), page.locator(".fmp-mending output")
    expect(result).to_have_text(DRAFTS[language])
    assert tokens.all_inner_texts() == before
    assert findings(page) == []

    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-mending .fmp-lack-said")).to_have_text(words["repair.missing"])
    tokens.nth(1).click()
    expect(page.locator(".fmp-mending [role=status]")).to_have_text(words["repair.deleted"].format(word=before[1]))
    expect(page.locator(".fmp-mending .fmp-lack-said")).to_have_count(0)
    tokens.nth(3).click()
    tokens.nth(3).click()
    page.locator(".fmp-gap").nth(2).click()
    page.locator(".fmp-adding input").fill(" two  words ")
    tokens.nth(4).click()  # another edit adds the words of an open gap first

    assert edits(page) == [["DELETE", before[1]], ["ADD", "two"], ["ADD", "words"], ["DELETE", before[4]]]
    expect(result).to_have_text(" ".join([before[0], "two", "words", *before[2:4], *before[5:]]))
    expect(page.locator(".fmp-steps-counted")).to_have_text(words["repair.steps"].format(steps=4))
    expect(page.locator("[data-action=right]")).to_be_disabled()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for box in [one.bounding_box() for one in (tokens.first, page.locator(".fmp-gap").first)]:
        assert box is not None
        assert min(box["width"], box["height"]) >= 24
    page.locator("[data-action=repair-undo]").click()
    assert edits(page) == [["DELETE", before[1]], ["ADD", "two"], ["ADD", "words"]]
    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))


def test_a_text_is_mended_without_a_mouse_and_the_draft_of_the_edits_survives_a_reload(
    open_form: Callable[..., Page],
) -> None:
    page = open_form("repair")
    press = page.keyboard.press
    page.locator(".fmp-gap").first.focus()

    for key in ("ArrowRight", "Delete", "End", "ArrowLeft", "Backspace", "Backspace", "ArrowRight", "Enter"):
        press(key)
    page.keyboard.type("Hold it.")
    press("Enter")
    assert edits(page) == [["DELETE", "Raise"], ["ADD", "Hold"], ["ADD", "it."]]
    press("Enter")
    page.keyboard.type("never")
    press("Escape")
    expect(page.locator(".fmp-gap").last).to_be_focused()
    press("Control+z")
    assert edits(page) == [["DELETE", "Raise"]]
    page.reload()
    page.locator(".fmp-token").first.wait_for()
    assert edits(page) == [["DELETE", "Raise"]]
    expect(page.locator(".fmp-token").first).to_contain_text(EN["repair.is_deleted"])

    page.locator(".fmp-token").first.focus()
    press("Delete")
    press("n")
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.thanks"].format(given=1))
    press("u")
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.undone"])
    assert edits(page) == []


def test_another_person_compares_both_texts_without_knowing_which_is_which(open_form: Callable[..., Page]) -> None:
    mender = open_form("repair", width=390, language="hi")
    mender.locator(".fmp-token").nth(1).click()
    mender.locator("[data-action=give]").click()
    expect(mender.locator(".fmp-said-line")).to_have_text(HI["annotate.thanks"].format(given=1))

    page = open_form("compare", width=390, language="hi")
    shown = page.locator(".fmp-voices p").all_inner_texts()
    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-lack-said")).to_have_text(HI["compare.missing"])
    page.locator(".fmp-voices > li").first.click()

    assert DRAFTS["hi"] in shown
    assert len(set(shown)) == 2
    expect(page.locator(".fmp-vote-mark:not([hidden])")).to_have_text(HI["compare.chosen"])
    assert findings(page) == []
    page.locator("[data-action=give]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(HI["annotate.thanks"].format(given=1))
