"""What cannot be used is refused in one sentence of the page's language; what is unusual is answered with a notice."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pillow_heif
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from demo.i18n import interface_texts
from fmp_models.common.picture_files import MAX_BYTES
from tests.browser.visits import Pictures, ask, give
from tests.thoroughness import one_of, thorough

LANGUAGES = ["en", "hi"]


def refusal(page: Page) -> str:
    alert = page.locator("[role=alert]:visible", has_text=" ").first
    alert.wait_for()
    return alert.inner_text()


@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_a_picture_without_a_person_is_refused_by_name(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, language: str
) -> None:
    empty = tmp_path / "wall.png"
    Image.new("RGB", (640, 480), (120, 140, 150)).save(empty)
    page = open_page(language=language)

    give(page, pictures.standing, empty)
    page.locator("[data-action=submit]").click()

    words = interface_texts()[language]
    assert words["errors.no_person"].format(which=words["which.target"]) in refusal(page)
    expect(page.locator("[data-action=submit]")).to_have_attribute("aria-disabled", "false")


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_two_people_are_answered_with_a_notice(
    open_page: Callable[..., Page],
    pictures: Pictures,
    language: str,
) -> None:
    page = open_page(language=language)

    ask(page, pictures.two_people, pictures.warrior)

    notice = interface_texts()[language]["answer.people_current"].format(count=2)
    expect(page.locator(".fmp-notice")).to_contain_text(notice)


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_a_broken_file_is_refused_and_says_which(
    open_page: Callable[..., Page],
    pictures: Pictures,
    tmp_path: Path,
    language: str,
) -> None:
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(pictures.standing.read_bytes()[:9000])
    page = open_page(language=language)

    give(page, broken, pictures.warrior)
    page.locator("[data-action=submit]").click()

    words = interface_texts()[language]
    message = refusal(page)
    assert words["errors.photo_broken"] in message
    assert words["form.current"] in message


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_text_renamed_to_a_picture_is_refused(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, language: str
) -> None:
    text = tmp_path / "text.jpg"
    text.write_text("no picture at all", encoding="utf-8")
    page = open_page(language=language)

    give(page, pictures.standing, text)
    page.locator("[data-action=submit]").click()

    assert interface_texts()[language]["errors.photo_unknown_type"] in refusal(page)


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_a_file_that_is_too_big_is_refused_before_it_is_sent(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path, language: str
) -> None:
    big = tmp_path / "big.heic"  # which the browser cannot make smaller
    big.write_bytes(bytes(MAX_BYTES + 1))
    page = open_page(language=language)
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if "/upload" in request.url else None)

    give(page, pictures.standing, big)
    page.locator("[data-action=submit]").click()

    words = interface_texts()[language]
    sentence = words["errors.photo_too_many_bytes"].format(limit_mb=MAX_BYTES // 1_000_000)
    assert refusal(page) == f"{words['form.target']}: {sentence}"
    expect(page.locator("[data-which=target] [data-action=change]")).to_be_focused()
    assert not sent


@thorough
@pytest.mark.parametrize("language", one_of(LANGUAGES, 1))
def test_the_same_picture_twice_is_answered_with_a_notice(
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language)

    ask(page, pictures.standing, pictures.standing)

    expect(page.locator(".fmp-notice")).to_contain_text(interface_texts()[language]["answer.same_file"])
    expect(page.locator(".fmp-plain")).to_be_visible()


@pytest.mark.parametrize("language", one_of(LANGUAGES))
def test_a_missing_photograph_is_asked_for(open_page: Callable[..., Page], pictures: Pictures, language: str) -> None:
    page = open_page(language=language)
    page.locator("[data-which=current] input[type=file]").set_input_files(pictures.standing)

    page.locator("[data-action=submit]").click()

    assert interface_texts()[language]["form.missing_target"] in refusal(page)
    expect(page.locator("[data-which=target] [data-action=choose]")).to_be_focused()


@thorough
def test_an_error_follows_the_language_switch(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    page.locator("[data-action=submit]").click()
    assert interface_texts()["en"]["form.missing_current"] in refusal(page)

    page.locator(".fmp-language[data-language=hi]").click()

    assert interface_texts()["hi"]["form.missing_current"] in refusal(page)


@thorough
def test_heic_is_answered_though_the_browser_cannot_show_it(
    open_page: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    heic = tmp_path / "phone.heic"
    with Image.open(pictures.standing) as opened:
        buffer = BytesIO()
        pillow_heif.from_pillow(opened.convert("RGB")).save(buffer)
    heic.write_bytes(buffer.getvalue())
    page = open_page()

    give(page, heic, pictures.warrior)
    expect(page.locator("[data-which=current] .fmp-no-preview")).to_contain_text("phone.heic")
    page.locator("[data-action=submit]").click()

    page.locator(".fmp-answer[data-outcome=correction]").wait_for()


@thorough
def test_an_unreachable_server_is_said_and_the_form_stays_usable(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    give(page, pictures.standing, pictures.warrior)
    page.route("**/upload*", lambda route: route.abort())

    page.locator("[data-action=submit]").click()
    assert interface_texts()["en"]["faults.unreachable"] in refusal(page)

    page.unroute("**/upload*")
    page.locator("[data-action=submit]").click()
    page.locator(".fmp-answer[data-outcome=correction]").wait_for()


@thorough
def test_a_full_queue_is_said_in_plain_words(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    give(page, pictures.standing, pictures.warrior)
    page.route("**/queue/join*", lambda route: route.fulfill(status=503, json={"detail": "Queue is full."}))

    page.locator("[data-action=submit]").click()

    assert interface_texts()["en"]["faults.busy"] in refusal(page)
    expect(page.locator("[data-action=submit]")).to_have_attribute("aria-disabled", "false")


def test_a_lost_connection_is_said_at_once_and_again_when_the_page_had_to_be_opened_anew(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="hi")
    words = interface_texts()["hi"]
    give(page, pictures.standing, pictures.warrior)
    page.route("**/queue/data*", lambda route: route.abort())

    page.locator("[data-action=submit]").click()
    alert = page.locator(".fmp-alert p")
    expect(alert).to_have_text(words["faults.busy"])

    expect(alert).to_have_text(words["faults.reopened"])  # Gradio asks every two seconds
    page.unroute("**/queue/data*")
    page.locator("[data-action=submit]").click()  # the photographs are here still
    page.locator(".fmp-answer[data-outcome=correction]").wait_for()
    expect(alert).to_have_count(0)


@thorough
def test_a_visitor_who_reloads_at_work_is_told_of_no_lost_connection(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page()
    give(page, pictures.standing, pictures.warrior)
    page.route("**/queue/data*", lambda _: None)
    page.locator("[data-action=submit]").click()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text(interface_texts()["en"]["form.working"])

    page.reload()

    page.locator("[data-action=submit]").wait_for()
    expect(page.locator(".fmp-alert p")).to_have_count(0)


@thorough
def test_a_visitor_does_not_wait_for_ever(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(alone=True)
    page.clock.install()
    give(page, pictures.standing, pictures.warrior)
    page.route("**/queue/join*", lambda _: None)

    page.locator("[data-action=submit]").click()
    expect(page.locator("#panel-correct .fmp-status")).to_have_text(interface_texts()["en"]["form.working"])
    page.clock.run_for(121_000)

    assert interface_texts()["en"]["faults.busy"] in refusal(page)
