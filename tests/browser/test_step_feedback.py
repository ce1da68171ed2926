"""Thumbs at the steps of an answer: consent asked once, nothing sent before, changed, taken back, forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.examples.catalogue import FOLDER
from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import ask
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi")]


class Judged:
    """An answer of three steps, and what its thumbs sent."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sent: list[dict[str, Any]] = []
        page.on("request", self._note)
        self.answer = ask(page, FOLDER / "squat_current.jpg", FOLDER / "squat_target.jpg")

    def _note(self, request: Any) -> None:  # noqa: ANN401  Playwright's
        if '"judge"' in (request.post_data or ""):
            self.sent.append(json.loads(request.post_data)["event_data"])

    def thumb(self, step: int, name: str) -> Locator:
        return self.answer.locator(f".fmp-steps .fmp-thumb[data-right={name}]").nth(step)

    def expect_note(self, words: str) -> None:
        expect(self.answer.locator(".fmp-judged").last).to_have_text(words)

    def expect_pressed(self, step: int, name: str | None) -> None:
        for one in ("true", "false"):
            expect(self.thumb(step, one)).to_have_attribute("aria-pressed", str(one == name).lower())


@pytest.mark.parametrize(("width", "language"), one_of(BOTH))
def test_a_thumb_is_sent_once_its_giver_agreed_and_is_changed_and_taken_back(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    judged = Judged(open_page(width=width, language=language))
    page, line = judged.page, judged.answer.locator(".fmp-judging")
    expect(line).to_contain_text(words["feedback.invite"])

    judged.thumb(1, "false").click()
    expect(judged.answer.locator(".fmp-judged p")).to_have_text(words["feedback.terms"])
    assert judged.sent == []
    assert findings(page) == []
    page.get_by_role("button", name=words["feedback.keep"], exact=True).click()
    judged.expect_note(words["feedback.kept"])
    judged.expect_pressed(1, "false")
    expect(line).to_contain_text(words["feedback.on"])

    judged.thumb(1, "true").click()
    judged.expect_pressed(1, "true")
    judged.thumb(0, "true").click()
    judged.expect_pressed(0, "true")
    judged.thumb(1, "true").click()
    judged.expect_pressed(1, None)
    expect(judged.answer.locator(".fmp-judged").last).to_have_text(words["feedback.taken_back"])
    # A thumb lights no step; on a phone the card that came to the front is lit.
    expect(judged.answer.locator(".fmp-steps .fmp-highlighted")).to_have_count({1280: 0, 390: 1}[width])
    assert findings(page) == []
    assert [(one["right"], one.get("agrees")) for one in judged.sent] == [
        (False, True),
        *((right, None) for right in (True, True, None)),
    ]

    page.reload()
    judged.answer.locator(".fmp-thumb").first.wait_for()
    judged.expect_pressed(0, "true")
    judged.expect_pressed(1, None)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 1))
def test_who_says_no_sends_nothing_and_may_change_that_on_the_device(
    open_page: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    judged = Judged(open_page(width=width, language=language))
    line = judged.answer.locator(".fmp-judging")

    judged.thumb(0, "true").click()
    judged.page.get_by_role("button", name=words["feedback.refuse"], exact=True).click()
    expect(line).to_contain_text(words["feedback.off"])
    judged.thumb(0, "true").click()
    judged.expect_note(words["feedback.not_kept"])
    judged.expect_pressed(0, None)
    assert judged.sent == []

    line.get_by_role("button", name=words["feedback.change"]).click()
    judged.thumb(0, "true").click()
    judged.page.get_by_role("button", name=words["feedback.keep"], exact=True).click()
    judged.expect_pressed(0, "true")
    line.get_by_role("button", name=words["feedback.stop"]).click()
    judged.thumb(1, "true").click()
    judged.expect_note(words["feedback.not_kept"])
    assert len(judged.sent) == 1


@thorough
def test_thumbs_are_given_with_the_keyboard_and_go_with_all_that_somebody_gave(open_page: Callable[..., Page]) -> None:
    words = interface_texts()["en"]
    judged = Judged(open_page(language="en"))
    page = judged.page
    judged.thumb(0, "true").focus()
    page.keyboard.press("Enter")
    expect(judged.answer.locator(".fmp-judged p")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    judged.expect_pressed(0, "true")
    expect(judged.thumb(0, "true")).to_be_focused()

    page.locator("#tab-annotate").click()
    page.locator("[data-action=delete]").click()
    page.locator("[data-action=forget]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.delete_done"])
    page.locator("#tab-correct").click()
    judged.expect_pressed(0, None)
    expect(judged.answer.locator(".fmp-judging")).to_contain_text(words["feedback.invite"])


@thorough
def test_a_press_that_was_lost_counts_for_nothing_and_can_be_made_again(open_page: Callable[..., Page]) -> None:
    words = interface_texts()["en"]
    judged = Judged(open_page(language="en", alone=True))
    page = judged.page
    page.route("**/gradio_api/run/**", lambda route: route.abort())
    judged.thumb(0, "true").click()
    with page.expect_navigation():  # Gradio opens a page again whose connection broke
        page.get_by_role("button", name=words["feedback.keep"], exact=True).click()
    page.unroute_all()

    expect(judged.answer.locator(".fmp-judging")).to_contain_text(words["feedback.invite"])
    judged.expect_pressed(0, None)
    judged.thumb(0, "true").click()
    page.get_by_role("button", name=words["feedback.keep"], exact=True).click()
    judged.expect_pressed(0, "true")
