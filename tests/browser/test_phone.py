"""Somebody at home, on a phone: what is needed is in reach, and what is wrong is said where it is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures, agree_and_vote, ask, give
from tests.thoroughness import one_of, thorough

PHONE = {"width": 390, "has_touch": True, "is_mobile": True}
LANGUAGES = ["en", "hi"]


def slot(page: Page, which: str) -> Locator:
    return page.locator(f"#panel-correct [data-which={which}].fmp-photo")


@thorough
@pytest.mark.parametrize("tab", one_of(["correct", "retrieve"], 1))
def test_the_button_is_in_reach_wherever_the_form_is_scrolled_to(open_page: Callable[..., Page], tab: str) -> None:
    page = open_page(**PHONE)
    page.locator(f"#tab-{tab}").click()
    button = page.locator(f"#panel-{tab} .fmp-primary")

    for part in (".fmp-intro h2", ".fmp-photo h3", ".fmp-go"):
        page.locator(f"#panel-{tab} {part}").first.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_the_names_of_all_tabs_are_whole_and_apart(open_page: Callable[..., Page], language: str) -> None:
    page = open_page(language=language, **PHONE)

    assert (
        page.locator(".fmp-tab").evaluate_all("(tabs) => tabs.map((tab) => tab.scrollWidth - tab.clientWidth)")
        == [0] * page.locator(".fmp-tab").count()
    )
    assert page.locator(".fmp-tabs > div").evaluate("(row) => row.scrollWidth <= row.clientWidth")


@thorough
@pytest.mark.parametrize(("tab", "part"), one_of([("correct", ".fmp-options summary"), ("retrieve", "textarea")]))
def test_what_is_brought_into_view_is_not_under_the_button(open_page: Callable[..., Page], tab: str, part: str) -> None:
    page = open_page(**PHONE)
    page.locator(f"#tab-{tab}").click()
    go = page.locator(f"#panel-{tab} .fmp-go")

    bottom = page.locator(f"#panel-{tab} {part}").first.evaluate(
        """(node) => {
            const page = document.scrollingElement;
            page.scrollTop = 0;
            page.scrollTop = Math.max(0, node.getBoundingClientRect().top - innerHeight - 40); // just below the window
            node.scrollIntoView({ block: 'nearest', behavior: 'instant' });
            return node.getBoundingClientRect().bottom;
        }"""
    )

    box = go.bounding_box()
    assert box is not None
    assert bottom <= box["y"] + 1


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_models_and_language_are_folded_and_the_title_says_what_is_chosen(
    open_page: Callable[..., Page], language: str
) -> None:
    page = open_page(language=language, **PHONE)
    words = interface_texts()[language]
    title = page.locator("#panel-correct .fmp-options summary")
    expect(page.locator("input[name=fmp-answer-language][value=en]")).to_be_hidden()
    expect(title).to_contain_text(f"{words['models.geometry']} · {words['language.name']}")

    title.click()
    page.locator("input[name=fmp-answer-language]:not(:checked)").check()

    other = interface_texts()[{"en": "hi", "hi": "en"}[language]]
    expect(title).to_contain_text(f"{words['models.geometry']} · {other['language.name']}")
    assert findings(page) == []


@thorough
def test_where_nothing_is_dropped_or_typed_no_hint_speaks_of_it(open_page: Callable[..., Page]) -> None:
    hints = ".fmp-by-mouse, .fmp-keys, .fmp-single-keys"
    count_visible = "(nodes) => nodes.filter((node) => node.checkVisibility()).length"
    mouse, finger = open_page(width=390), open_page(**PHONE)
    for page in (mouse, finger):
        page.locator("#panel-retrieve").evaluate("(panel) => { panel.hidden = false; }")
        page.locator("#panel-correct").evaluate("(panel) => { panel.hidden = false; }")

    assert mouse.locator(hints).evaluate_all(count_visible) == 9
    assert finger.locator(hints).evaluate_all(count_visible) == 0
    expect(slot(finger, "current").locator("[data-action=choose]")).to_be_visible()


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_each_photograph_that_is_missing_is_asked_for_in_its_place(
    open_page: Callable[..., Page], language: str
) -> None:
    page = open_page(language=language, **PHONE)
    words = interface_texts()[language]

    page.locator("[data-action=submit]").tap()

    for which in ("current", "target"):
        expect(slot(page, which).locator("[role=alert]")).to_have_text(words[f"form.missing_{which}"])
        expect(slot(page, which)).to_have_class("fmp-photo fmp-wrong")
    choose = slot(page, "current").locator("[data-action=choose]")
    expect(choose).to_be_focused()
    expect(choose).to_have_accessible_description(words["form.missing_current"])
    expect(slot(page, "current").locator("[role=alert]")).to_be_in_viewport(ratio=1)
    assert findings(page) == []


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_that_nobody_is_found_is_said_in_the_place_of_that_photograph(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, language: str
) -> None:
    wall = tmp_path / "wall.png"
    Image.new("RGB", (640, 480), (120, 140, 150)).save(wall)
    page = open_page(language=language, **PHONE)
    words = interface_texts()[language]
    give(page, pictures.standing, wall)

    page.locator("[data-action=submit]").tap()

    alert = slot(page, "target").locator("[role=alert]")
    expect(alert).to_have_text(words["errors.no_person"].format(which=words["which.target"]))
    expect(alert).to_be_in_viewport(ratio=1)
    expect(slot(page, "target").locator("[data-action=change]")).to_be_focused()
    expect(slot(page, "current").locator("[role=alert]")).to_be_empty()
    expect(page.locator(".fmp-answer h2")).to_have_text(words["answer.empty_heading"])

    ask(page, pictures.standing, pictures.warrior)
    expect(alert).to_be_empty()
    expect(slot(page, "target")).to_have_class("fmp-photo")


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_of_two_people_a_tap_chooses_whom_the_correction_is_for(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language, **PHONE)
    words = interface_texts()[language]
    answer = ask(page, pictures.two_people, pictures.warrior)
    people = slot(page, "current").locator(".fmp-whom")
    note = slot(page, "current").get_by_role("status")
    expect(note).to_have_text(words["people.several"].format(count=2))
    expect(note).to_be_in_viewport(ratio=1)
    expect(slot(page, "current").locator("[role=alert]")).to_be_empty()  # nothing is wrong
    expect(slot(page, "current")).to_have_class("fmp-photo")
    expect(people).to_have_count(2)
    expect(people.nth(0)).to_have_attribute("aria-pressed", "true")  # the larger
    expect(people.nth(1)).to_have_accessible_name(words["people.choose"].format(number=2, of=2))
    assert findings(page) == []
    number = answer.get_attribute("data-number")
    first = page.locator(".fmp-joints img").first.get_attribute("src")

    people.nth(1).tap()

    page.locator(f".fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()
    expect(people.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(people.nth(0)).to_have_attribute("aria-pressed", "false")
    expect(note).to_be_empty()
    assert page.locator(".fmp-joints img").first.get_attribute("src") != first  # cut to somebody else
    expect(page.locator(".fmp-answer h2")).to_be_focused()


@thorough
def test_in_the_other_tab_a_tap_chooses_whom_too(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="en", **PHONE)
    page.locator("#tab-retrieve").tap()
    start = page.locator("[data-which=start].fmp-photo")
    start.locator("input[type=file]").set_input_files(pictures.two_people)
    page.locator(".fmp-candidates input[type=file]").set_input_files([pictures.warrior, pictures.standing])
    page.locator("textarea[name=fmp-description]").fill("Raise your left arm, then bend both knees.")
    page.locator("[data-action=find]").tap()
    ranking = page.locator(".fmp-ranking[data-outcome=ranking]")
    ranking.wait_for()
    expect(start.get_by_role("status")).to_be_in_viewport(ratio=1)
    people = start.locator(".fmp-whom")
    expect(people).to_have_count(2)
    number = ranking.get_attribute("data-number")

    people.nth(1).tap()

    page.locator(f".fmp-ranking[data-outcome=ranking]:not([data-number='{number}'])").wait_for()
    expect(people.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(start.get_by_role("status")).to_be_empty()


KEYS = re.compile(
    r"\b(arrow keys?|space bar|full stop|Ctrl|Enter|Esc(ape)?|[A-Z] (pauses|mutes))\b|तीर वाले|स्पेस बार|अल्पविराम"
)  # in what is said of them


def hints_of_keys(page: Page) -> list[str]:
    """Return the texts, visible or for screen readers, that mention keys, the mouse or dropping."""
    told: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('.gradio-container *')].filter((node) => node.checkVisibility()).flatMap(
            (node) => [
                ...[...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
                ...['aria-label', 'title', 'placeholder'].map((name) => node.getAttribute(name)),
                node.matches('.fmp-by-mouse, .fmp-keys, .fmp-single-keys') ? 'Ctrl' : null,
                node.getAttribute('aria-keyshortcuts') && 'Enter',
            ]).filter(Boolean)"""
    )
    assert len(told) > 20
    return [text for text in told if KEYS.search(text)]


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_on_a_touch_screen_no_page_speaks_of_keys(
    open_page: Callable[..., Page], app: App, pictures: Pictures, language: str
) -> None:
    finger = open_page(language=language, **PHONE)
    with_keys = open_page(width=390, language=language)
    answer = ask(finger, pictures.standing, pictures.warrior)
    assert hints_of_keys(finger) == []
    for summary in answer.locator("summary").all():
        summary.tap()
    answer.locator("button[data-action=enlarge]").tap()
    expect(finger.get_by_role("dialog")).to_be_visible()
    assert hints_of_keys(finger) == []
    finger.locator("[data-action=close-large]").tap()
    for page in (finger, with_keys):
        page.evaluate("document.querySelector('.fmp-live-stage').hidden = false")  # as while an exercise goes on
    for tab in ("retrieve", "live", "annotate"):
        finger.locator(f"#tab-{tab}").tap()
        assert hints_of_keys(finger) == []
    finger.goto(f"{app.url}/#annotate/vote")
    finger.reload()
    agree_and_vote(finger)
    expect(finger.locator(".fmp-said-line")).not_to_be_empty()
    assert hints_of_keys(finger) == []

    with_keys.locator("#tab-live").click()
    assert hints_of_keys(with_keys) != []


