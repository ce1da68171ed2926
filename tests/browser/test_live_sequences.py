"""Sequences of the live coach: the sun salutation with its breath and rounds, and pictures of one's own in an order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from demo.examples.catalogue import FOLDER, SALUTATION
from demo.i18n import interface_texts
from demo.live.sessions import MAX_PICTURES
from tests.browser.live_answers import answer_frames, answered_visitors
from tests.browser.test_accessibility import findings
from tests.browser.test_live import start
from tests.browser.visits import App
from tests.thoroughness import one_of

POSES = [FOLDER / "sun_salutation" / f"{name}.jpg" for name in ("plank", "cobra", "mountain")]


@pytest.fixture
def open_live(app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open the tab as a new visitor whose camera shows Chromium's test picture, in which a test says what is seen."""
    with answered_visitors(app, browser) as open_one:
        yield open_one


def asked(page: Page, route: str) -> list[dict[str, str]]:
    return [one for one in page.evaluate("window.asked") if one["route"] == route]


def moving(page: Page) -> None:
    start(page)
    page.locator(".fmp-live-starting").wait_for(state="hidden")


@pytest.mark.parametrize("language", one_of(["hi", "en"]))
def test_the_salutation_flows_in_rounds_by_breath_and_changes_the_leg(
    open_live: Callable[..., Page], language: str
) -> None:
    page, texts = open_live(language=language), interface_texts()[language]
    page.locator(".fmp-sequence").click()
    page.locator("[name=fmp-live-rounds][value='2']").check()
    moving(page)
    first = list(SALUTATION)
    second = ["low_lunge_left" if name == "low_lunge" else name for name in first]
    assert [one["picture"] for one in asked(page, "goal")] == first + second
    assert asked(page, "begin")[0]["hold"] == "1.5"
    expect(page.locator(".fmp-live-now")).to_have_text(texts["breath.prayer"])
    assert texts["breath.prayer"] in page.evaluate("window.said")
    page.evaluate("window.advice = { ...window.advice, goal: 11, said: 1, sayings: [{ en: 'Next', hi: 'Next' }] }")
    expect(page.locator(".fmp-live-now")).to_have_text(texts["breath.low_lunge_left"])
    title = texts["live.goal_of_round"].format(round=2, rounds=2, number=4, of=8, name=texts["poses.low_lunge_left"])
    expect(page.locator(".fmp-live-goal figcaption")).to_have_text(title)
    assert page.evaluate("window.said.at(-1)") == texts["breath.low_lunge_left"]


def test_a_pose_is_skipped_and_gone_back_to_by_keys_and_buttons(open_live: Callable[..., Page]) -> None:
    page = open_live()
    page.locator(".fmp-sequence").click()
    moving(page)
    caption = page.locator(".fmp-live-goal figcaption")
    page.keyboard.press("n")
    expect(caption).to_contain_text("Pose 2 of 8")
    page.wait_for_function("window.asked.some(({ route, goal }) => route === 'go_to' && goal === '1')")
    page.locator("[data-action=next-goal]").click()
    expect(caption).to_contain_text("Pose 3 of 8")
    page.keyboard.press("b")
    page.locator("[data-action=goal-before]").click()
    expect(caption).to_contain_text("Pose 1 of 8")
    page.keyboard.press("b")  # there is none before it
    page.wait_for_function("window.asked.filter(({ route }) => route === 'go_to').at(-1).goal === '0'")
    expect(caption).to_contain_text("Pose 1 of 8")
    for _ in SALUTATION:
        page.keyboard.press("n")
    page.locator(".fmp-live-summary").wait_for()


def test_one_pose_has_nothing_to_skip(open_live: Callable[..., Page]) -> None:
    page = open_live()
    moving(page)
    page.keyboard.press("n")
    expect(page.locator("[data-action=next-goal]")).to_be_hidden()
    assert page.locator(".fmp-live-stage").is_visible()
    assert asked(page, "go_to") == []


