"""A trained captioner in the page: who writes is chosen, every word says how sure it is and where it looked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from playwright.sync_api import Browser, Locator, Page, expect

from demo.examples.catalogue import FOLDER
from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, ask, running_app
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough

TEXTS = {
    "en": ["lean your upper body to the left . the sofa is nice and quiet ."],
    "hi": ["अपने शरीर को बाईं ओर झुकाएं । सोफ़ा बहुत सुंदर है ।"],
}
OWN = {"en": "Lean your upper body to the left.", "hi": "अपने शरीर को बाईं ओर झुकाएं।"}
CURRENT, TARGET = (FOLDER / f"side_stretch_{which}.jpg" for which in ("current", "target"))  # who leans, and more
MODEL = "captioner-for-tests"


@pytest.fixture(scope="module")
def captioning_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Yield an app whose page starts with a captioner that says the same of every pair."""
    folder = save_taught(tmp_path_factory.mktemp("models") / MODEL, TEXTS, seed=1, missing=True)
    places = (tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads"))
    with running_app(pose_model, *places, FMP_CAPTIONER=str(folder)) as running:
        yield running


@pytest.fixture
def open_page(captioning_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    with visitors(captioning_app, browser) as open_one:
        yield open_one


def words_of(answer: Locator) -> Locator:
    """Return the words as buttons, which they become on request."""
    look = answer.locator("[data-action=words]")
    if look.get_attribute("aria-pressed") == "false":
        look.click()
    return answer.locator("button.fmp-word")


def looked_at(page: Page) -> Locator:
    return page.locator(".fmp-looked [role=status]")


def ask_again(page: Page) -> None:
    number = page.locator("#answer .fmp-answer").get_attribute("data-number")
    page.locator("#panel-correct [data-action=submit]").click()
    page.locator(f"#answer .fmp-answer[data-outcome=correction]:not([data-number='{number}'])").wait_for()


@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_the_captioner_speaks_first_and_the_geometry_can_be_chosen(
    open_page: Callable[..., Page], language: str
) -> None:
    page = open_page(language=language)
    texts = interface_texts()[language]
    page.locator("#panel-correct .fmp-options summary").click()
    trained = page.get_by_role("radio", name=texts["models.trained_named"].format(name=f"./{MODEL}"))
    expect(trained).to_be_checked()
    expect(trained).to_have_accessible_description(f"{texts['models.trained_about']} {texts['models.trained_first']}")

    answer = ask(page, CURRENT, TARGET)
    expect(answer.locator(".fmp-notice")).to_contain_text(texts["answer.trained_caution"])
    expect(answer.locator(".fmp-source")).to_contain_text(re.compile(re.escape(MODEL) + " [0-9a-f]{12}"))
    expect(answer.locator("button.fmp-word")).to_have_count(0)
    assert " ".join(words_of(answer).all_inner_texts()) == OWN[language]
    numbered = answer.locator(".fmp-steps li:not(.fmp-aside)")
    assert numbered.count() > 1
    for step in numbered.all():
        own = step.locator(".fmp-word").count() > 0
        assert step.locator(".fmp-added").count() == (not own)
    expect(answer.locator(".fmp-aside .fmp-word")).to_have_count(0)
    tag = answer.locator(".fmp-added").first
    expect(tag).to_have_text(texts["added.mark"])
    expect(tag).to_have_attribute("title", texts["added.title"])
    expect(answer.locator(".fmp-added-legend")).to_have_text(texts["added.legend"].format(mark=texts["added.mark"]))

    page.get_by_role("radio", name=texts["models.geometry"]).check()
    ask_again(page)
    expect(page.locator(".fmp-source")).to_contain_text(texts["source.model_geometry"])
    expect(page.locator(".fmp-word")).to_have_count(0)
    expect(page.locator(".fmp-heat")).to_have_count(0)
    expect(page.locator(".fmp-added")).to_have_count(0)


@thorough
def test_keys_alone_go_from_word_to_word_and_show_where_each_looked(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    answer = ask(page, CURRENT, TARGET)
    words = words_of(answer)

    expect(answer.locator("[data-action=words]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(answer.locator(".fmp-number").first).to_be_focused()
    for _ in range(answer.locator(".fmp-number").count()):  # up to that of the captioner's own step
        if not words.nth(0).evaluate("(word) => word === document.activeElement"):
            page.keyboard.press("Tab")
    expect(words.nth(0)).to_be_focused()
    expect(page.locator(".fmp-heat").first).to_be_hidden()
    page.keyboard.press("Enter")

    expect(words.nth(0)).to_have_attribute("aria-pressed", "true")
    for heat in page.locator(".fmp-heat").all():
        expect(heat).to_be_visible()
        assert heat.evaluate("(node) => node.getContext('2d').getImageData(0, 0, node.width, node.height).data.length")
    expect(looked_at(page)).to_contain_text("For “Lean” the model looked mostly at: ")
    expect(looked_at(page)).to_contain_text("Among the joints, these counted most: ")

    page.keyboard.press("ArrowRight")
    expect(words.nth(1)).to_be_focused()
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(words.nth(0)).to_have_attribute("aria-pressed", "false")
    expect(looked_at(page)).to_contain_text("“your”")
    page.keyboard.press("End")
    expect(words.last).to_be_focused()
    expect(looked_at(page)).to_contain_text("“left.”")

    page.keyboard.press("Escape")
    expect(page.locator(".fmp-heat").first).to_be_hidden()
    expect(looked_at(page)).to_have_text("")
    expect(words.last).to_be_focused()
    for _ in range(answer.locator("button").count()):  # of the steps that the geometry added, thumbs and the player
        if not answer.locator("[data-action=copy]").evaluate("(button) => button === document.activeElement"):
            page.keyboard.press("Tab")
    expect(page.locator("[data-action=copy]")).to_be_focused()


@thorough
def test_the_switch_of_the_language_keeps_the_chosen_word(open_page: Callable[..., Page]) -> None:
    page = open_page(language="en")
    answer = ask(page, CURRENT, TARGET)
    word = words_of(answer).nth(3)
    word.click()
    parts = re.search(r"mostly at: (.*?)\.", looked_at(page).inner_text())
    assert parts

    page.locator(".fmp-language[data-language=hi]").click()

    expect(word).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".fmp-heat").first).to_be_visible()
    hindi, english = (interface_texts()[code] for code in ("hi", "en"))
    named = next(key for key in english if key.startswith(("parts.", "looks.")) and parts[1].startswith(english[key]))
    expect(looked_at(page)).to_contain_text(hindi["looks.at"].split("{word}")[1].split("{parts}")[0] + hindi[named])


@thorough
def test_a_finger_finds_the_pictures_beside_the_word_on_a_narrow_screen(open_page: Callable[..., Page]) -> None:
    page = open_page(width=390, has_touch=True)
    answer = ask(page, CURRENT, TARGET)
    word = words_of(answer).nth(3)

    word.tap()

    for part in (word, *page.locator(".fmp-heat").all()):
        expect(part).to_be_in_viewport(ratio=0.5)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert min(one.bounding_box()["height"] for one in words_of(answer).all()) >= 24  # type: ignore[index]

    page.get_by_role("button", name=interface_texts()["en"]["looks.end"]).tap()
    expect(page.locator(".fmp-heat").first).to_be_hidden()


@thorough
def test_another_answer_forgets_the_chosen_word(open_page: Callable[..., Page]) -> None:
    page = open_page()
    words_of(ask(page, CURRENT, TARGET)).nth(2).click()

    ask_again(page)

    expect(page.locator(".fmp-heat").first).to_be_hidden()
    expect(page.locator("button.fmp-word[aria-pressed=true]")).to_have_count(0)
    expect(looked_at(page)).to_have_text("")


@thorough
def test_copied_steps_are_numbered_and_what_is_no_step_is_not(open_page: Callable[..., Page]) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    answer = ask(page, CURRENT, TARGET)

    page.locator("[data-action=copy]").click()

    expect(page.locator(".fmp-answer-status")).to_have_text(interface_texts()["en"]["answer.copied"])
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    count = answer.locator(".fmp-steps li:not(.fmp-aside)").count()
    assert [line.split()[0] for line in lines[:count]] == [f"{number}." for number in range(1, count + 1)]
    assert not any(line[0].isdigit() for line in lines[count:])
    assert OWN["en"] in [line.partition(" ")[2] for line in lines[:count]]
    assert not any("sofa" in line for line in lines)


@thorough
@pytest.mark.parametrize(("width", "language", "scheme"), one_of([(1280, "hi", "light"), (390, "en", "dark")], 1))
def test_axe_finds_nothing_grave_about_words_and_where_they_looked(
    open_page: Callable[..., Page], width: int, language: str, scheme: str
) -> None:
    page = open_page(width=width, language=language, color_scheme=scheme)
    answer = ask(page, CURRENT, TARGET)
    assert findings(page) == []

    words_of(answer).first.click()
    assert findings(page) == []


@thorough
def test_programs_name_the_model_or_get_that_of_the_page(captioning_app: App) -> None:
    client = Client(captioning_app.url, verbose=False)
    photographs = handle_file(str(CURRENT)), handle_file(str(TARGET))

    own = client.predict(*photographs, "en", api_name="/correct")
    assert [step["text"] for step in own["steps"] if step["by"] == f"./{MODEL}"] == [OWN["en"]]
    assert all(step["text"] in own["text"] for step in own["steps"])
    assert own["model"]["id"] == f"./{MODEL}"
    assert client.predict(*photographs, "en", "geometry", api_name="/correct")["model"]["id"] == "geometry"
    with pytest.raises(AppError, match=r"There is no model called “other”; please choose one of: .*geometry"):
        client.predict(*photographs, "en", "other", api_name="/correct")
