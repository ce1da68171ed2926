"""A trained captioner in the page: who writes is chosen, every word says how sure it is and where it looked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from playwright.sync_api import Browser, Locator, Page, expect

from demo.i18n import interface_texts
from tests.browser.conftest import visitors
from tests.browser.test_accessibility import findings
from tests.browser.visits import App, Pictures, ask, running_app
from tests.taught_captioners import save_taught
from tests.thoroughness import one_of, thorough

TEXTS = {
    "en": ["you need to raise both arms to the sides , then lower your body . the sofa is nice and quiet ."],
    "hi": ["अपनी दोनों बांहों को बगल की ओर उठाएं । सोफ़ा बहुत सुंदर है ।"],
}
MODEL = "captioner-for-tests"


@pytest.fixture(scope="module")
def captioning_app(pose_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app whose page begins with a captioner that says the same of every pair."""
    folder = save_taught(tmp_path_factory.mktemp("models") / MODEL, TEXTS, seed=1, missing=True)
    places = (tmp_path_factory.mktemp("app"), tmp_path_factory.mktemp("uploads"))
    with running_app(pose_model, *places, FMP_CAPTIONER=str(folder)) as running:
        yield running


@pytest.fixture
def open_page(captioning_app: App, browser: Browser) -> Iterator[Callable[..., Page]]:
    with visitors(captioning_app, browser) as open_one:
        yield open_one


