"""A text written against the model, whose ranking stands beside it during typing, and its verification by another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from annotate.campaigns.builder import CampaignOrder, make_campaign
from demo.i18n import interface_texts
from tests.browser.conftest import PATIENCE_MS, visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, running_app
from tests.thoroughness import one_of

SAMPLE = Path(__file__).resolve().parents[2] / "fmp_models" / "data" / "sample"
TEXTS = {
    "en": "Lower your right hand until it rests beside your hip, bend your left knee a little more, and turn your head "
    "towards the window, as if somebody had just called you from the garden.",
    "hi": "अपना दाहिना हाथ नीचे लाकर कूल्हे के पास रखें, बायाँ घुटना थोड़ा और मोड़ें, और सिर खिड़की की ओर ऐसे घुमाएँ जैसे किसी ने "
    "आपको बाहर बग़ीचे से आवाज़ दी हो, फिर दोनों कंधे ढीले छोड़ दें और सीधे खड़े रहें।",
}


@pytest.fixture
def fool_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app of each test's own: who writes about the only pair waits until another has found the last target."""
    about = {"items": 1, "kinds": ("fool", "find"), "retrieval_items": 0, "voices": {"fool": 50}}
    campaign = tmp_path_factory.mktemp("campaign") / "made"
    make_campaign(CampaignOrder(dataset=SAMPLE, name="made", **about), campaign)
    folders = tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads")
    with running_app(pose_model, *folders, FMP_CAMPAIGN=str(campaign)) as running:
        yield running


@pytest.fixture
def open_form(fool_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the form as somebody new, who agrees to the terms."""
    with visitors(fool_app, browser) as open_page:

        def open_one(*, language: str, kind: str = "fool", **options: object) -> Page:
            page = open_page(language=language, **options)
            page.evaluate("(code) => localStorage.setItem('fixmypose.work_language', code)", language)
            page.goto(f"{fool_app.url}/#annotate/{kind}")
            page.locator("#panel-annotate input[name=fmp-agree]").check()
            page.locator("[data-action=agree]").click()
            page.locator(".fmp-task-form").wait_for()
            return page

        yield open_one


def end(page: Page) -> None:
    """Give the text as it is, after an attempt that may have fooled the model."""
    page.locator("[data-action=give]").click()
    given = page.locator(".fmp-said-line", has_text="1").or_(page.locator("[data-action=finish]:visible"))
    given.first.wait_for()
    if page.locator("[data-action=finish]:visible").count():
        page.locator("[data-action=finish]").click()


@pytest.mark.parametrize(("width", "language"), one_of([(390, "hi"), (1280, "en"), (390, "en"), (1280, "hi")]))
def test_the_ranking_follows_fast_typing_and_another_person_finds_the_target(
    open_form: Callable[..., Page], width: int, language: str
) -> None:
    words, page = interface_texts()[language], open_form(language=language, width=width)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.post_data or ""))
    expect(page.locator(".fmp-fool-ranking")).to_have_text(words["fool.waits"])
    page.locator(".fmp-radio", has_text=words["fool.guide_shared_detail"]).click()
    page.locator(".fmp-task [name=text]").press_sequentially(TEXTS[language], delay=5)

    expect(page.locator(".fmp-fool-bars li")).to_have_count(10, timeout=30_000)
    expect(page.locator(".fmp-fool-target")).to_contain_text(words["shots.target"])
    expect(page.locator(".fmp-fool-verdict strong")).to_have_text(
        words["fool.is_fooled" if page.locator("[data-fooled=yes]").count() else "fool.not_fooled"]
    )
    assert 1 <= sum('"rank"' in data for data in asked) <= 6
    assert page.locator(".fmp-fool-others img").count() == 9
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    end(page)
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))
    other = open_form(language=language, kind="find")
    expect(other.locator(".fmp-said")).to_have_text(TEXTS[language])
    assert other.locator(".fmp-candidate").count() == 10
    assert other.locator(".fmp-fool-ranking").count() == 0


def wait_until(page: Page, true: Callable[[], bool]) -> None:
    """Wait for a condition that requests of the page meet."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not true():
        assert time.monotonic() < deadline, "the condition was not met in time"
        page.wait_for_timeout(50)


@contextmanager
def requests_with(page: Page, words: str, handle: Callable[[Route], object]) -> Iterator[list[str]]:
    """Hand the page's requests that contain some words to ``handle``, and give what each sends."""
    sent: list[str] = []

    def look(route: Route) -> None:
        if words not in (route.request.post_data or ""):
            route.continue_()
            return
        sent.append(route.request.post_data or "")
        handle(route)

    page.route("**/gradio_api/run/**", look)
    yield sent
    page.unroute("**/gradio_api/run/**", look)


def test_one_text_is_ranked_at_a_time_and_the_last_one_wins(open_form: Callable[..., Page]) -> None:
    page, held = open_form(language="en", width=1280), list[Route]()
    expect(page.locator(".fmp-fool-ranking")).to_have_text(interface_texts()["en"]["fool.waits"])
    text = page.locator(".fmp-task [name=text]")
    with requests_with(page, "Raise your left arm", held.append) as sent:
        text.fill("Raise your left arm")
        wait_until(page, lambda: bool(held))
        for word in ("and", "bend", "both", "knees"):
            text.press_sequentially(f" {word}")
            page.wait_for_timeout(600)  # longer than the pause after which the model is asked
        assert (len(sent), len(held)) == (1, 1)
        held.pop().continue_()
        wait_until(page, lambda: bool(held))
        held.pop().continue_()
        expect(page.locator(".fmp-fool-bars li")).to_have_count(10, timeout=60_000)
        page.wait_for_timeout(1200)
    assert len(sent) == 2
    assert "Raise your left arm and bend both knees" in sent[-1]


def test_a_busy_model_is_named_and_asked_again_and_the_text_is_taken(open_form: Callable[..., Page]) -> None:
    words, page = interface_texts()["en"], open_form(language="en", width=1280)
    token = page.evaluate("() => window.FMP.work.task.token")

    def refuse(route: Route) -> None:
        route.continue_(post_data=(route.request.post_data or "").replace(token, "0" * 32))

    page.locator(".fmp-radio", has_text=words["fool.guide_unknown_words"]).click()
    with requests_with(page, '"rank"', refuse) as sent:
        page.locator(".fmp-task [name=text]").fill(TEXTS["en"])
        expect(page.locator(".fmp-fool-ranking")).to_have_text(words["fool.busy"])
        wait_until(page, lambda: len(sent) > 1)
    expect(page.locator(".fmp-fool-bars li")).to_have_count(10, timeout=60_000)
    with requests_with(page, '"rank"', refuse):
        page.locator(".fmp-task [name=text]").press_sequentially(" Then rest a while.")
        expect(page.locator(".fmp-fool-ranking")).to_have_text(words["fool.busy"])
        end(page)
        expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))