def add(page: Page, files: list[Path], count: int) -> None:
    page.locator(".fmp-live-list input[type=file]").set_input_files(files)
    expect(page.locator(".fmp-live-item")).to_have_count(count)


def stand_in_order(page: Page, *names: str) -> None:
    items = [f"{number}. {name}" for number, name in enumerate(names, 1)]
    expect(page.locator(".fmp-live-item > span")).to_have_text(items)


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_pictures_of_ones_own_are_put_in_an_order_kept_on_the_device_and_taken_one_after_the_other(
    open_live: Callable[..., Page], app: App, width: int, language: str
) -> None:
    page, stored = open_live(width=width, language=language), app.stored_uploads()
    page.locator(".fmp-new-sequence").click()
    add(page, POSES, 3)
    assert findings(page) == []
    page.locator("[data-action=list-up][data-at='2']").click()
    stand_in_order(page, "plank", "mountain", "cobra")
    page.locator("[data-action=list-down][data-at='1']:focus, [data-action=list-up][data-at='1']:focus").press(
        "ArrowUp"
    )
    stand_in_order(page, "mountain", "plank", "cobra")
    page.locator("[data-action=list-remove][data-at='1']").click()
    stand_in_order(page, "mountain", "cobra")
    page.locator("[name=fmp-live-list-name]").fill("Morning")
    page.locator("[name=fmp-live-list-hold]").select_option("5")
    expect(page.locator(".fmp-own-sequence")).to_have_text("Morning")

    page.reload()
    page.locator(".fmp-own-sequence", has_text="Morning").click()
    stand_in_order(page, "mountain", "cobra")
    expect(page.locator("[name=fmp-live-list-hold]")).to_have_value("5")
    answer_frames(page)
    page.locator("[name=fmp-live-rounds][value='2']").check()
    moving(page)
    assert asked(page, "begin")[0]["hold"] == "5"
    assert [one.get("again") for one in asked(page, "goal")] == [None, None, "0", "1"]
    expect(page.locator(".fmp-live-goal figcaption")).to_contain_text("mountain")
    assert app.stored_uploads() == stored
    page.keyboard.press("Escape")
    page.locator("[data-action=other]").click()
    page.locator("[data-action=list-delete]").click()
    expect(page.locator(".fmp-own-sequence")).to_have_count(0)
    page.reload()
    page.locator(".fmp-new-sequence").wait_for()
    expect(page.locator(".fmp-own-sequence")).to_have_count(0)


def test_the_picture_of_a_sequence_in_which_nobody_is_is_named(open_live: Callable[..., Page], tmp_path: Path) -> None:
    page, empty = open_live(), tmp_path / "sofa.jpg"
    Image.new("RGB", (320, 240), (90, 120, 100)).save(empty)
    page.locator(".fmp-new-sequence").click()
    add(page, [POSES[0], empty], 2)
    page.locator("[data-action=start]").click()
    expect(page.locator(".fmp-live-list .fmp-alert")).to_contain_text("Picture 2, “sofa”: ")
    expect(page.locator(".fmp-live-item.fmp-wrong")).to_contain_text("sofa")
    assert page.locator(".fmp-live-setup").is_visible()


def test_a_sequence_has_bounds_that_are_told(open_live: Callable[..., Page], tmp_path: Path) -> None:
    page = open_live()
    page.locator(".fmp-new-sequence").click()
    page.locator("[data-action=start]").click()
    expect(page.locator(".fmp-live-list .fmp-alert")).to_have_text(
        "Please add a picture of each pose that you want to take."
    )
    picture = Image.new("RGB", (64, 64))
    many = [tmp_path / f"{number}.png" for number in range(MAX_PICTURES + 1)]
    for file in many:
        picture.save(file)
    add(page, many, MAX_PICTURES)
    expect(page.locator(".fmp-live-list .fmp-alert")).to_contain_text(f"up to {MAX_PICTURES} pictures")
