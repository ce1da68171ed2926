"""The way of a visitor who looks for a pose: photograph, description and pictures in, a ranked gallery out."""

from __future__ import annotations

import io
import re
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from gradio_client import Client, handle_file
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from demo.examples.catalogue import RETRIEVAL
from demo.i18n import interface_texts
from fmp_models.common.picture_files import MAX_CANDIDATES, MAX_DESCRIPTION_CHARS
from tests.browser.test_accessibility import findings
from tests.browser.visits import PICTURES_HELD, App, Pictures, described
from tests.retrievers import TEXTS
from tests.thoroughness import one_of, thorough

DEVANAGARI = re.compile(r"[\u0900-\u097f]")


@pytest.fixture
def open_tab(open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open the page on this tab."""

    def open_one(**options: object) -> Page:
        page = open_page(**options)
        page.locator("#tab-retrieve").click()
        return page

    return open_one


def give(page: Page, current: Path, candidates: list[Path], text: str = TEXTS["en"]) -> None:
    page.locator("[data-which=start] input[type=file]").set_input_files(current)
    page.locator(".fmp-candidates input[type=file]").set_input_files(candidates)
    page.locator("textarea[name=fmp-description]").fill(text)


def new_picture(path: Path, data: bytes) -> Path:
    """Write a picture that no search has measured before: a corner of it has a colour of its own."""
    picture = Image.open(io.BytesIO(data)).convert("RGB")
    picture.paste((secrets.randbelow(256), secrets.randbelow(256), secrets.randbelow(256)), (0, 0, 24, 24))
    picture.save(path, quality=95)
    return path


def sent(page: Page, outcome: str) -> str:
    """Press the button, wait for what comes of it and give its words."""
    page.locator("[data-action=find]").click()
    answer = page.locator(f".fmp-ranking[data-outcome={outcome}]")
    answer.wait_for()
    return answer.inner_text()


def alert(page: Page) -> str:
    page.locator("[data-action=find]").click()
    line = page.locator("#panel-retrieve .fmp-alert p")
    line.wait_for()
    return line.inner_text()


@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")], 1))
def test_the_example_needs_one_click(open_tab: Callable[..., Page], app: App, width: int, language: str) -> None:
    page = open_tab(width=width, language=language)
    words = interface_texts()[language]
    stored = app.stored_uploads()

    page.locator(f"[data-action=search-example][lang={language}]").click()
    expect(page.locator(".fmp-choices li")).to_have_count(len(RETRIEVAL.candidates))
    expect(page.locator("textarea[name=fmp-description]")).to_have_value(RETRIEVAL.descriptions[language])
    page.locator(".fmp-ranking[data-outcome=ranking]").wait_for()

    places = page.locator(".fmp-place")
    best = places.first.locator("strong").inner_text()
    heading = page.locator(".fmp-ranking h2")
    expect(heading).to_be_focused()
    number = next(n for n in range(1, places.count() + 1) if words["find.picture"].format(number=n) == best)
    expect(heading).to_have_text(words["ranking.heading"].format(number=number))
    assert places.count() == len(RETRIEVAL.candidates)
    names = {words["find.picture"].format(number=number) for number in range(1, len(RETRIEVAL.candidates) + 1)}
    assert set(places.locator("strong").all_inner_texts()) == names
    assert page.locator(".fmp-best").count() == 1
    expect(places.first).to_contain_text(words["ranking.best"])
    widths = places.locator(".fmp-bar span").evaluate_all("(bars) => bars.map((bar) => bar.offsetWidth)")
    assert widths[1:] == sorted(widths[1:], reverse=True)
    assert not page.locator(".fmp-weighed").is_visible()
    page.locator(".fmp-weights summary").click()
    answer_text = page.locator(".fmp-ranking").inner_text()
    assert " ".join(page.locator(".fmp-weighed").inner_text().split()) == RETRIEVAL.descriptions[language]
    assert page.locator(".fmp-heaviest li").count() >= 3 or words["ranking.words_flat"] in answer_text
    assert page.locator(".fmp-ranking .fmp-chart tbody tr").count() == 10 or words["ranking.parts_flat"] in answer_text
    assert words["source.model_retriever"] in answer_text
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert findings(page) == []
    assert app.stored_uploads() <= stored


def ask_example(page: Page, language: str) -> Locator:
    """Ask the page's own question, and give the cards of what came of it, the best first."""
    page.locator(f"[data-action=search-example][lang={language}]").click()
    expect(page.locator(".fmp-choices li")).to_have_count(len(RETRIEVAL.candidates))
    page.locator(".fmp-ranking[data-outcome=ranking]").wait_for()
    return page.locator(".fmp-place")


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_on_a_phone_the_answer_and_why_are_in_the_first_screen_and_the_question_stays(
    open_tab: Callable[..., Page], language: str
) -> None:
    page = open_tab(language=language, viewport={"width": 390, "height": 844}, has_touch=True)
    page.set_viewport_size({"width": 390, "height": 844})

    best = ask_example(page, language).first

    for part in ("img", ".fmp-score", ".fmp-margin", ".fmp-checks li >> nth=0"):
        expect(best.locator(part)).to_be_in_viewport(ratio=1)
    question = page.locator(".fmp-asked-for")
    expect(question).to_contain_text(RETRIEVAL.descriptions[language])
    page.locator(".fmp-places").scroll_into_view_if_needed()
    page.locator(".fmp-weights").evaluate("(node) => node.scrollIntoView()")
    expect(question).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_on_a_phone_the_other_cards_are_swiped_one_by_one(open_tab: Callable[..., Page], language: str) -> None:
    page = open_tab(language=language, width=390)
    words = interface_texts()[language]
    cards = ask_example(page, language)
    strip = page.locator(".fmp-places")
    expect(strip).to_have_css("scroll-snap-type", "x mandatory")
    expect(cards.nth(1)).to_be_in_viewport()

    page.locator(".fmp-others").get_by_role("button", name=words["ranking.next"]).click()

    at_start = (
        "([strip, card]) => Math.abs(card.getBoundingClientRect().left - strip.getBoundingClientRect().left - 16) < 3"
    )
    page.wait_for_function(at_start, arg=[strip.element_handle(), cards.nth(2).element_handle()])
    page.locator(".fmp-others").get_by_role("button", name=words["ranking.previous"]).click()
    page.wait_for_function(at_start, arg=[strip.element_handle(), cards.nth(1).element_handle()])
    cards.nth(1).get_by_role("button").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(cards.nth(3).get_by_role("button")).to_be_focused()
    expect(cards.nth(3)).to_be_in_viewport(ratio=0.9)


@thorough
@pytest.mark.parametrize(("width", "language"), one_of([(1280, "en"), (390, "hi")]))
def test_a_card_is_enlarged_beside_the_current_picture_and_the_next_one_follows(
    open_tab: Callable[..., Page], width: int, language: str
) -> None:
    page = open_tab(language=language, width=width)
    words = interface_texts()[language]
    cards = ask_example(page, language)
    names = cards.locator("strong").all_inner_texts()

    cards.nth(1).get_by_role("button").click()

    dialog = page.locator("#ranking .fmp-large")
    views = dialog.locator(".fmp-figure")
    expect(views).to_have_count(2)
    expect(views.nth(0)).to_contain_text(words["form.current"])
    expect(views.nth(1)).to_contain_text(names[1])
    boxes = [views.nth(number).locator("img").bounding_box() or {} for number in (0, 1)]
    assert all(box["y"] >= 60 and box["y"] + box["height"] <= 900 for box in boxes)  # below the buttons
    assert boxes[0]["height"] > 300
    assert findings(page) == []
    page.keyboard.press("ArrowRight")
    expect(views.nth(1)).to_contain_text(names[2])
    dialog.get_by_role("button", name=words["ranking.previous"]).click()
    expect(views.nth(1)).to_contain_text(names[1])
    page.keyboard.press("+")  # what is larger than its frame is moved by the arrows
    page.keyboard.press("ArrowRight")
    expect(views.nth(1)).to_contain_text(names[1])
    assert dialog.evaluate("(node) => node.style.getPropertyValue('--x')") != "0.00%"
    page.keyboard.press("0")
    view = dialog.locator(".fmp-views .fmp-stack").nth(1).bounding_box() or {}
    page.mouse.move(view["x"] + view["width"] * 0.8, view["y"] + 50)
    page.mouse.down()
    page.mouse.move(view["x"] + view["width"] * 0.2, view["y"] + 50)
    page.mouse.up()
    expect(views.nth(1)).to_contain_text(names[2])
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    for _ in range(2):
        cards.last.get_by_role("button").click()
        expect(dialog.get_by_role("button", name=words["ranking.next"])).to_have_attribute("aria-disabled", "true")
        page.keyboard.press("ArrowRight")
        expect(views.nth(1)).to_contain_text(names[-1])
        page.keyboard.press("Escape")


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_who_waits_is_told_which_picture_is_being_measured(
    open_tab: Callable[..., Page], tmp_path: Path, language: str
) -> None:
    page = open_tab(language=language)
    files = [new_picture(tmp_path / f"{n}.jpg", data) for n, data in enumerate(RETRIEVAL.candidates)]
    give(page, files[0], files, RETRIEVAL.descriptions[language])
    expect(page.locator(".fmp-choices li")).to_have_count(len(files))
    page.evaluate(
        """() => {
            let hours = 0;
            performance.now = () => (hours += 3_600_000); // so that nothing is left unsaid for following too closely
            const line = document.querySelector('#panel-retrieve .fmp-stand');
            window.heard = [];
            new MutationObserver(() => window.heard.push(line.textContent)).observe(line, {
                childList: true, characterData: true, subtree: true,
            });
        }"""
    )

    sent(page, "ranking")

    count = len(RETRIEVAL.candidates)
    progress_lines = [interface_texts()[language]["find.progress"].format(number=n + 1, of=count) for n in range(count)]
    places = [progress_lines.index(line) for line in page.evaluate("window.heard") if line in progress_lines]
    assert len(set(places)) > 1
    assert places == sorted(places)


@thorough
def test_a_ranking_follows_the_switch_but_keeps_the_description(
    open_tab: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_tab(language="en")
    give(page, pictures.standing, [pictures.warrior, pictures.standing])
    sent(page, "ranking")

    page.locator(".fmp-language[data-language=hi]").click()

    stem = interface_texts()["hi"]["ranking.heading"].format(number="")
    expect(page.locator(".fmp-ranking h2")).to_have_text(re.compile(f"^{stem}[12]$"))
    expect(page.locator(".fmp-margin")).to_have_text(DEVANAGARI)
    expect(page.locator(".fmp-weighed")).to_contain_text("knees")


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_a_broken_picture_is_refused_by_its_number(
    open_tab: Callable[..., Page], app: App, pictures: Pictures, tmp_path: Path, language: str
) -> None:
    stored = app.stored_uploads()
    broken = tmp_path / "broken.jpg"
    broken.write_bytes(pictures.standing.read_bytes()[:9000])
    page = open_tab(language=language)
    give(page, pictures.standing, [pictures.warrior, broken])

    page.locator("[data-action=find]").click()

    words = interface_texts()[language]
    refusal = f"{words['form.candidate'].format(number=2, of=2)}: {words['errors.photo_broken']}"
    expect(page.locator(".fmp-candidates > .fmp-alert")).to_have_text(refusal)
    expect(page.locator(".fmp-choices li").nth(1)).to_have_class("fmp-wrong")
    assert app.stored_uploads() <= stored


@thorough
def test_a_picture_without_a_person_is_ranked_and_said(
    open_tab: Callable[..., Page], pictures: Pictures, tmp_path: Path
) -> None:
    wall = tmp_path / "wall.png"
    Image.new("RGB", (640, 480), (120, 140, 150)).save(wall)
    page = open_tab(language="en")
    give(page, pictures.standing, [wall, pictures.warrior])

    answer_text = sent(page, "ranking")

    assert interface_texts()["en"]["ranking.nobody"].format(numbers="1") in answer_text
    expect(page.locator(".fmp-place", has_text="Picture 1")).to_contain_text(
        interface_texts()["en"]["ranking.nobody_here"]
    )


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"]))
def test_what_is_lacking_is_asked_for_one_thing_after_the_other(
    open_tab: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_tab(language=language)
    words = interface_texts()[language]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/upload" in request.url else None)

    assert alert(page) == words["form.missing_current"]
    expect(page.locator("[data-which=start] [data-action=choose]")).to_be_focused()

    page.locator("[data-which=start] input[type=file]").set_input_files(pictures.standing)
    assert alert(page) == words["errors.description_empty"]
    expect(page.locator("textarea[name=fmp-description]")).to_be_focused()

    page.locator("textarea[name=fmp-description]").fill("Подними левую руку")
    expect(page.locator(".fmp-recognised")).to_have_text(words["find.unrecognised"])
    assert alert(page) == words["errors.description_foreign"]

    page.locator("textarea[name=fmp-description]").fill("a" * (MAX_DESCRIPTION_CHARS + 1))
    assert alert(page) == words["errors.description_too_long"].format(limit=MAX_DESCRIPTION_CHARS)

    page.locator("textarea[name=fmp-description]").fill(TEXTS["hi"])
    expect(page.locator(".fmp-recognised")).to_have_text(words["find.recognised"].format(language="हिन्दी"))
    page.locator(".fmp-candidates input[type=file]").set_input_files([pictures.warrior])
    assert alert(page) == words["errors.candidates_count"].format(least=2, most=MAX_CANDIDATES, found=1)
    expect(page.locator("[data-action=add]")).to_be_focused()
    assert not asked


@thorough
def test_too_many_pictures_are_not_taken(open_tab: Callable[..., Page], pictures: Pictures) -> None:
    page = open_tab(language="en")

    page.locator(".fmp-candidates input[type=file]").set_input_files([pictures.standing] * (MAX_CANDIDATES + 1))

    expect(page.locator("#panel-retrieve .fmp-alert p")).to_contain_text(f"now there are {MAX_CANDIDATES + 1}")
    assert page.locator(".fmp-choices li").count() == 0


@thorough
def test_words_that_nobody_knows_are_refused(open_tab: Callable[..., Page], pictures: Pictures) -> None:
    page = open_tab(language="en")
    give(page, pictures.standing, [pictures.warrior, pictures.standing], "Sousaphone xylophone")

    assert interface_texts()["en"]["errors.description_unknown"] in sent(page, "refusal")


@thorough
def test_pictures_are_dropped_pasted_and_removed_again(open_tab: Callable[..., Page], pictures: Pictures) -> None:
    page = open_tab(language="en")
    files = """(bytes, names) => {
        const data = new DataTransfer();
        names.forEach((name) => data.items.add(new File([new Uint8Array(bytes)], name, { type: 'image/jpeg' })));
        return data;
    }"""
    bytes_ = list(pictures.standing.read_bytes())
    transfer = page.evaluate_handle(f"(bytes) => ({files})(bytes, ['dropped.jpg', 'beside.jpg'])", bytes_)
    page.dispatch_event(".fmp-candidates .fmp-frame", "drop", {"dataTransfer": transfer})
    expect(page.locator(".fmp-choices li")).to_have_count(2)

    page.evaluate(
        f"""(bytes) => document.querySelector('[data-action=add]').dispatchEvent(new ClipboardEvent('paste', {{
            clipboardData: ({files})(bytes, ['pasted.jpg']), bubbles: true }}))""",
        bytes_,
    )
    expect(page.locator(".fmp-choices img").nth(2)).to_have_attribute(
        "alt", f"Picture 3: {described(pictures.standing, 'pasted.jpg')}"
    )

    page.get_by_role("button", name="Remove picture 2").click()
    expect(page.locator(".fmp-choices img").nth(1)).to_have_attribute("alt", re.compile(r"Picture 2: pasted\.jpg"))
    expect(page.get_by_role("button", name="Remove picture 2")).to_be_focused()
    assert not page.locator("#panel-correct .fmp-filled:not([hidden])").count()  # nor did the hidden tab take any


@thorough
def test_clear_removes_everything(open_tab: Callable[..., Page], pictures: Pictures) -> None:
    page = open_tab(language="en")
    give(page, pictures.standing, [pictures.warrior, pictures.standing])
    sent(page, "ranking")

    page.locator("#panel-retrieve [data-action=empty]").click()

    page.locator(".fmp-ranking[data-outcome=empty]").wait_for()
    assert page.locator(".fmp-choices li").count() == 0
    expect(page.locator("textarea[name=fmp-description]")).to_have_value("")
    assert page.locator(".fmp-filled:visible").count() == 0


def test_keyboard_and_link_open_the_tab(open_page: Callable[..., Page], app: App) -> None:
    page = open_page()
    expect(page.locator("#panel-retrieve")).to_be_hidden()
    page.locator("#tab-correct").focus()

    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-retrieve")).to_be_focused()
    expect(page.locator("#panel-retrieve")).to_be_visible()
    expect(page.locator("#panel-correct")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#panel-correct")).to_be_visible()

    page.goto(f"{app.url}/#retrieve")
    expect(page.locator("#panel-retrieve")).to_be_visible()


@thorough
def test_an_example_sentence_is_put_behind_what_is_there(open_tab: Callable[..., Page]) -> None:
    page = open_tab(language="hi")
    words = interface_texts()["hi"]

    page.get_by_role("button", name=words["find.sentence_arms"]).click()
    page.get_by_role("button", name=words["find.sentence_knees"]).click()

    both = f"{words['find.sentence_arms']} {words['find.sentence_knees']}"
    expect(page.locator("textarea[name=fmp-description]")).to_have_value(both)


@thorough
def test_a_busy_queue_says_how_long_it_is(open_tab: Callable[..., Page], app: App, pictures: Pictures) -> None:
    """Others ask while the visitor waits, each for many pictures, which takes them some seconds."""
    clients = [Client(app.url, verbose=False) for _ in range(3)]  # one alone never has all workers
    page = open_tab(language="en")
    give(page, pictures.standing, [pictures.warrior, pictures.standing])
    candidates = [handle_file(str(path)) for path in _turned(pictures.standing, app.temporary.parent, 16)]
    others = [
        client.submit(handle_file(str(pictures.warrior)), TEXTS["en"], candidates, "en", api_name="/retrieve")
        for client in clients
    ]
    busy = threading.Event()
    while not others[-1].status().code.name.startswith(("IN_QUEUE", "PROCESSING")) and not busy.wait(0.1):
        pass

    page.locator("[data-action=find]").click()

    expect(page.locator(".fmp-stand")).to_have_text(re.compile(r"You are number \d of \d in the queue"), timeout=60_000)
    page.locator(".fmp-ranking[data-outcome=ranking]").wait_for(timeout=120_000)
    assert all(other.result()["ranking"] for other in others)


def _turned(photograph: Path, folder: Path, count: int) -> list[Path]:
    """Give the same person under ever more light, so that no two pictures are the same."""
    paths = []
    with Image.open(photograph) as opened:
        for number in range(count):
            paths.append(folder / f"lit-{number}.png")
            opened.convert("RGB").point(lambda level, number=number: min(255, level + 4 * number)).save(paths[-1])
    return paths


@thorough
@pytest.mark.parametrize("language", one_of(["en", "hi"], 1))
def test_hindi_in_latin_letters_is_understood_and_said(
    open_tab: Callable[..., Page], pictures: Pictures, language: str
) -> None:
    page = open_tab(language=language)
    words = interface_texts()[language]
    hindi = {"en": "हिन्दी", "hi": "हिन्दी"}[language]
    give(page, pictures.standing, [pictures.warrior, pictures.standing], "apni baayin bhuja uthaen")
    expect(page.locator(".fmp-recognised")).to_have_text(words["find.recognised_latin"].format(language=hindi))

    answer_text = sent(page, "ranking")

    assert words["ranking.read_as"].format(text="अपनी बाईं भुजा उठाएं") in answer_text
    page.locator("textarea[name=fmp-description]").fill(TEXTS["en"])
    expect(page.locator(".fmp-recognised")).to_have_text(words["find.recognised"].format(language="English"))


@thorough
def test_pictures_are_read_one_after_the_other_and_never_more_than_are_ranked(
    open_tab: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_tab(language="en")
    page.evaluate(PICTURES_HELD)
    chosen = page.locator(".fmp-candidates input[type=file]")
    chosen.set_input_files([pictures.standing] * (MAX_CANDIDATES - 1))

    chosen.set_input_files([pictures.warrior] * 2)

    expect(page.locator(".fmp-candidates > .fmp-alert")).to_contain_text(f"now there are {MAX_CANDIDATES + 1}")
    page.evaluate("window.go()")
    expect(page.locator(".fmp-choices li")).to_have_count(MAX_CANDIDATES - 1)
    assert page.evaluate("window.most") == 1


@thorough
def test_while_pictures_are_made_smaller_that_is_said_and_not_that_they_are_sent(
    open_tab: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_tab(language="en")
    page.evaluate(PICTURES_HELD)
    page.locator(".fmp-candidates input[type=file]").set_input_files([pictures.standing, pictures.warrior])
    page.wait_for_function("window.now")
    page.locator("[data-action=find]").click()
    expect(page.locator("#panel-retrieve .fmp-stand")).to_have_text(interface_texts()["en"]["form.shrinking"])
    page.evaluate("window.go()")
    expect(page.locator("#panel-retrieve .fmp-alert p")).to_have_text(interface_texts()["en"]["form.missing_current"])


@thorough
def test_an_example_takes_the_place_of_what_is_still_being_read(
    open_tab: Callable[..., Page], pictures: Pictures
) -> None:
    page = open_tab(language="en")
    page.evaluate(PICTURES_HELD)
    give(page, pictures.standing, [pictures.standing, pictures.warrior])

    page.locator("[data-action=search-example][lang=en]").click()
    expect(page.locator(".fmp-choices li")).to_have_count(len(RETRIEVAL.candidates))
    page.evaluate("window.go()")
    page.locator(".fmp-candidates input[type=file]").set_input_files(pictures.standing)  # in its turn after the others

    expect(page.locator(".fmp-choices li")).to_have_count(len(RETRIEVAL.candidates) + 1)
    example = re.compile(interface_texts()["en"]["find.example"])
    expect(page.locator("[data-which=start] .fmp-filled img")).to_have_attribute("alt", example)
