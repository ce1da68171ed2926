"""A visitor's own text is mended word by word: shown, replayed, taken and undone; a right text stays as it is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import Pictures, ask, give
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi"), (1280, "hi"), (390, "en")]
WRONG = {  # from standing to warrior two, the left arm goes up and the feet go apart
    "en": "Lower your left arm, and spread your feet wide apart.",
    "hi": "अपनी बाईं बांह को नीचे करें। अपने पैरों को फैलाएं।",
}
RIGHT = {"en": "Spread your feet wide apart.", "hi": "अपने दोनों पैरों को फैलाएं।"}


def opened(page: Page, text: str) -> Locator:
    """Open the section and write a text; return the field."""
    page.locator(".fmp-mend summary").click()
    field = page.locator("textarea[name=fmp-own-text]")
    field.fill(text)
    return field


def status(page: Page) -> Locator:
    return page.locator(".fmp-mend [role=status]")


@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 2))
def test_a_wrong_text_is_mended_replayed_taken_and_brought_back(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language, permissions=["clipboard-read", "clipboard-write"])
    words = interface_texts()[language]
    give(page, pictures.standing, pictures.warrior)
    field = opened(page, WRONG[language])

    page.get_by_role("button", name=words["edit.submit"]).click()

    card = page.locator(".fmp-edited[data-outcome=edited]")
    expect(card.get_by_role("heading", name=words["edit.result"])).to_be_focused()
    expect(status(page)).to_have_text(words["edit.ready"])
    shown, slider = card.locator(".fmp-round:visible"), card.get_by_role("slider", name=words["edit.rounds"])
    expect(shown).to_have_attribute("lang", language)
    removed, added = shown.locator("del").first, shown.locator("ins").first
    expect(removed.locator(".fmp-sr")).to_have_text(words["edit.deleted"])
    expect(added.locator(".fmp-sr")).to_have_text(words["edit.added"])
    lines = "(node) => getComputedStyle(node).textDecorationLine"
    assert (removed.evaluate(lines), added.evaluate(lines)) == ("line-through", "underline")
    expect(card.locator(".fmp-reasons")).to_contain_text(words["edit.because_false"])
    expect(slider).to_have_attribute("aria-valuetext", words["edit.round_last"])
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    slider.press("Home")
    expect(shown).to_have_text(WRONG[language])
    expect(shown.locator("del, ins")).to_have_count(0)
    expect(slider).to_have_attribute("aria-valuetext", words["edit.round_given"])
    slider.press("ArrowRight")
    expect(shown.locator("del").first).to_be_visible()

    card.get_by_role("button", name=words["edit.take"]).click()
    expect(status(page)).to_have_text(words["edit.taken"])
    mended = field.input_value()
    assert mended != WRONG[language]
    assert page.evaluate("navigator.clipboard.readText()") == mended
    page.get_by_role("button", name=words["edit.undo"], exact=True).click()
    expect(field).to_have_value(WRONG[language])
    expect(field).to_be_focused()
    expect(status(page)).to_have_text(words["edit.undone"])
    expect(page.get_by_role("button", name=words["edit.undo"], exact=True)).to_be_hidden()


@pytest.mark.parametrize(("width", "language"), one_of(BOTH[:2], 1))
def test_a_right_text_stays_and_the_keys_do_not_ask_for_a_correction(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]
    give(page, pictures.standing, pictures.warrior)
    field = opened(page, RIGHT[language])

    field.press("End")
    field.press("Enter")
    expect(field).to_have_value(f"{RIGHT[language]}\n")
    field.press("Control+Enter")

    card = page.locator(".fmp-edited[data-outcome=edited]")
    expect(card).to_contain_text(words["edit.right"])
    expect(card.locator(".fmp-round")).to_have_text(RIGHT[language])
    expect(card.locator("input, button, del, ins")).to_have_count(0)
    expect(page.locator(".fmp-answer[data-outcome=correction]")).to_have_count(0)


def test_what_is_lacking_is_said_at_its_place(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="hi")
    words = interface_texts()["hi"]
    mend, alert = page.locator("[data-action=mend]"), page.locator(".fmp-own-text [role=alert]")

    field = opened(page, "  ")
    mend.click()
    expect(alert).to_have_text(words["edit.missing"])
    expect(field).to_be_focused()
    field.fill(WRONG["hi"])
    mend.click()
    expect(page.locator("[data-which=current] [role=alert]")).to_have_text(words["form.missing_current"])
    expect(alert).to_be_empty()
    give(page, pictures.standing, pictures.warrior)
    field.fill("Подними руку")
    mend.click()
    expect(alert).to_have_text(words["errors.description_foreign"])
    field.fill("a" * 1001)
    mend.click()
    expect(alert).to_have_text(words["errors.description_too_long"].format(limit=1000))
    expect(page.locator(".fmp-edited")).to_have_count(0)


def test_an_answer_is_edited_by_the_same_button_and_other_photographs_make_the_edit_old(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    answer = ask(page, pictures.standing, pictures.warrior)
    steps = answer.locator("li:not(.fmp-watch) .fmp-step")
    said = " ".join(steps.all_inner_texts())

    answer.locator("[data-action=edit-text]").click()

    field = page.locator("textarea[name=fmp-own-text]")
    expect(field).to_have_value(said)
    expect(field).to_be_focused()
    page.locator("[data-action=mend]").click()
    card = page.locator(".fmp-edited[data-outcome=edited]")
    card.wait_for()
    expect(answer.locator("h2")).to_be_visible()  # the answer stays
    page.locator("[data-action=swap]").click()
    expect(card.locator(".fmp-outdated")).to_be_visible()


@thorough
def test_a_reload_keeps_the_text_and_its_edit_and_clear_removes_both(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    give(page, pictures.standing, pictures.warrior)
    opened(page, WRONG["en"])
    page.locator("[data-action=mend]").click()
    card = page.locator(".fmp-edited")
    card.wait_for()

    page.reload()

    field = page.locator("textarea[name=fmp-own-text]")
    expect(field).to_have_value(WRONG["en"])
    expect(card.locator("del").first).to_be_visible()
    expect(card.locator(".fmp-outdated")).to_be_hidden()
    page.locator("[data-action=clear]").click()
    expect(field).to_have_value("")
    expect(card).to_have_count(0)
    page.reload()
    page.locator("[data-action=submit]").wait_for()
    expect(field).to_have_value("")


@thorough
def test_the_opening_example_brings_its_photographs_along(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator(".fmp-answer[data-outcome=example] [data-action=edit-text]").click()

    expect(page.locator("textarea[name=fmp-own-text]")).to_be_focused()
    expect(page.locator("[data-which=current] .fmp-filled")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.locator(".fmp-edited[data-outcome=edited]")).to_be_visible()