@pytest.mark.parametrize("tab", ["correct", "retrieve", "live"])
def test_a_status_goes_when_something_else_is_the_case(
    open_page: Callable[..., Page], pictures: Pictures, tab: str
) -> None:
    page, words = open_page(language="en"), interface_texts()["en"]
    page.locator(f"#tab-{tab}").click()
    panel = page.locator(f"#panel-{tab}")
    if tab == "live":
        panel.locator("input[name=fmp-live-goal][value='']").check(force=True)
    status, photo = panel.locator(".fmp-go [role=status]"), panel.locator(".fmp-photo").first
    photo.locator("input[type=file]").set_input_files(pictures.standing)
    expect(status).to_have_text(words["form.photo_set"])

    photo.locator("[data-action=remove]").click()

    expect(status).to_be_empty()
    photo.locator("input[type=file]").set_input_files(pictures.warrior)
    expect(status).to_have_text(words["form.photo_set"])


def test_a_status_of_both_photographs_goes_when_one_of_them_changes(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page, words = open_page(language="en"), interface_texts()["en"]
    status = page.locator("#panel-correct .fmp-status")
    give(page, pictures.standing, pictures.warrior)
    for act, key in (("swap", "form.swapped"), ("turn", "form.turned")):
        page.locator(f"#panel-correct [data-action={act}]").first.click()
        expect(status).to_have_text(words[key].format(degrees=90))
        slot(page, "target").locator("[data-action=mirror]").click()
        expect(status).to_be_empty()

    answer = ask(page, pictures.standing, pictures.warrior)
    expect(status).to_have_text(words["form.ready"])
    slot(page, "current").locator("[data-action=remove]").click()
    expect(status).to_have_text(words["answer.outdated"])
    page.get_by_role("button", name=words["form.clear"], exact=True).click()
    expect(status).to_have_text(words["form.cleared"])
    expect(answer).to_have_count(0)
    give(page, pictures.standing, pictures.warrior)
    expect(status).to_have_text(words["form.photo_set"])


def test_that_all_is_removed_is_no_longer_said_when_a_description_is_typed(open_page: Callable[..., Page]) -> None:
    page, words = open_page(language="en"), interface_texts()["en"]
    page.locator("#tab-retrieve").click()
    page.locator("#panel-retrieve [data-action=empty]").click()
    status = page.locator("#panel-retrieve .fmp-stand")
    expect(status).to_have_text(words["find.cleared"])

    page.locator("textarea[name=fmp-description]").fill("Raise your left arm.")

    expect(status).to_be_empty()
