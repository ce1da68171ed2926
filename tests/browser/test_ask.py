"""A conversation about an answer: references to earlier questions, lit joints, reasons, refusals, and when it ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.i18n import interface_texts
from fmp_models.dialogue.conversation import MAX_CHARS
from fmp_models.pose import INDEX
from tests.browser.test_accessibility import findings
from tests.browser.visits import Pictures, ask, give
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi"), (1280, "hi"), (390, "en")]
KNEE, OTHER = (str(INDEX[name]) for name in ("left_knee", "right_knee"))
FIRST = {"en": "Which way does my left knee move?", "hi": "मेरा बायाँ घुटना किस ओर जाएगा?"}
AND_THE_OTHER = {"en": "And the other one?", "hi": "और दूसरा?"}


def field(page: Page) -> Locator:
    return page.locator("input[name=fmp-question]")


def replies(page: Page) -> Locator:
    return page.locator("#ask-chat .fmp-reply")


def put(page: Page, question: str) -> Locator:
    """Ask a question by the keyboard; return its reply."""
    number = replies(page).count()
    field(page).fill(question)
    field(page).press("Enter")
    expect(replies(page)).to_have_count(number + 1)
    return replies(page).last


def lit(page: Page, place: str) -> set[str]:
    """Return the joints that are lit in the pictures at a place of the page, in both pictures alike."""
    joints = page.locator(f"{place} circle.fmp-highlighted").evaluate_all(
        "(all) => all.map((one) => one.dataset.joint)"
    )
    assert sorted(joints) == sorted([*set(joints)] * 2)
    return set(joints)


@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 2))
def test_a_conversation_refers_to_what_was_said_and_lights_the_parts_meant(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]
    ask(page, pictures.standing, pictures.warrior)
    page.get_by_role("button", name=words["ask.heading"]).click()
    expect(field(page)).to_be_focused()
    expect(page.get_by_role("heading", name=words["ask.heading"])).to_be_in_viewport()
    expect(page.get_by_role("group", name=words["ask.suggestions"]).get_by_role("button")).to_have_count(3)

    reply = put(page, FIRST[language])

    expect(reply).to_have_attribute("lang", language)
    expect(field(page)).to_be_focused()
    expect(field(page)).to_have_value("")
    log = page.get_by_role("log", name=words["ask.conversation"])
    expect(log).to_have_attribute("aria-live", "polite")
    expect(log).to_contain_text(FIRST[language])
    assert lit(page, "#ask-pictures") == lit(page, "#answer .fmp-joints") == {KNEE}

    put(page, AND_THE_OTHER[language])
    assert lit(page, "#ask-pictures") == lit(page, "#answer .fmp-joints") == {OTHER}
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    how = log.locator("details").first
    how.locator("summary").press("Enter")
    expect(how).to_contain_text(words["ask.how"])
    expect(how.locator("p").first).to_be_visible()
    assert lit(page, "#ask-pictures") == {KNEE}
    page.locator(f".fmp-language[data-language={'en' if language == 'hi' else 'hi'}]").click()
    expect(replies(page)).to_have_count(2)


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_suggestion_is_asked_by_its_button_and_three_others_follow(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language)
    ask(page, pictures.standing, pictures.warrior)
    suggestions = page.locator(".fmp-suggested button")
    first = suggestions.all_inner_texts()

    suggestions.first.press("Enter")

    expect(replies(page)).to_have_count(1)
    expect(page.get_by_role("log")).to_contain_text(first[0])
    expect(suggestions).to_have_count(3)
    assert suggestions.all_inner_texts() != first
    expect(suggestions.first).to_be_focused()
    assert suggestions.evaluate_all("(all) => all.map((one) => one.lang)") == [language] * 3


def test_what_cannot_be_answered_is_said_in_one_sentence(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="hi")
    words, alert = interface_texts()["hi"], page.locator("#fmp-question-alert")
    ask(page, pictures.standing, pictures.warrior)

    field(page).press("Enter")
    expect(alert).to_have_text(words["ask.missing"])
    expect(field(page)).to_be_focused()
    field(page).fill("क" * (MAX_CHARS + 1))
    field(page).press("Enter")
    expect(alert).to_have_text(words["errors.question_length"].format(most=MAX_CHARS))
    expect(replies(page)).to_have_count(0)

    hostile = "<img src=x onerror=alert(1)> **a** $$b$$ [c](https://example.com)"
    expect(put(page, hostile)).to_have_class("fmp-reply fmp-reply-unread")
    expect(alert).to_be_empty()
    expect(page.get_by_role("log")).to_contain_text(hostile)
    expect(page.locator("#ask-chat :is(img, strong, a)")).to_have_count(0)
    expect(put(page, "क्या मेरे घुटने में दर्द होगा?")).to_have_class("fmp-reply fmp-reply-unread")


def test_a_conversation_ends_when_it_is_started_again_and_with_a_new_answer(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)
    first = page.locator(".fmp-suggested button").all_inner_texts()
    put(page, FIRST["en"])

    page.locator("[data-action=start-again]").click()
    expect(page.locator("#ask-chat")).to_be_hidden()
    expect(replies(page)).to_have_count(0)
    expect(field(page)).to_be_focused()
    assert lit(page, "#answer .fmp-joints") == set()
    assert page.locator(".fmp-suggested button").all_inner_texts() == first

    put(page, FIRST["en"])
    page.locator("[data-action=submit]").click()
    expect(replies(page)).to_have_count(0)

    page.locator("[data-action=swap]").click()
    field(page).fill(FIRST["en"])
    field(page).press("Enter")
    expect(page.locator("#fmp-question-alert")).to_have_text(interface_texts()["en"]["answer.outdated"])
    expect(replies(page)).to_have_count(0)


def test_there_is_nothing_to_ask_about_before_an_answer(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    page.locator("[data-action=clear]").click()
    expect(page.locator("#ask")).to_be_hidden()
    give(page, pictures.standing, pictures.warrior)
    expect(page.locator("#ask")).to_be_hidden()


@thorough
def test_the_opening_example_can_be_asked_about(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator(".fmp-answer[data-outcome=example]").wait_for()

    page.locator(".fmp-suggested button").first.click()

    expect(replies(page)).to_have_count(1)
    expect(page.locator("[data-which=current] .fmp-filled")).to_be_visible()
