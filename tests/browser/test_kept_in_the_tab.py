"""What a visitor gave and was told survives a reload in its own tab, and an answer to other photographs says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from demo.examples.catalogue import RETRIEVAL
from demo.i18n import interface_texts
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures, ask, described, give
from tests.thoroughness import one_of, thorough

KEPT = "Object.keys(sessionStorage).filter((name) => name.startsWith('fixmypose.kept.'))"


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_an_answer_to_other_photographs_says_so_and_asks_again(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str
) -> None:
    page = open_page(width=width, language=language)
    words = interface_texts()[language]
    number = ask(page, pictures.standing, pictures.warrior).get_attribute("data-number")
    notice = page.locator(".fmp-answer .fmp-outdated")
    expect(notice).to_be_hidden()

    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.warrior)

    expect(notice.locator("p")).to_have_text(words["answer.outdated"])
    expect(notice).to_be_visible()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text(words["answer.outdated"])
    assert "grayscale" in page.locator("#panel-correct .fmp-board").evaluate("(node) => getComputedStyle(node).filter")
    assert findings(page) == []

    page.get_by_role("button", name=words["answer.again"]).click()
    page.locator(f".fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()
    expect(notice).to_be_hidden()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text(words["form.ready"])


@thorough
def test_photographs_that_are_put_back_make_the_answer_theirs_again(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    ask(page, pictures.standing, pictures.warrior)
    swap = page.locator("[data-action=swap]")

    swap.click()
    expect(page.locator(".fmp-outdated")).to_be_visible()
    swap.click()

    expect(page.locator(".fmp-outdated")).to_be_hidden()


@thorough
def test_photographs_answer_and_tab_survive_a_reload_and_the_back_button(
    open_page: Callable[..., Page], app: App, pictures: Pictures
) -> None:
    page = open_page(language="hi")
    answer = ask(page, pictures.standing, pictures.warrior)
    number = answer.get_attribute("data-number")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/queue/join" in request.url else None)

    page.reload()
    answer = page.locator(f".fmp-answer[data-outcome=correction][data-number='{number}']")
    answer.wait_for()
    for which, picture in (("current", pictures.standing), ("target", pictures.warrior)):
        photograph = page.locator(f"#panel-correct [data-which={which}] .fmp-filled img")
        words = interface_texts()["hi"]
        size = described(picture).rsplit(", ", 1)[1].split()
        alt = words[f"form.alt_{which}"].format(name=picture.name, width=size[0], height=size[2])
        expect(photograph).to_have_attribute("alt", alt)
    expect(page.locator(".fmp-outdated")).to_be_hidden()
    assert not asked

    page.locator("#tab-correct").focus()
    page.keyboard.press("ArrowRight")
    page.goto(f"{app.url}/robots.txt")
    page.go_back()
    expect(page.locator("#panel-retrieve")).to_be_visible()
    page.locator("#tab-correct").click()
    answer.wait_for()
    page.locator("[data-action=swap]").click()  # what was brought back knows what it is about
    expect(page.locator(".fmp-outdated")).to_be_visible()
    page.locator("[data-action=again]").click()
    page.locator(f".fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()
    expect(page.locator(".fmp-outdated")).to_be_hidden()


def test_nothing_is_brought_to_another_tab_and_clear_leaves_nothing(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="en")
    ask(page, pictures.standing, pictures.warrior)
    page.wait_for_function(f"{KEPT}.length === 3")
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("[data-action=submit]").first.wait_for()
    assert other.evaluate(KEPT) == []
    expect(other.locator(".fmp-filled:visible")).to_have_count(0)
    other.close()

    page.get_by_role("button", name=interface_texts()["en"]["form.clear"], exact=True).click()
    page.locator(".fmp-answer[data-outcome=empty]").wait_for()

    page.wait_for_function(f"{KEPT}.length === 0")
    page.reload()
    page.locator("[data-action=submit]").first.wait_for()
    expect(page.locator(".fmp-filled:visible")).to_have_count(0)
    expect(page.locator(".fmp-answer")).to_have_attribute("data-outcome", "example")


@thorough
def test_the_other_tab_keeps_description_pictures_and_ranking_too(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    page.locator("#tab-retrieve").click()
    page.locator("[data-action=search-example][lang=en]").click()
    page.locator(".fmp-ranking[data-outcome=ranking]").wait_for()

    page.reload()

    page.locator(".fmp-ranking[data-outcome=ranking]").wait_for()
    expect(page.locator("textarea[name=fmp-description]")).to_have_value(RETRIEVAL.descriptions["en"])
    expect(page.locator(".fmp-choices li")).to_have_count(len(RETRIEVAL.candidates))
    expect(page.locator(".fmp-ranking .fmp-outdated")).to_be_hidden()
    page.locator("textarea[name=fmp-description]").fill("Raise your left arm.")
    expect(page.locator(".fmp-ranking .fmp-outdated")).to_be_visible()


COUNT_READ = """() => {
    const { readAsDataURL } = FileReader.prototype;
    window.read = 0;
    FileReader.prototype.readAsDataURL = function (file) {
        this.addEventListener('loadend', () => { window.read += 1; });
        return readAsDataURL.call(this, file);
    };
}"""  # how many photographs have been written out to be kept


@thorough
def test_what_is_cleared_while_it_is_being_kept_stays_cleared(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="en")
    give(page, pictures.standing, pictures.warrior)
    page.wait_for_function(f"{KEPT}.length === 2")
    page.evaluate(COUNT_READ)

    page.evaluate("""() => {
        const press = (action) => document.querySelector(`#panel-correct [data-action=${action}]`).click();
        press('swap');
        press('clear');
    }""")

    page.wait_for_function("window.read === 2")
    assert page.evaluate(KEPT) == []


@thorough
def test_pictures_to_choose_from_are_kept_all_or_none(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="en")
    page.locator("#tab-retrieve").click()
    chosen = page.locator(".fmp-candidates input[type=file]")
    chosen.set_input_files([pictures.standing, pictures.warrior, pictures.standing])
    parts = "['count', 'candidate0', 'candidate1', 'candidate2']"
    sizes = f"{parts}.map((part) => sessionStorage.getItem(`fixmypose.kept.retrieve.${{part}}`)?.length || 0)"
    page.wait_for_function(f"{sizes}.every(Boolean)")
    _, first, second, _ = page.evaluate(sizes)

    page.locator("[data-action=remove-candidate]").last.click()
    page.wait_for_function(f"{sizes}.slice(0, 3).every(Boolean)")
    assert page.evaluate(sizes)[3] == 0  # what was removed takes no room

    page.locator("[data-action=remove-candidate]").last.click()
    page.locator("[data-action=remove-candidate]").last.click()
    page.wait_for_function(f"!{sizes}.some(Boolean)")
    page.evaluate(
        """(room) => {
            let all = 0;
            for (let size = 2 ** 22; size > 256;) {
                try { sessionStorage.setItem(`filler${all}`, 'x'.repeat(size)); all += size; } catch { size /= 2; }
            }
            Object.keys(sessionStorage).filter((key) => key.startsWith('filler'))
                .forEach((key) => sessionStorage.removeItem(key));
            sessionStorage.setItem('filler', 'x'.repeat(all - room));
        }""",
        max(first, second) + min(first, second) // 2,
    )
    page.evaluate(COUNT_READ)
    chosen.set_input_files([pictures.standing, pictures.warrior])

    page.wait_for_function("window.read === 2")
    assert page.evaluate(sizes) == [0, 0, 0, 0]


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_after_a_lost_connection_nobody_is_told_of_photographs_that_are_gone(
    open_page: Callable[..., Page], language: str
) -> None:
    page = open_page(language=language)
    page.evaluate("sessionStorage.setItem('fixmypose.lost', 'correct')")

    page.reload()

    alert = page.locator("#panel-correct .fmp-form > .fmp-alert p")
    expect(alert).to_have_text(interface_texts()[language]["faults.reopened_without"])


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_the_page_says_what_the_tab_holds_and_how_it_is_deleted(open_page: Callable[..., Page], language: str) -> None:
    words = interface_texts()[language]
    page = open_page(language=language)

    notes = page.locator(".fmp-notes p").first
    expect(notes).to_contain_text(words["form.clear"])
    expect(notes).to_contain_text({"en": "in this one tab", "hi": "इसी एक टैब में"}[language])
    for text in (notes, page.locator(".fmp-earlier .fmp-hint")):
        expect(text).to_contain_text({"en": "with their photographs", "hi": "फ़ोटो समेत"}[language])