def words_of(answer: Locator) -> Locator:
    """The words as buttons, which they become when asked to."""
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
    open_page: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_page(language=language)
    texts = interface_texts()[language]
    page.locator("#panel-correct .fmp-options summary").click()
    trained = page.get_by_role("radio", name=texts["models.trained_named"].format(name=f"./{MODEL}"))
    expect(trained).to_be_checked()
    expect(trained).to_have_accessible_description(f"{texts['models.trained_about']} {texts['models.trained_first']}")

    answer = ask(page, pictures.standing, pictures.warrior)
    expect(answer.locator(".fmp-notice")).to_contain_text(texts["answer.trained_caution"])
    expect(answer.locator(".fmp-source")).to_contain_text(re.compile(re.escape(MODEL) + " [0-9a-f]{12}"))
    expect(answer.locator("button.fmp-word")).to_have_count(0)
    own = " ".join(words_of(answer).all_inner_texts())
    assert (answer.get_attribute("data-text") or "").startswith(f"{own} ")
    steps = answer.locator(".fmp-steps li").all()
    step_counts = {"en": [1, 1, 0], "hi": [1, 0]}[language]
    assert [step.locator(".fmp-number").count() for step in steps][: len(step_counts)] == step_counts
    tags = [step.locator(".fmp-added").count() for step in steps]
    assert tags == [0] * len(step_counts) + [1] * (len(steps) - len(step_counts))
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
def test_keys_alone_go_from_word_to_word_and_show_where_each_looked(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(language="en")
    answer = ask(page, pictures.standing, pictures.warrior)
    words = words_of(answer)

    expect(answer.locator("[data-action=words]")).to_be_focused()
    page.keyboard.press("Tab")
    expect(answer.locator(".fmp-number").first).to_be_focused()
    page.keyboard.press("Tab")
    expect(words.nth(0)).to_be_focused()
    expect(page.locator(".fmp-heat").first).to_be_hidden()
    page.keyboard.press("Enter")

    expect(words.nth(0)).to_have_attribute("aria-pressed", "true")
    for heat in page.locator(".fmp-heat").all():
        expect(heat).to_be_visible()
        assert heat.evaluate("(node) => node.getContext('2d').getImageData(0, 0, node.width, node.height).data.length")
    expect(looked_at(page)).to_contain_text("For “You” the model looked mostly at: ")
    expect(looked_at(page)).to_contain_text("Among the joints, these counted most: ")

    page.keyboard.press("ArrowRight")
    expect(words.nth(1)).to_be_focused()
    expect(words.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(words.nth(0)).to_have_attribute("aria-pressed", "false")
    expect(looked_at(page)).to_contain_text("“need”")
    page.keyboard.press("End")
    expect(words.last).to_be_focused()
    expect(looked_at(page)).to_contain_text("“quiet.”")

    page.keyboard.press("Escape")
    expect(page.locator(".fmp-heat").first).to_be_hidden()
    expect(looked_at(page)).to_have_text("")
    expect(words.last).to_be_focused()
    for _ in range(answer.locator(".fmp-number").count()):  # of the steps that the geometry added
        if not answer.locator("[data-action=copy]").evaluate("(button) => button === document.activeElement"):
            page.keyboard.press("Tab")
    expect(page.locator("[data-action=copy]")).to_be_focused()


@thorough
def test_the_switch_of_the_language_keeps_the_chosen_word(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page(language="en")
    answer = ask(page, pictures.standing, pictures.warrior)
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
def test_a_finger_finds_the_pictures_beside_the_word_on_a_narrow_screen(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(width=390, has_touch=True)
    answer = ask(page, pictures.standing, pictures.warrior)
    word = words_of(answer).nth(3)

    word.tap()

    for part in (word, *page.locator(".fmp-heat").all()):
        expect(part).to_be_in_viewport(ratio=0.5)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert min(one.bounding_box()["height"] for one in words_of(answer).all()) >= 24  # type: ignore[index]

    page.get_by_role("button", name=interface_texts()["en"]["looks.end"]).tap()
    expect(page.locator(".fmp-heat").first).to_be_hidden()


@thorough
def test_another_answer_forgets_the_chosen_word(open_page: Callable[..., Page], pictures: Pictures) -> None:
    page = open_page()
    words_of(ask(page, pictures.standing, pictures.warrior)).nth(2).click()

    ask_again(page)

    expect(page.locator(".fmp-heat").first).to_be_hidden()
    expect(page.locator("button.fmp-word[aria-pressed=true]")).to_have_count(0)
    expect(looked_at(page)).to_have_text("")


@thorough
def test_copied_steps_are_numbered_and_what_is_no_step_is_not(
    open_page: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    ask(page, pictures.standing, pictures.warrior)

    page.locator("[data-action=copy]").click()

    expect(page.locator(".fmp-answer-status")).to_have_text(interface_texts()["en"]["answer.copied"])
    assert page.evaluate("navigator.clipboard.readText()").splitlines()[:3] == [
        "1. You need to raise both arms to the sides,",
        "2. then lower your body.",
        "The sofa is nice and quiet.",
    ]


@thorough
@pytest.mark.parametrize(("width", "language", "scheme"), one_of([(1280, "hi", "light"), (390, "en", "dark")], 1))
def test_axe_finds_nothing_grave_about_words_and_where_they_looked(
    open_page: Callable[..., Page], pictures: Pictures, width: int, language: str, scheme: str
) -> None:
    page = open_page(width=width, language=language, color_scheme=scheme)
    answer = ask(page, pictures.standing, pictures.warrior)
    assert findings(page) == []

    words_of(answer).first.click()
    assert findings(page) == []


@thorough
def test_programs_name_the_model_or_get_that_of_the_page(captioning_app: App, pictures: Pictures) -> None:
    client = Client(captioning_app.url, verbose=False)
    photographs = handle_file(str(pictures.standing)), handle_file(str(pictures.warrior))

    own = client.predict(*photographs, "en", api_name="/correct")
    assert own["text"].startswith("You need to raise")
    assert own["model"]["id"] == f"./{MODEL}"
    assert client.predict(*photographs, "en", "geometry", api_name="/correct")["model"]["id"] == "geometry"
    with pytest.raises(AppError, match=r"There is no model called “other”; please choose one of: .*geometry"):
        client.predict(*photographs, "en", "other", api_name="/correct")
