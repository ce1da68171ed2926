"""Each desk as a person meets it: the terms, a task, an answer, thanks; and what is done by mouse is done by keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, Response, Route, expect

from demo.i18n import interface_texts
from tests.annotate.asking import HINDI, LONG, MODELS, campaign_json, gold, item, item_to_find, write
from tests.annotate.tabs.test_controller import TEST
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.nonempty import nonempty
from tests.thoroughness import one_of, thorough

GUIDELINE = "Look at the feet as well."
EN = interface_texts()["en"]
HI = interface_texts()["hi"]


@pytest.fixture(scope="module")
def annotation_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app with a small campaign."""
    items = [*(item(number) for number in range(1, 13)), *(item_to_find(number) for number in (20, 28, 36)), gold(30)]
    voices = {"vote": 50, "verify": 50, "write": 50, "translate": 50, "find": 50}
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    own = {"verify": [{"en": GUIDELINE, "hi": "पैरों पर भी ध्यान दें।"}]}
    campaign_fields = campaign_json(items, voices=voices, qualification=TEST, guidelines=own)
    campaign = write(tmp_path_factory.mktemp("campaign"), campaign_fields)
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def open_form(annotation_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a desk as somebody new, who agrees to the terms; ``kind`` empty for the start page."""
    with visitors(annotation_app, browser) as open_page:

        def open_one(kind: str = "", *, language: str = "en", work: str = "en", **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", work)
            page.goto(f"{annotation_app.url}/#annotate{f'/{kind}' if kind else ''}")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator(".fmp-task-form" if kind else ".fmp-start:not(:has(.fmp-consent))").wait_for()
            return page

        yield open_one


def choose(page: Page, name: str, value: str) -> None:
    page.locator(f"input[name={name}][value='{value}']").check(force=True)


def thanks(page: Page, given: int, words: dict[str, str] = EN) -> None:
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=given))


def fill_in(page: Page, kind: str) -> None:
    """Do what a desk asks."""
    if kind == "vote":
        choose(page, "relevant", "1")
        choose(page, "fluent", "tied")
    elif kind == "verify":
        choose(page, "score", "3")
    elif kind == "find":
        choose(page, "place", "2")
    else:
        page.locator("textarea[name=text]").fill(LONG if kind == "write" else HINDI)


def pass_test(page: Page) -> None:
    page.locator(".fmp-test input[value='1']").check()
    page.locator("[data-action=test]").click()
    page.locator(".fmp-task-form [data-action=sit]").click()
    page.locator("form.fmp-task:not(.fmp-test)").wait_for()


@pytest.mark.parametrize(
    ("kind", "width", "language"),
    one_of(
        [
            ("vote", 1280, "en"),
            ("write", 390, "en"),
            ("verify", 1280, "hi"),
            ("find", 390, "hi"),
            ("translate", 390, "hi"),
        ]
    ),
)
def test_a_task_form_is_opened_filled_in_and_thanked(
    open_form: Callable[..., Page], kind: str, width: int, language: str
) -> None:
    page = open_form(kind, width=width, language=language, color_scheme="dark" if language == "hi" else "light")
    words = interface_texts()[language]
    if kind == "translate":
        pass_test(page)
    form = page.locator("form.fmp-task")
    expect(form).to_be_visible()
    first = page.evaluate("window.FMP.work.task.token")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    fill_in(page, kind)
    page.locator("[data-action=give]").click()

    thanks(page, 1, words)
    assert page.evaluate("window.FMP.work.task.token") != first
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft'))") == []
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@thorough
def test_the_test_of_a_translator_is_accessible(open_form: Callable[..., Page]) -> None:
    page = open_form("translate", width=390, language="hi", color_scheme="dark")

    expect(page.get_by_role("heading", name=HI["test.heading"])).to_be_focused()
    assert findings(page) == []


def test_a_vote_needs_no_mouse(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    first = page.evaluate("window.FMP.work.task.token")

    page.keyboard.press("Enter")
    expect(page.locator(".fmp-question:has([name=relevant]) .fmp-lack-said")).to_have_text(EN["vote.relevant_missing"])
    page.keyboard.press("2")
    page.keyboard.press("t")
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    expect(page.locator("input[name=fluent][value=tied]")).to_be_checked()
    page.keyboard.press("Enter")
    thanks(page, 1)

    page.keyboard.press("u")
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.undone"])
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    expect(page.locator("input[name=fluent][value=tied]")).to_be_checked()
    page.keyboard.press("Enter")
    thanks(page, 1)

    page.keyboard.press("s")
    page.get_by_label(EN["skips.unclear"]).check()
    page.locator("[data-action=skip-sure]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.skipped"])
    assert page.evaluate("window.FMP.work.task.token") != first


@thorough
def test_keys_without_control_are_switched_off_and_on_again(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    switch = page.locator("[data-single-keys]")
    second = page.locator("input[name=relevant][value='1']")

    switch.uncheck()
    page.reload()
    page.locator(".fmp-task-form").wait_for()
    expect(switch).not_to_be_checked()
    expect(page.locator(".fmp-radio kbd").first).to_be_hidden()
    expect(page.locator("[data-action=give] kbd")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("s")
    expect(second).not_to_be_checked()
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("Enter")
    expect(page.locator(".fmp-question:has([name=relevant]) .fmp-lack-said")).to_have_text(EN["vote.relevant_missing"])

    switch.check()
    expect(page.locator(".fmp-radio kbd").first).to_be_visible()
    page.keyboard.press("2")
    expect(second).to_be_checked()


@thorough
def test_a_key_in_a_text_is_a_letter(open_form: Callable[..., Page]) -> None:
    page = open_form("verify")
    comment = page.locator("form.fmp-task textarea[name=comment]")
    choose(page, "score", "3")

    comment.press_sequentially("su14\n")

    expect(comment).to_have_value("su14\n")
    expect(page.locator("input[name=score][value='3']")).to_be_checked()
    assert page.locator("dialog[open]").count() == 0
    page.keyboard.press("Control+Enter")
    thanks(page, 1)


@thorough
def test_skipping_asks_for_a_reason_and_can_be_left(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    token = page.evaluate("window.FMP.work.task.token")

    page.locator("[data-action=skip]").click()
    page.locator("[data-action=skip-sure]").click()
    expect(page.locator(".fmp-dialog-alert")).to_have_text(EN["skips.missing"])
    assert findings(page) == []
    page.keyboard.press("Escape")

    expect(page.locator("[data-action=skip]")).to_be_focused()
    assert page.evaluate("window.FMP.work.task.token") == token


@thorough
def test_rules_tick_themselves_and_the_server_has_the_last_word(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    field = page.locator("textarea[name=text]")

    def states() -> dict[str, str]:
        listed = page.locator(".fmp-writing-rules [data-rule]")
        return dict(listed.evaluate_all("(all) => all.map((one) => [one.dataset.rule, one.dataset.state])"))

    assert set(states().values()) == {"open"}
    field.fill("In this image I lower (my) arm")
    broken = {rule for rule, state in states().items() if state == "broken"}
    assert broken == {"too_short", "symbols", "term_image", "term_i"}
    page.locator("[data-action=give]").click()
    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert li")).to_have_count(4)
    expect(field).to_have_value("In this image I lower (my) arm")

    field.fill("Lower your arm a little")
    assert states()["too_short"] == "broken"
    page.locator("input[value=no_clear_difference]").check()
    assert set(states().values()) == {"kept"}
    page.locator("[data-action=give]").click()
    thanks(page, 1)


@thorough
def test_a_reload_brings_back_the_task_and_what_was_typed(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    token = page.evaluate("window.FMP.work.task.token")
    page.locator("textarea[name=text]").fill("Lift your left arm and")
    page.locator("input[value=through_object]").check()

    page.reload()
    page.locator(".fmp-task-form").wait_for()

    assert page.evaluate("window.FMP.work.task.token") == token
    expect(page.locator("textarea[name=text]")).to_have_value("Lift your left arm and")
    expect(page.locator("input[value=through_object]")).to_be_checked()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.draft_back"])


def test_a_lost_connection_loses_nothing_and_the_answer_is_kept_once(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    page.locator("textarea[name=text]").fill(LONG)
    page.route("**/gradio_api/run/**", lambda route: route.abort())

    page.locator("[data-action=give]").click()
    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert")).to_contain_text(EN["annotate.lost"])
    page.unroute("**/gradio_api/run/**")

    # Gradio asks every two seconds whether the server is back, and opens the page again.
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.draft_back"])
    expect(page.locator("textarea[name=text]")).to_have_value(LONG)
    page.locator("[data-action=give]").click()
    thanks(page, 1)


def pressed(request: Request) -> dict[str, Any]:
    """Return the data that a press sends to the server."""
    if "/gradio_api/run" not in request.url:
        return {}
    return (request.post_data_json or {}).get("event_data") or {}


def lose_reply(page: Page, action: str) -> None:
    """Let one press reach the server, and nothing of what it says reach the page."""
    lost: list[str] = []

    def pass_on(route: Route) -> None:
        if lost or pressed(route.request).get("action") != action:
            route.continue_()
            return
        lost.append(action)
        route.fetch()
        route.abort()

    page.route("**/gradio_api/run/**", pass_on)


def task_of(page: Page) -> str:
    """Return the token of the task on the page."""
    return str(page.evaluate("window.FMP.work.task.token"))


def give_one(page: Page, kind: str) -> None:
    """Give a first answer: nothing is fetched ahead for somebody who gave none."""
    fill_in(page, kind)
    page.locator("[data-action=give]").click()
    thanks(page, 1)


def ahead(page: Page) -> str:
    """Return the token of the preloaded next task, once it is there."""
    page.wait_for_function("window.FMP.work.ahead")
    return str(page.evaluate("window.FMP.work.ahead.token"))


@thorough
@pytest.mark.parametrize("kind", one_of(["vote", "write", "find"], 2))
def test_the_next_task_is_there_at_once_with_its_pictures(open_form: Callable[..., Page], kind: str) -> None:
    page = open_form(kind)
    give_one(page, kind)
    heard: list[Response] = []
    page.on("response", lambda response: heard.append(response) if "/gradio_api/run" in response.url else None)

    for given in nonempty((2,) if kind == "find" else (2, 3)):  # of three targets there are
        waiting = ahead(page)
        page.wait_for_function("[...window.FMP.work.ahead.parts.querySelectorAll('img')].every((one) => one.complete)")
        heard.clear()
        fill_in(page, kind)
        page.locator("[data-action=give]").click()
        thanks(page, given)

        (answer,) = heard[0].json()["data"]
        assert (answer["outcome"], answer["token"]) == ("fetched", waiting)
        assert page.evaluate("window.FMP.work.task.token") == waiting
        expect(page.locator(".fmp-far p")).to_have_text(EN["annotate.far"].format(given=given))
        expect(page.locator("[data-action=undo]")).to_be_visible()
        assert findings(page) == []


@thorough
def test_a_skip_and_an_undo_keep_their_places_beside_what_was_fetched_ahead(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    give_one(page, "vote")
    second = ahead(page)
    page.locator("[data-action=skip]").click()
    page.get_by_label(EN["skips.unclear"]).check()
    page.locator("[data-action=skip-sure]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.skipped"])
    assert task_of(page) == second
    third = ahead(page)
    fill_in(page, "vote")
    page.keyboard.press("Enter")
    thanks(page, 2)
    assert task_of(page) == third

    page.keyboard.press("u")
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.undone"])
    undone = task_of(page)
    page.reload()
    page.locator(".fmp-task-form").wait_for()

    assert task_of(page) == undone
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    assert ahead(page) == third
    page.locator("[data-action=give]").click()
    thanks(page, 2)
    assert task_of(page) == third


@thorough
def test_an_undo_whose_reply_was_lost_takes_one_answer_back(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    for given in (1, 2):
        fill_in(page, "vote")
        page.locator("[data-action=give]").click()
        thanks(page, given)
    named = page.evaluate("window.FMP.work.undo")
    lose_reply(page, "undo")

    page.locator("[data-action=undo]").click()
    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert")).to_contain_text(EN["annotate.lost"])
    page.reload()
    page.locator(".fmp-task-form").wait_for()
    undone = task_of(page)
    page.evaluate("(event) => window.FMP.work.press('undo', { kind: 'vote', language: 'en', event })", named)

    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.undone"])
    expect(page.locator(".fmp-far p")).to_have_text(EN["annotate.far"].format(given=1))
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()
    assert task_of(page) == undone
    assert page.evaluate("window.FMP.work.undo") not in {None, named}


@thorough
def test_thanks_that_were_lost_are_said_when_the_page_is_loaded_again(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    first = page.evaluate("window.FMP.work.task.token")
    page.locator("textarea[name=text]").fill(LONG)
    lose_reply(page, "give")

    page.locator("[data-action=give]").click()
    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert")).to_contain_text(EN["annotate.lost"])
    page.reload()

    thanks(page, 1)
    assert page.evaluate("window.FMP.work.task.token") != first
    expect(page.locator("textarea[name=text]")).to_have_value("")
    assert page.evaluate("Object.keys(localStorage).filter((name) => /draft|sent/.test(name))") == []
    page.reload()
    page.locator(".fmp-task-form").wait_for()
    expect(page.locator(".fmp-said-line")).to_have_text("")


@thorough
def test_a_test_whose_reply_was_lost_costs_one_try_and_is_told_later(open_form: Callable[..., Page]) -> None:
    page = open_form("translate")
    page.locator(".fmp-test input[value='0']").check()
    lose_reply(page, "test")

    page.locator("[data-action=test]").click()
    expect(page.locator("#panel-annotate .fmp-work > .fmp-alert")).to_contain_text(EN["annotate.lost"])
    page.reload()

    expect(page.locator(".fmp-task-form")).to_contain_text(EN["test.failed"].format(right=0, total=1))
    expect(page.locator(".fmp-task-form")).to_contain_text(EN["test.tries"].format(tries=1))


@thorough
def test_a_test_that_was_begun_is_there_again_after_a_reload(open_form: Callable[..., Page]) -> None:
    page = open_form("translate")
    answer = page.locator(".fmp-test input[value='0']")
    answer.check()

    page.reload()
    page.locator(".fmp-task-form").wait_for()

    expect(answer).to_be_checked()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.draft_back"])
    page.locator("[data-action=test]").click()
    expect(page.locator(".fmp-task-form")).to_contain_text(EN["test.failed"].format(right=0, total=1))
    expect(answer).not_to_be_checked()
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft'))") == []


def give_elsewhere(page: Page, kind: str) -> None:
    """Answer the task of a page in another tab of the same person."""
    other = page.context.new_page()
    other.goto(page.url)
    other.locator(".fmp-task-form").wait_for()
    assert task_of(other) == task_of(page)
    fill_in(other, kind)
    other.locator("[data-action=give]").click()
    thanks(other, 1)
    other.close()


@thorough
def test_a_person_who_changes_a_word_of_what_was_kept_already_takes_it_back_and_sends_it(
    open_form: Callable[..., Page],
) -> None:
    page = open_form("write")
    give_elsewhere(page, "write")
    page.locator("textarea[name=text]").fill(f"{LONG} Slowly.")

    page.locator("[data-action=give]").click()
    alert = page.locator("#panel-annotate .fmp-work > .fmp-alert")
    expect(alert).to_contain_text(EN["refused.answer_twice"])
    expect(alert.get_by_role("button", name=EN["annotate.next"])).to_be_visible()
    assert findings(page) == []
    alert.get_by_role("button", name=EN["annotate.take_back"]).click()

    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.undone"])
    expect(page.locator("textarea[name=text]")).to_have_value(f"{LONG} Slowly.")
    page.locator("[data-action=give]").click()
    thanks(page, 1)


@thorough
def test_what_was_said_of_a_skip_is_there_still_when_it_was_refused(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    give_elsewhere(page, "vote")
    comment = page.locator("dialog.fmp-skipping textarea")

    page.locator("[data-action=skip]").click()
    page.get_by_label(EN["skips.other"]).check()
    comment.fill("The left picture is black.")
    page.locator("[data-action=skip-sure]").click()
    alert = page.locator("#panel-annotate .fmp-work > .fmp-alert")
    expect(alert).to_contain_text(EN["refused.answer_twice"])

    page.locator("[data-action=skip]").click()
    expect(comment).to_have_value("The left picture is black.")
    expect(page.get_by_label(EN["skips.other"])).to_be_checked()
    page.keyboard.press("Escape")
    alert.get_by_role("button", name=EN["annotate.next"]).click()
    expect(alert).to_be_empty()
    page.locator("[data-action=skip]").click()
    expect(comment).to_have_value("")


@thorough
def test_a_campaigns_own_guidelines_are_shown_in_the_pages_language(open_form: Callable[..., Page]) -> None:
    page = open_form("verify")
    how = page.locator(".fmp-how")

    expect(how).to_contain_text(GUIDELINE)
    expect(how).to_contain_text(EN["guide.sides"])
    expect(how).not_to_contain_text(EN["verify.how_all"])
    page.locator(".fmp-language[data-language=hi]").click()
    expect(how).to_contain_text("पैरों पर भी ध्यान दें।")


@thorough
def test_the_page_changes_its_language_and_the_task_stays(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    token = page.evaluate("window.FMP.work.task.token")
    page.locator("textarea[name=text]").fill("Lift your left arm")

    page.locator(".fmp-language[data-language=hi]").click()

    expect(page.locator(".fmp-task-form h2")).to_have_text(HI["write.heading"])
    expect(page.locator("[data-rule=too_short]")).to_contain_text(HI["checks.counted"].format(count=4))
    expect(page.locator("textarea[name=text]")).to_have_value("Lift your left arm")
    assert page.evaluate("window.FMP.work.task.token") == token

    page.locator("input[name=fmp-work-language][value=hi]").check()
    expect(page.locator("textarea[name=text]")).to_have_attribute("lang", "hi")


@thorough
def test_a_press_is_about_the_language_of_its_task_form_whatever_else_was_chosen(
    open_form: Callable[..., Page],
) -> None:
    page = open_form("translate")  # into Hindi, in an English page, by somebody who works in English elsewhere
    page.locator(".fmp-test input[value='0']").check()

    with page.expect_request(lambda request: pressed(request).get("action") == "test") as sent:
        page.locator("[data-action=test]").click()

    assert pressed(sent.value)["language"] == "hi"


@thorough
def test_a_language_chosen_while_an_answer_is_on_its_way_is_put_back(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    give_one(page, "vote")
    ahead(page)
    held: list[Route] = []
    page.route("**/gradio_api/run/**", lambda route: route.continue_() if held else held.append(route))
    fill_in(page, "vote")
    with page.expect_request("**/gradio_api/run/**"):
        page.locator("[data-action=give]").click()

    page.locator("input[name=fmp-work-language][value=hi]").click(force=True)

    expect(page.locator("input[name=fmp-work-language][value=en]")).to_be_checked()
    held[0].continue_()
    thanks(page, 2)
    expect(page.locator("input[name=fmp-work-language][value=en]")).to_be_checked()
    assert page.evaluate("localStorage.getItem('fixmypose.work_language')") == "en"


@thorough
def test_nothing_left_is_said_kindly(open_form: Callable[..., Page]) -> None:
    page = open_form("vote", work="hi")

    expect(page.locator(".fmp-task-form h2")).to_have_text(EN["annotate.done_heading"])
    assert findings(page) == []
    page.locator(".fmp-done [data-action=leave]").click()
    expect(page.locator(".fmp-start h2")).to_have_text(EN["annotate.heading"])


@thorough
def test_a_picture_is_enlarged_and_put_away_by_keys(open_form: Callable[..., Page]) -> None:
    page = open_form("find")
    loupe = page.locator(".fmp-loupe").first

    loupe.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog.fmp-enlarged")
    expect(dialog).to_be_visible()
    expect(dialog.locator("a")).to_have_attribute("href", re.compile("^blob:"))
    assert findings(page) == []
    page.keyboard.press("Escape")

    expect(dialog).to_be_hidden()
    expect(loupe).to_be_focused()


@thorough
def test_the_start_page_leads_to_each_task_form_and_back(annotation_app: App, open_form: Callable[..., Page]) -> None:
    page = open_form(width=390)
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

    page.locator(".fmp-job [data-action=sit][data-kind=verify]").click()
    page.locator(".fmp-task-form[data-kind=verify]").wait_for()
    assert page.url.endswith("#annotate/verify")
    page.go_back()
    expect(page.locator(".fmp-start h2")).to_have_text(EN["annotate.heading"])
    expect(page.locator(".fmp-owner")).to_have_count(0)
    page.goto(f"{annotation_app.owner_url}#annotate")
    expect(page.locator(".fmp-owner")).to_be_visible()  # by the printed address one is the owner
    assert page.url == f"{annotation_app.url}/#annotate"


def given_and_left(page: Page) -> Route:
    """Press for an answer, which is held back, and then for the start page."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if pressed(route.request).get("action") == "give":
            held.append(route)
        else:
            route.continue_()

    page.route("**/gradio_api/run/**", hold)
    fill_in(page, "verify")
    with page.expect_request(lambda request: pressed(request).get("action") == "give"):
        page.locator("[data-action=give]").click()
    page.locator("[data-action=leave]").click()
    expect(page.locator(".fmp-task-form")).to_be_visible()
    return held[0]


@thorough
def test_where_somebody_goes_before_the_last_press_is_answered_is_where_they_come(
    open_form: Callable[..., Page],
) -> None:
    page = open_form("verify")

    given_and_left(page).continue_()

    page.locator(".fmp-start").wait_for()
    expect(page.locator(".fmp-start [data-action=delete]")).to_be_visible()  # what was given before is kept
    assert page.url.endswith("#annotate")


@thorough
def test_who_turned_to_another_tab_meanwhile_stays_there(open_form: Callable[..., Page]) -> None:
    page = open_form("verify")
    held = given_and_left(page)
    page.locator(".fmp-tab").first.click()
    address = page.url

    held.continue_()

    page.wait_for_function("window.FMP.work.sent === null || window.FMP.work.sent.quiet")
    assert page.url == address
    expect(page.locator("#panel-annotate")).to_be_hidden()
    page.locator(".fmp-tab").last.click()
    expect(page.locator("#panel-annotate .fmp-work")).to_be_visible()
    assert page.evaluate("window.FMP.work.wish") is None


def test_everything_given_can_be_deleted(open_form: Callable[..., Page]) -> None:
    page = open_form("vote")
    fill_in(page, "vote")
    page.locator("[data-action=give]").click()
    thanks(page, 1)
    page.locator("[data-action=leave]").click()

    page.locator("[data-action=delete]").click()
    expect(page.locator("dialog.fmp-deleting")).to_contain_text(EN["annotate.delete_history"])
    assert findings(page) == []
    page.locator("[data-action=forget]").click()

    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.delete_done"])
    expect(page.locator(".fmp-consent")).to_be_visible()
    expect(page.locator("[data-action=delete]")).to_have_count(0)


def test_a_deletion_leaves_nothing_of_the_person_in_the_browser(open_form: Callable[..., Page]) -> None:
    page = open_form("write")
    others = {"fixmypose.guest.asha": '{"id": "x"}', f"fixmypose.draft.asha.{'a' * 24}": "{}"}
    page.evaluate("(others) => Object.assign(localStorage, others)", others)
    fill_in(page, "write")
    page.locator("[data-action=give]").click()
    thanks(page, 1)
    page.locator("textarea[name=text]").fill("Half a sentence")
    page.locator("[data-action=leave]").click()
    page.locator("input[name=fmp-guest-name]").fill("Zoya")
    kept = page.evaluate("Object.keys(localStorage)")
    assert {name.split(".")[1] for name in kept} >= {"guest", "draft"}

    page.locator("[data-action=delete]").click()
    page.locator("[data-action=forget]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(EN["annotate.delete_done"])

    left = page.evaluate("[{ ...localStorage }, Object.keys(sessionStorage), window.FMP.work.view]")
    assert {name: value for name, value in left[0].items() if name != "fixmypose.language"} == others
    assert [name for name in left[1] if name.startswith("fixmypose")] == []
    assert "Zoya" not in page.locator(".fmp-stage").inner_html()


@thorough
def test_nothing_that_reaches_the_browser_tells_who_wrote_what(open_form: Callable[..., Page]) -> None:
    page = open_form()
    heard: list[str] = []
    page.on("response", lambda response: heard.append(response.text()) if "/gradio_api/run" in response.url else None)

    for kind in ("vote", "find", "verify"):
        page.goto(page.url.split("#")[0] + f"#annotate/{kind}")
        page.locator(f".fmp-task-form[data-kind={kind}]").wait_for()
        fill_in(page, kind)
        page.locator("[data-action=give]").click()
        thanks(page, 1)
    config = page.evaluate("async () => JSON.stringify(window.gradio_config) + await (await fetch('config')).text()")
    received = "".join([config, page.content(), *heard])

    assert len(heard) >= 6
    for secret in (*MODELS, "reference-1", "reference-find", "text-0", "_0_0_0_0", '"relevant":', '"answer":'):
        assert secret not in received, secret
