"""What annotators see of people and of their own way: large pictures, taps, what is missing where, and an end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from annotate.campaigns.campaign import FILE, READY_CAMPAIGNS
from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.test_annotation_forms import EN, HI, choose, thanks
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of, thorough

KINDS = ("vote", "write", "find")


@pytest.fixture(scope="module")
def people_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app that asks for two votes and one target of the sample, and names models at the end."""
    campaign = tmp_path_factory.mktemp("campaign") / "people"
    shutil.copytree(READY_CAMPAIGNS / "sample", campaign)
    asked = json.loads((campaign / FILE).read_text(encoding="utf-8"))
    plain = [item for item in asked["items"] if item.get("gold") is None]
    items = [item for item in plain if not item.get("candidates")][:2] + [one for one in plain if one.get("candidates")]
    voices = dict.fromkeys(KINDS, 60)
    asked |= {"name": "people", "kinds": KINDS, "items": items, "voices": voices, "reveals_models": True}
    asked.pop("qualification", None)
    (campaign / FILE).write_text(json.dumps(asked), encoding="utf-8")
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def come(people_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Come as somebody new, who has not agreed to anything yet."""
    with visitors(people_app, browser) as open_page:

        def open_one(*, language: str = "en", **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", language)
            page.goto(f"{people_app.url}/#annotate")
            page.locator("#panel-annotate input[name=fmp-agree]").wait_for()
            return page

        yield open_one


def sit_down(page: Page, kind: str) -> None:
    """Agree, and begin."""
    page.locator("#panel-annotate input[name=fmp-agree]").check()
    page.locator(f".fmp-job [data-action=sit][data-kind={kind}]").click()
    page.locator(f".fmp-task-form[data-kind={kind}] form").wait_for()


def pictures(page: Page) -> Locator:
    return page.locator("form.fmp-task .fmp-cut")


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_a_person_who_begins_without_agreeing_is_told_where_the_box_is_and_then_goes_on(
    come: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    page = come(width=width, language=language)

    page.locator(".fmp-job [data-action=sit][data-kind=write]").click()

    lack = page.locator(".fmp-consent .fmp-lack-said")
    expect(lack).to_have_text(words["consent.missing"])
    expect(lack).to_be_in_viewport()
    box = page.locator(".fmp-consent input[name=fmp-agree]")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("aria-describedby", str(lack.get_attribute("id")))
    assert findings(page) == []
    box.check()
    expect(lack).to_have_count(0)
    page.locator("[data-action=agree]").click()
    expect(page.locator(".fmp-task-form[data-kind=write] form")).to_be_visible()


@thorough
def test_an_agreement_pressed_before_the_page_was_answered_is_sent_then(come: Callable[..., Page]) -> None:
    page = come()
    held: list[Route] = []
    page.route("**/gradio_api/run/**", lambda route: route.continue_() if held else held.append(route))
    page.locator("input[name=fmp-work-language][value=hi]").check()  # the start page is asked for again
    expect(page.locator(".fmp-stage")).to_have_attribute("aria-busy", "true")
    page.locator(".fmp-consent input[name=fmp-agree]").check()
    page.locator("[data-action=agree]").click()

    held[0].continue_()

    expect(page.locator(".fmp-who")).to_contain_text(EN["consent.agreed"])


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_a_drawing_shows_the_persons_own_left_and_right(come: Callable[..., Page], language: str) -> None:
    words = interface_texts()[language]
    page = come(width=390, language=language)
    sit_down(page, "write")

    views = page.locator(".fmp-sides figure")

    expect(views.locator("figcaption")).to_have_text([words["guide.front"], words["guide.back"]])
    front, back = (
        views.nth(view).evaluate(
            "(one) => [...one.querySelectorAll('text')].sort((a, b) => a.getBoundingClientRect().x"
            " - b.getBoundingClientRect().x).map((text) => text.textContent)"
        )
        for view in (0, 1)
    )
    assert front == [words["guide.right"], words["guide.left"]]
    assert back == front[::-1]
    expect(page.locator(".fmp-how")).to_contain_text(words["write.how_objects"])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@thorough
def test_the_name_that_was_asked_for_is_said_with_the_thanks(come: Callable[..., Page]) -> None:
    page = come()
    page.locator("[name=fmp-guest-name]").fill("Asha")
    sit_down(page, "vote")
    choose(page, "relevant", "0")
    choose(page, "fluent", "0")

    page.locator("[data-action=give]").click()

    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.thanks_by_name"].format(name="Asha", given=1))


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_a_rule_and_its_mark_stand_in_one_line(come: Callable[..., Page], width: int, language: str) -> None:
    page = come(width=width, language=language)
    sit_down(page, "write")

    apart = page.locator(".fmp-writing-rules li").evaluate_all(
        """(all) => all.map((one) => {
            const [mark, words] = [...one.children].map((part) => part.getBoundingClientRect());
            return words.left < mark.right || words.top > mark.bottom;
        })"""
    )

    assert len(apart) > 4
    assert not any(apart)


@thorough
@pytest.mark.parametrize("kind", one_of(KINDS))
@pytest.mark.parametrize("width", one_of([1280, 390], 1))
def test_the_person_is_shown_large_by_one_square_for_all_pictures(
    come: Callable[..., Page], kind: str, width: int
) -> None:
    page = come(width=width)
    sit_down(page, kind)
    cuts = set(pictures(page).evaluate_all("(all) => all.map((one) => one.style.cssText)"))
    shape = pictures(page).first.evaluate(
        """(one) => {
            const [window, picture] = [one, one.querySelector("img")].map((node) => node.getBoundingClientRect());
            return [window.width / window.height, picture.width / window.width, picture.width / picture.height];
        }"""
    )

    assert len(cuts) == 1
    assert shape[0] == pytest.approx(1, abs=0.03)
    assert shape[1] > 1.5  # more than half of the width is left out, so that the person is larger
    assert shape[2] == pytest.approx(2, abs=0.05)  # and nothing is squeezed
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("form.fmp-task [data-whole]").check()
    whole_shape = pictures(page).first.evaluate(
        "(one) => one.querySelector('img').getBoundingClientRect().width <= one.getBoundingClientRect().width + 1"
    )
    assert whole_shape
    assert findings(page) == []


@thorough
def test_an_enlarged_picture_is_cut_alike_and_whole_on_request(come: Callable[..., Page]) -> None:
    page = come(width=390)
    sit_down(page, "vote")
    page.locator(".fmp-shot-target .fmp-enlarge").click()
    frame = page.locator("dialog.fmp-enlarged .fmp-window")
    ratio = "(one) => one.querySelector('img').getBoundingClientRect().width / one.getBoundingClientRect().width"

    assert frame.evaluate(ratio) > 1.5
    page.locator("dialog.fmp-enlarged [data-whole]").check()

    assert frame.evaluate(ratio) == pytest.approx(1, abs=0.01)
    assert findings(page) == []


def shown_the_current_pose(come: Callable[..., Page]) -> Page:
    """Return the page of a person whose task shows the current pose too, both cropped; answer any other task first."""
    for _ in range(9):  # three items, each asked in three ways
        page = come(width=390)
        sit_down(page, "find")
        if page.locator(".fmp-find-current .fmp-cut").count():
            return page
        choose(page, "place", "0")
        page.locator("[data-action=give]").click()
        page.wait_for_function("!window.FMP.work.sent")
    pytest.fail("nobody is shown the current pose")


@thorough
def test_on_a_phone_candidates_are_a_strip_beside_the_current_pose(come: Callable[..., Page]) -> None:
    page = shown_the_current_pose(come)
    third = page.locator(".fmp-candidate").nth(2)
    number = page.locator("[data-action=jump]").nth(2)
    expect(third).not_to_be_in_viewport(ratio=0.5)

    number.click()

    expect(third).to_be_in_viewport(ratio=0.9)
    expect(number).to_have_attribute("aria-current", "true")
    expect(third.locator(".fmp-radio-number")).to_have_text("3")
    sides = [
        page.locator(one).first.bounding_box()
        for one in (".fmp-find-current .fmp-cut", ".fmp-candidate:nth-child(3) .fmp-cut")
    ]
    assert all(sides)
    current, candidate = (side or {} for side in sides)
    assert abs(current["width"] - candidate["width"]) < 0.2 * current["width"]
    assert current["x"] + current["width"] <= candidate["x"] + 1
    third.locator("label").click()
    expect(number).to_have_class("fmp-button fmp-chosen")
    expect(page.locator("input[name=place][value='2']")).to_be_checked()
    assert findings(page) == []


@thorough
def test_a_tap_on_a_text_votes_first_for_what_it_says_and_then_for_its_words(come: Callable[..., Page]) -> None:
    page = come(width=390)
    sit_down(page, "vote")
    cards = page.locator(".fmp-tapped > li")

    cards.nth(1).locator("p").click()
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    expect(page.locator("input[name=fluent]:checked")).to_have_count(0)
    expect(cards.nth(1).get_by_text(EN["vote.relevant_short"])).to_be_visible()
    cards.nth(0).locator("p").click()
    expect(page.locator("input[name=fluent][value='0']")).to_be_checked()
    cards.nth(1).locator("p").click()

    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    expect(page.locator("input[name=fluent][value='1']")).to_be_checked()
    expect(cards.nth(1).get_by_text(EN["vote.fluent_short"])).to_be_visible()
    page.locator("[data-action=give]").click()
    thanks(page, 1)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")]))
def test_the_last_vote_is_thanked_leads_on_and_names_the_models_to_anybody_who_asks(
    come: Callable[..., Page], width: int, language: str
) -> None:
    words = interface_texts()[language]
    page = come(width=width, language=language)
    sit_down(page, "vote")
    for given in (1, 2):
        choose(page, "relevant", "0")
        choose(page, "fluent", "tied")
        page.locator("[data-action=give]").click()
        thanks(page, given, words)

    expect(page.locator(".fmp-task-form h2")).to_have_text(words["annotate.done_with"].format(kind=words["work.vote"]))
    leads_on = page.locator(".fmp-done [data-action=sit]")
    expect(leads_on).to_have_text(words["annotate.go_on"].format(kind=words["work.write"]))
    assert "captioner" not in page.locator(".fmp-task-form").inner_html()
    assert findings(page) == []
    page.locator("[data-action=reveal]").click()
    expect(page.locator(".fmp-reveal tbody th")).to_have_count(2)
    expect(page.locator(".fmp-reveal")).to_contain_text("captioner")
    expect(page.locator("[data-action=undo]")).to_have_count(0)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.reload()
    expect(page.locator(".fmp-reveal")).to_contain_text("captioner")
    page.locator(".fmp-done [data-action=sit]").click()
    expect(page.locator(".fmp-task-form[data-kind=write] form")).to_be_visible()


@thorough
def test_before_the_last_vote_no_model_is_named(come: Callable[..., Page]) -> None:
    page = come()
    sit_down(page, "vote")
    choose(page, "relevant", "0")
    choose(page, "fluent", "tied")
    page.locator("[data-action=give]").click()
    thanks(page, 1)

    page.evaluate("window.FMP.work.press('reveal', { kind: 'vote' })")

    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert p")).to_have_text(EN["refused.votes_left"])
    assert HI["refused.votes_left"]
