"""A participant of a payment service in a browser: from the link to the completion code, and links that name nobody."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from demo.i18n import interface_texts
from tests.annotate.asking import campaign_json, item, write
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of, thorough

BATCH = 2


@pytest.fixture(scope="module")
def paying_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app that knows participants by their links from Prolific and Mechanical Turk."""
    campaign = write(
        tmp_path_factory.mktemp("campaign"), campaign_json([item(one) for one in range(1, 9)], voices={"vote": 50})
    )
    settings = {
        "FMP_CAMPAIGN": str(campaign),
        "FMP_PARTICIPANT_PARAMETERS": "PROLIFIC_PID, workerId",
        "FMP_BATCH_ANSWERS": str(BATCH),
        "FMP_BATCH_SECONDS": "0",
    }
    folders = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, **settings) as running:
        yield running


@pytest.fixture
def come_by(paying_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Come by a link in a browser of one's own, or another's."""
    with visitors(paying_app, browser) as open_page:

        def come(link: str, page: Page | None = None, **options: object) -> Page:
            if page is None:
                page = open_page(alone=True, **options)
                page.evaluate("localStorage.setItem('fixmypose.work_language', 'en')")
            page.goto(f"{paying_app.url}/{link}#annotate")
            return page

        yield come


def vote(page: Page) -> None:
    before = page.evaluate("window.FMP.work.task.token")
    for question in ("relevant", "fluent"):
        page.locator(f"input[name={question}][value='1']").check(force=True)
    page.locator("[data-action=give]").click()
    page.wait_for_function("(before) => window.FMP.work.task?.token !== before", arg=before)


def begin(page: Page) -> None:
    page.locator("#panel-annotate input[name=fmp-agree]").check()
    page.locator("[data-action=agree]").click()
    page.locator("[data-action=sit][data-kind=vote]").click()
    page.locator("form.fmp-task").wait_for()


@thorough
@pytest.mark.parametrize(
    ("width", "language", "parameter"),
    one_of(
        [(1280, "en", "PROLIFIC_PID"), (390, "hi", "workerId"), (390, "en", "workerId"), (1280, "hi", "PROLIFIC_PID")],
        1,
    ),
)
def test_a_participant_comes_by_the_link_and_leaves_with_a_code(  # noqa: PLR0913, PLR0917  a case of the page
    come_by: Callable[..., Page], paying_app: App, tmp_path: Path, width: int, language: str, parameter: str
) -> None:
    # Of its own at a second try, since who has agreed is asked no more.
    words, name = interface_texts()[language], f"A1B2{width}{language}{token_hex(2)}"
    page = come_by(f"?{parameter}={name}", width=width, language=language)
    expect(page.locator(".fmp-consent")).to_contain_text(words["consent.participant"].format(participant=name))
    # What waits for the server is pale until it has an answer, and would be called too pale to read.
    expect(page.locator("#panel-annotate .fmp-stage")).to_have_css("opacity", "1")
    assert findings(page) == []
    begin(page)
    for _ in range(BATCH):
        vote(page)

    completed = page.locator(".fmp-completed .fmp-completion")
    expect(completed).to_contain_text(words["payment.finished"])
    code = completed.locator("code").inner_text()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    completed.locator("[data-action=copy]").click()  # by the browser, or by hand where it does not let a page
    lines = [words["payment.copied"].format(code=code), words["payment.selected"]]
    page.wait_for_function("(said) => said.includes(document.querySelector('.fmp-said-line').textContent)", arg=lines)
    vote(page)
    expect(completed).to_contain_text(code)  # stays in sight
    page.locator("[data-action=leave]").first.click()
    payment = page.locator(".fmp-payment")
    expect(payment).to_contain_text(code)
    expect(payment).to_contain_text(words["payment.left"].format(left=1, answers=BATCH))
    expect(completed).to_have_count(0)
    expect(page.locator("#panel-annotate .fmp-stage")).to_have_css("opacity", "1")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    # Who opens the printed address owns the app, and saves who can be paid.
    page.goto(f"{paying_app.owner_url}#annotate")
    with page.expect_download() as saving:
        page.locator("[data-action=download][data-form=payments]").click()
    saving.value.save_as(tmp_path / "payments.csv")
    with (tmp_path / "payments.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["participant_id"]: row for row in csv.DictReader(file)}
    assert (rows[name]["codes"], rows[name]["payable"]) == (code, "1")


@thorough
def test_a_plus_in_an_id_stays_one(come_by: Callable[..., Page]) -> None:
    page = come_by("?workerId=ann+study@example.org", language="en")
    sentence = interface_texts()["en"]["consent.participant"].format(participant="ann+study@example.org")
    expect(page.locator(".fmp-consent")).to_contain_text(sentence)


@thorough
def test_two_participants_in_one_browser_are_two_people(come_by: Callable[..., Page]) -> None:
    page = come_by("?workerId=first", language="en")
    begin(page)
    vote(page)
    come_by("?workerId=second", page)
    expect(page.locator(".fmp-consent")).to_contain_text("second")
    begin(page)
    come_by("?workerId=first", page)
    expect(page.locator(".fmp-payment")).to_contain_text("first")
    expect(page.locator(".fmp-payment")).to_contain_text(
        interface_texts()["en"]["payment.left"].format(left=BATCH - 1, answers=BATCH)
    )


@thorough
@pytest.mark.parametrize(("width", "language"), [(1280, "en"), (390, "hi")])
def test_a_participant_goes_on_in_a_second_browser_with_their_batch_and_code(
    come_by: Callable[..., Page], width: int, language: str
) -> None:
    words, link = interface_texts()[language], f"?workerId=moved{width}"
    first = come_by(link, width=width, language=language)
    begin(first)
    for _ in range(BATCH):
        vote(first)
    code = first.locator(".fmp-completed code").inner_text()
    vote(first)

    second = come_by(link, width=1280 + 390 - width, language=language)

    payment = second.locator(".fmp-payment")
    expect(payment).to_contain_text(code)
    expect(payment).to_contain_text(words["payment.left"].format(left=BATCH - 1, answers=BATCH))
    expect(second.locator(".fmp-consent")).to_have_count(0)
    second.locator("[data-action=sit][data-kind=vote]").click()
    second.locator("form.fmp-task").wait_for()
    vote(second)
    another = second.locator(".fmp-completed code").inner_text()
    assert another != code
    first.locator("[data-action=leave]").first.click()
    for one in (code, another):
        expect(first.locator(".fmp-payment")).to_contain_text(one)


@thorough
def test_what_a_participant_left_half_done_waits_for_them_alone(come_by: Callable[..., Page]) -> None:
    kept = "(part) => Object.keys(localStorage).filter((name) => name.startsWith(`fixmypose.${part}`))"
    page = come_by("?workerId=half", language="en")
    begin(page)
    page.evaluate(
        "() => { const put = Storage.prototype.setItem; window.put = [];"
        "Storage.prototype.setItem = function (name, said) { window.put.push(name); put.call(this, name, said); }; }"
    )
    vote(page)
    assert {name for name in page.evaluate("window.put") if "sent" in name} == {"fixmypose.sent.half"}
    page.locator("input[name=relevant][value='1']").check(force=True)
    draft = page.evaluate("window.FMP.work.draft")
    assert page.evaluate(kept, "draft") == [f"fixmypose.draft.half.{draft}"]

    come_by("?workerId=whole", page)
    begin(page)
    assert page.evaluate(kept, "draft.whole.") == []
    come_by("?workerId=half", page)
    page.locator("[data-action=sit][data-kind=vote]").click()
    expect(page.locator("input[name=relevant][value='1']")).to_be_checked()


@thorough
def test_a_deletion_takes_the_participants_id_out_of_the_browser_and_its_address(come_by: Callable[..., Page]) -> None:
    page = come_by("?workerId=leaving&hitId=leaving-too&lesson=seven", language="en")
    begin(page)
    vote(page)
    page.locator("input[name=relevant][value='1']").check(force=True)
    come_by("?workerId=leaving&hitId=leaving-too&lesson=seven", page)
    kept = "[JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.search]"
    assert ["leaving" in part for part in page.evaluate(kept)] == [True, True, True]

    page.locator("[data-action=delete]").click()
    page.locator("[data-action=forget]").click()
    expect(page.locator(".fmp-said-line")).to_have_text(interface_texts()["en"]["annotate.delete_done"])
    assert page.evaluate("location.search") == "?lesson=seven"
    begin(page)  # as a new guest, who is no participant
    vote(page)

    left = page.evaluate(kept)
    assert "leaving" not in "".join(left)
    assert "fixmypose.guest" in left[0]


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
@pytest.mark.parametrize(
    "participant_id",
    one_of(["x" * 5000, "a\x00b", "<img src=x onerror=\"document.title='taken'\">", "{{%PROLIFIC_PID%}}"], 2),
    ids=["huge", "control", "markup", "unfilled"],
)
def test_a_link_that_names_nobody_meets_one_sentence(
    come_by: Callable[..., Page], participant_id: str, language: str
) -> None:
    page = come_by(f"?PROLIFIC_PID={quote(participant_id)}", language=language)

    sentence = interface_texts()[language]["refused.participant_unusable"].format(limit=100)
    expect(page.locator(".fmp-work > .fmp-alert")).to_have_text(sentence)
    expect(page.locator(".fmp-stage p")).to_have_count(0)
    assert page.title() != "taken"
    assert page.locator("#work img").count() == page.locator("dialog img").count()
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('fixmypose.guest'))") == []
