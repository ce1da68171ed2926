"""What a visitor imagines in a target: chosen, stepped, undone and reset; what is marked, refused and read aloud."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.i18n import interface_texts
from fmp_models.counterfactual import LISTED_EDITS, edit_phrase, part_words
from fmp_models.counterfactual.edits import Edit
from fmp_models.estimators import open_estimator
from fmp_models.geometry import execute_alone
from fmp_models.inference import Corrector, load_correction_model
from tests.browser.test_accessibility import findings
from tests.browser.visits import Pictures, ask, give
from tests.thoroughness import one_of, thorough

BOTH = [(1280, "en"), (390, "hi"), (1280, "hi"), (390, "en")]
OTHER = {"en": "hi", "hi": "en"}


def edit(phrase: str) -> Edit:
    """Return an edit of the list by its English words."""
    return next(one for one in LISTED_EDITS if edit_phrase(one, "en") == phrase)


HEAD, HIP = edit("the left hand at head height"), edit("the left hand at hip height")
LEAN, ARM = edit("the upper body leaning further forward"), edit("the left arm straight up")


def part(page: Page) -> Locator:
    return page.locator("[name=fmp-part]")


def end(page: Page) -> Locator:
    return page.locator("[name=fmp-end]")


def press(page: Page, action: str) -> None:
    page.locator(f"#what-if [data-action={action}]").click()


def began(phrase: str) -> str:
    return phrase[0].upper() + phrase[1:]


def choose(page: Page, one: Edit, language: str) -> None:
    part(page).select_option(label=began(part_words(one, language)))
    end(page).select_option(label=began(edit_phrase(one, language)))


def imagined(page: Page) -> Locator:
    return page.locator(".fmp-imagined-told")


def new(page: Page) -> Locator:
    return page.locator(".fmp-imagined ins")


def gone(page: Page) -> Locator:
    return page.locator(".fmp-imagined del")


@pytest.mark.parametrize(("width", "language"), one_of(BOTH, 2))
def test_a_chosen_end_is_drawn_and_its_new_and_gone_clauses_are_marked_and_read(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]
    ask(page, pictures.standing, pictures.warrior)
    page.get_by_role("button", name=words["what_if.heading"]).click()
    expect(part(page)).to_be_focused()
    expect(page.locator(".fmp-what-if-figures")).to_be_hidden()

    choose(page, HIP, language)

    expect(imagined(page)).to_contain_text(edit_phrase(HIP, language))
    expect(imagined(page)).to_have_attribute("lang", language)
    expect(gone(page)).not_to_have_count(0)
    heard = page.locator("#what-if .fmp-heard")
    expect(heard).to_have_attribute("role", "status")
    expect(heard).to_contain_text(edit_phrase(HIP, language))
    expect(heard).to_contain_text(gone(page).first.inner_text())
    expect(page.get_by_role("img", name=words["what_if.figure_imagined"])).to_be_visible()
    assert (
        page.locator(".fmp-what-if-figures canvas").evaluate_all(
            "(all) => new Set(all.map((one) => one.toDataURL())).size"
        )
        == 2
    )

    choose(page, LEAN, language)
    expect(imagined(page)).to_contain_text(edit_phrase(LEAN, language))
    expect(imagined(page)).to_contain_text(edit_phrase(HIP, language))
    expect(new(page)).not_to_have_count(0)
    expect(page.locator(".fmp-imagined .fmp-new").first).to_have_text(words["what_if.new"])
    expect(heard).to_contain_text(new(page).first.inner_text())
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.locator(f".fmp-language[data-language={OTHER[language]}]").click()
    expect(imagined(page)).to_have_attribute("lang", OTHER[language])
    expect(imagined(page)).to_contain_text(edit_phrase(LEAN, OTHER[language]))
    expect(end(page).locator("option:checked")).to_have_text(began(edit_phrase(LEAN, OTHER[language])))


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_ends_are_stepped_undone_and_reset_by_the_keyboard_alone(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language)
    ask(page, pictures.standing, pictures.warrior)
    part(page).focus()
    part(page).press("ArrowDown")
    expect(part(page).locator("option:checked")).to_have_text(began(part_words(HEAD, language)))
    ends = end(page).locator("option").all_inner_texts()
    for _ in range(3):
        page.keyboard.press("Tab")
    expect(page.locator("#what-if [data-action=next]")).to_be_focused()

    for number in (1, 2):
        page.keyboard.press("Enter")
        expect(end(page).locator("option:checked")).to_have_text(ends[number])
        expect(imagined(page)).to_contain_text(ends[number][1:])
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")  # faster than the answer
    expect(imagined(page)).to_contain_text(ends[4][1:])
    expect(page.locator("#what-if [data-action=next]")).to_be_focused()

    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(imagined(page)).to_contain_text(ends[3][1:])
    page.locator("#what-if [data-action=undo-change]").press("Enter")
    expect(imagined(page)).to_contain_text(ends[4][1:])
    expect(end(page).locator("option:checked")).to_have_text(ends[4])
    page.locator("#what-if [data-action=reset]").press("Enter")
    expect(imagined(page)).to_have_count(0)
    expect(end(page).locator("option:checked")).to_have_text(ends[0])
    expect(page.locator("#what-if [data-action=undo-change]")).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".fmp-heard")).to_be_empty()


def test_what_a_body_cannot_do_is_told_and_the_last_image_stays(
    open_page: Callable[..., Page], pictures: Pictures, pose_model: Path
) -> None:
    corrector = Corrector(open_estimator(str(pose_model)), [load_correction_model("geometry")])
    pair = corrector.measure(pictures.standing.read_bytes(), pictures.warrior.read_bytes()).pair
    assert pair is not None
    impossible = next(
        one
        for one in LISTED_EDITS
        if one.joints[0].startswith("right") and execute_alone(one.clause, pair.target, one.joints) is None
    )
    page = open_page()
    words, alert = interface_texts()["en"], page.locator("#fmp-what-if-alert")
    ask(page, pictures.standing, pictures.warrior)
    choose(page, HIP, "en")
    expect(imagined(page)).to_contain_text(edit_phrase(HIP, "en"))

    choose(page, impossible, "en")
    expect(alert).to_have_text(words["errors.change_impossible"].format(change=edit_phrase(impossible, "en")))
    expect(end(page).locator("option:checked")).to_have_text(words["what_if.as_it_is"])
    expect(imagined(page)).to_have_text(f"Imagine {edit_phrase(HIP, 'en')}.")

    choose(page, ARM, "en")
    expect(alert).to_have_text(words["errors.changes_together"])
    choose(page, edit("the left knee straight"), "en")
    expect(imagined(page)).to_contain_text("the left knee straight")
    expect(alert).to_be_empty()
    choose(page, edit("the head further forward"), "en")
    expect(imagined(page)).to_contain_text("the head further forward")
    choose(page, edit("the whole body turned further to the left"), "en")
    expect(alert).to_have_text(words["errors.changes_count"].format(most=3))


def test_a_change_without_an_effect_on_the_text_says_so(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)
    choose(page, edit("the left knee straight"), "en")
    expect(page.locator(".fmp-imagined-note")).to_have_text(interface_texts()["en"]["what_if.unchanged"])
    expect(new(page)).to_have_count(0)


def test_what_was_imagined_ends_with_a_new_answer_and_needs_a_current_one(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)
    choose(page, HIP, "en")
    expect(imagined(page)).to_have_count(1)

    page.locator("[data-action=submit]").click()
    expect(imagined(page)).to_have_count(0)
    expect(page.locator(".fmp-what-if-figures")).to_be_hidden()

    page.locator("[data-action=swap]").click()
    choose(page, HIP, "en")
    expect(page.locator("#fmp-what-if-alert")).to_have_text(interface_texts()["en"]["answer.outdated"])
    expect(end(page)).to_have_value("")


def test_there_is_nothing_to_imagine_before_an_answer(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    page.locator("[data-action=clear]").click()
    expect(page.locator("#what-if")).to_be_hidden()
    give(page, pictures.standing, pictures.warrior)
    expect(page.locator("#what-if")).to_be_hidden()


@thorough
def test_the_target_of_the_opening_example_can_be_imagined_otherwise(open_page: Callable[..., Page]) -> None:
    page = open_page()
    page.locator(".fmp-answer[data-outcome=example]").wait_for()

    choose(page, HIP, "en")

    expect(imagined(page)).to_contain_text(edit_phrase(HIP, "en"))
    expect(page.locator("[data-which=current] .fmp-filled")).to_be_visible()