@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_a_problem_holds_the_pair_and_the_owner_reads_the_reason_and_keeps_it(
    fool_app: App, open_form: Callable[..., Page], language: str
) -> None:
    words, page = interface_texts()[language], open_form(language=language, width=390)
    page.locator("[data-action=skip]").click()
    page.locator(".fmp-skipping .fmp-tick", has_text=words["skips.problem"]).click()
    page.locator("[data-action=skip-sure]").click()
    expect(page.locator(".fmp-skipping [role=alert]")).to_have_text(words["skips.say_what"])
    page.locator(".fmp-skipping [name=comment]").fill("the <b>wall</b> is black")
    page.locator("[data-action=skip-sure]").click()
    expect(page.locator(".fmp-task-form form.fmp-task")).to_have_count(0)

    page.goto(f"{fool_app.owner_url}#annotate")
    owned = page.locator(".fmp-owner")
    expect(owned.locator(".fmp-flags")).to_have_text(f"{words['results.flag_problem']}: 1")
    expect(owned.locator(".fmp-flags + ul li")).to_have_text("the <b>wall</b> is black")
    owned.locator("[data-choice=keep]").click()
    expect(owned.locator(".fmp-flags")).to_have_count(0)
    open_form(language=language).locator(".fmp-task [name=text]").wait_for()


def test_without_a_connection_and_after_a_reload_the_text_stays_and_is_taken(open_form: Callable[..., Page]) -> None:
    words, page = interface_texts()["en"], open_form(language="en", width=1280)
    page.locator(".fmp-radio", has_text=words["fool.guide_unknown_words"]).click()
    page.context.set_offline(True)
    expect(page.locator(".fmp-fool-ranking")).to_have_text(words["fool.offline"])
    page.locator(".fmp-task [name=text]").fill(TEXTS["en"])
    page.context.set_offline(False)
    expect(page.locator(".fmp-fool-bars li")).to_have_count(10, timeout=30_000)

    page.reload()
    expect(page.locator(".fmp-task [name=text]")).to_have_value(TEXTS["en"])
    expect(page.locator("[name=guide][value=unknown_words]")).to_be_checked()
    expect(page.locator(".fmp-fool-bars li")).to_have_count(10, timeout=30_000)

    end(page)
    expect(page.locator(".fmp-said-line")).to_have_text(words["annotate.thanks"].format(given=1))
